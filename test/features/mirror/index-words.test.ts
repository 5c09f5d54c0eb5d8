import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCli } from '../../../src/commands.js';
import { fakeIo } from '../../support/fake-io.js';
import { providerYaml } from '../../support/package-yaml.js';
import { packageImage } from '../../support/registry/image.js';
import { pushSide } from '../../support/registry/push-side.js';
import { Registry } from '../../support/registry/registry.js';

let folder: string;
let registry: Registry;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'index-words-'));
  registry = await new Registry({ faults: [pushSide()] }).start();
});

afterEach(async () => {
  await registry.stop();
  await rm(folder, { recursive: true });
});

async function run(...argv: readonly string[]) {
  const io = fakeIo({ cwd: folder, env: { DOCKER_CONFIG: folder } });
  const code = await runCli(argv, io);
  return { code, stdout: io.stdout(), notes: io.notes().join('\n') };
}

async function publish(version: string, crd = 'ps.example.org'): Promise<string> {
  registry.push('acme/p', version, await packageImage(providerYaml('p', crd)));
  return `${registry.host}/acme/p`;
}

const oci = () => `oci://${registry.host}/team/index:v1`;

test('`verify --quick` lists new, moved and missing versions without reading packages', async () => {
  const name = await publish('v1.0.0');
  await publish('v1.1.0');
  await run('index', name, '--out', 'one.json');
  const index = JSON.parse(await readFile(join(folder, 'one.json'), 'utf8'));
  const { versions } = index.packages[name];
  versions['v0.9.0'] = versions['v1.0.0'];
  await writeFile(join(folder, 'one.json'), JSON.stringify(index));
  await run('index', '--from', 'index:one.json', '--out', 'parts/');
  await publish('v1.1.0', 'moved.example.org');
  await publish('v1.2.0');
  await publish('nightly');
  for (const place of ['one.json', 'parts/']) {
    registry.log.length = 0;
    const { code, stdout } = await run('index', 'verify', place, '--quick', '-o', 'json');
    const { mismatches } = JSON.parse(stdout) as {
      mismatches: readonly { kind: string; version: string }[];
    };
    const told = mismatches.map(({ kind, version }) => `${kind} ${version}`);
    expect([code, told]).toEqual([4, ['new v1.2.0', 'gone v0.9.0', 'tag-moved v1.1.0']]);
    expect(registry.asked.filter((line) => line.includes('/blobs/'))).toEqual([]);
  }
});

test('`verify` of an unknown package is an error, as for `update`', async () => {
  const name = await publish('v1.0.0');
  await run('index', name, '--out', 'parts/');
  for (const words of [
    ['verify', 'parts/'],
    ['verify', 'parts/', '--quick'],
    ['update', 'parts/'],
  ]) {
    const { code, notes } = await run('index', ...words, `${registry.host}/nope/x`);
    expect([code, notes]).toEqual([2, expect.stringContaining('no source knows')]);
  }
});

describe('overwriting an index', () => {
  test.each(['parts/', 'one.json', 'one.json.gz', 'oci'])(
    'keeps when versions of the same digest were first seen: %s',
    async (where) => {
      const place = where === 'oci' ? oci() : where;
      const name = await publish('v1.0.0');
      const write = where === 'oci' ? ['push', place] : ['--out', place];
      await run('index', ...write, name);
      await publish('v1.1.0');
      await publish('v1.2.0');
      expect((await run('index', 'update', place)).code).toBe(0);
      const times = async () => {
        const { stdout } = await run('index', '--from', `index:${place}`);
        const { versions } = JSON.parse(stdout).packages[name];
        return Object.keys(versions).map((version) => versions[version].firstSeen);
      };
      const seen = await times();
      expect(seen).toEqual([undefined, expect.any(String), expect.any(String)]);
      await publish('v1.2.0', 'moved.example.org');
      expect((await run('index', ...write, name)).code).toBe(0);
      expect(await times()).toEqual([undefined, seen[1], undefined]);
    },
  );

  test('reports that dates are lost because the old index is damaged', async () => {
    const name = await publish('v1.0.0');
    await run('index', name, '--out', 'parts/');
    const again = ['index', name, '--out', 'parts/'];
    expect((await run(...again)).notes).not.toContain('is lost');
    const blobs = join(folder, 'parts/blobs/sha256');
    for (const blob of await readdir(blobs)) await writeFile(join(blobs, blob), 'damaged');
    const { code, notes } = await run(...again);
    expect([code, notes]).toEqual([0, expect.stringContaining('first seen is lost')]);
  });
});

describe('subcommands of `index`', () => {
  test.each([
    { words: ['pull', 'oci://h.io/team/index:v1'] },
    { words: ['pull', 'parts/'] },
    { words: ['pull', '--from', 'index:one.json'] },
  ])('$words lists the subcommands', async ({ words }) => {
    await writeFile(join(folder, 'one.json'), '{"packages":{}}');
    const { code, notes } = await run('index', ...words);
    expect([code, notes]).toEqual([2, expect.stringContaining('`push`, `update` or `verify`')]);
  });

  test('`push` and `update` require a tag and reject a digest', async () => {
    for (const verb of ['push', 'update']) {
      const { code, notes } = await run('index', verb, `oci://${registry.host}/team/index`);
      expect([code, notes]).toEqual([2, expect.stringContaining('with a tag')]);
      expect(notes).not.toContain('sha256');
    }
  });

  test('`--out DIR/` prints the digest of the written index', async () => {
    const { notes } = await run('index', await publish('v1.0.0'), '--out', 'parts/');
    const { digest } = JSON.parse(await readFile(join(folder, 'parts/index.json'), 'utf8'))
      .manifests[0];
    expect(notes).toContain(`wrote parts/: 1 packages, 1 versions (${digest})`);
  });

  test('`push` reports that it replaces what another writer pushed meanwhile', async () => {
    const name = await publish('v1.0.0');
    await run('index', 'push', oci(), name);
    await publish('v1.1.0');
    let asked = 0;
    registry.fail((request, response) => {
      if (request.method === 'PUT' || !request.path.endsWith('/team/index/manifests/v1'))
        return false;
      asked += 1;
      if (asked !== 2) return false;
      void run('index', 'update', oci(), name).then(() => registry.answer(request, response));
      return true;
    });
    const { code, notes } = await run('index', 'push', oci(), name);
    expect([code, notes]).toEqual([0, expect.stringContaining('what it wrote is replaced')]);
    expect(notes).not.toContain('on top of');
  });
});
