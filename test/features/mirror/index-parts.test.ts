import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js';
import { OUTPUT_SCHEMAS } from '../../support/output-schemas.js';
import type { Io } from '../../../src/cli/terminal/io.js';
import { realClock } from '../../../src/base/time.js';
import { runCli } from '../../../src/commands.js';
import { closedSchema } from '../../support/closed-schema.js';
import { fakeIo } from '../../support/fake-io.js';
import { providerYaml } from '../../support/package-yaml.js';
import { packageImage } from '../../support/registry/image.js';
import { on, status } from '../../support/registry/faults.js';
import { pushSide } from '../../support/registry/push-side.js';
import { Registry } from '../../support/registry/registry.js';

const PACKAGES = join(import.meta.dirname, '../../../fixtures/packages');
const FROM = ['--from', `dir:${PACKAGES}`];
let folder: string;
let registry: Registry;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'index-parts-'));
  registry = await new Registry({ faults: [pushSide()] }).start();
});

afterEach(async () => {
  await registry.stop();
  await rm(folder, { recursive: true });
});

async function run(...argv: readonly string[]) {
  return runWith({}, ...argv);
}

async function runWith(given: Partial<Pick<Io, 'clock'>>, ...argv: readonly string[]) {
  const io = fakeIo({ cwd: folder, env: { DOCKER_CONFIG: folder }, ...given });
  const code = await runCli(argv, io);
  return { code, stdout: io.stdout(), notes: io.notes().join('\n') };
}

async function json(schema: string, ...argv: readonly string[]) {
  const { code, stdout } = await run(...argv, '-o', 'json');
  const output = JSON.parse(stdout) as Record<string, unknown>;
  const closed = closedSchema(OUTPUT_SCHEMAS[schema]) as AnySchemaObject;
  const validate = new Ajv2020({ strict: false }).compile(closed);
  expect(validate(output) || validate.errors).toBe(true);
  return { code, output };
}

const at = (path: string) => `oci://${registry.host}/${path}`;

async function publish(name: string, version: string, crd = `${version}.example.org`) {
  registry.push(`acme/${name}`, version, await packageImage(providerYaml(name, crd)));
  return `${registry.host}/acme/${name}`;
}

/** Returns the digest that the tag of the index points to. */
async function tagged(): Promise<string | null> {
  const answer = await fetch(`http://${registry.host}/v2/team/index/manifests/v1`);
  return answer.headers.get('docker-content-digest');
}

const requestedBlobs = () =>
  registry.asked.filter((line) => /^GET .*\/acme\/.*\/blobs\//.test(line));

/** Returns the requested package tags, sorted. */
const requestedManifests = () =>
  registry.asked
    .flatMap((line) => /^(\w+) .*\/acme\/.*\/manifests\/(v.*)/.exec(line)?.slice(1).join(' ') ?? [])
    .sort();

describe('a written sparse index', () => {
  test('is the same in a folder and in a registry, and gives the same answers as one file', async () => {
    await run('index', ...FROM, '--out', 'one.json');
    const written = await json('index-output', 'index', ...FROM, '--out', 'parts/');
    const pushed = await json('push-output', 'index', 'push', at('team/index:v1'), ...FROM);
    expect([written.code, pushed.code]).toEqual([0, 0]);
    expect(pushed.output['digest']).toBe(written.output['digest']);
    const lines = [
      'resolve',
      'xpkg.example.org/acme/configuration-platform@>=v1.0.0',
      '--no-write',
    ];
    const answers = [];
    for (const from of ['one.json', 'parts/', 'parts', at('team/index:v1')]) {
      const rest = ['--crossplane', 'v2.3.4', '-o', 'json', '--from', `index:${from}`];
      const { stdout, code } = await run(...lines, ...rest);
      const { stats, ...answer } = JSON.parse(stdout) as { stats: object };
      expect(code).toBe(0);
      answers.push([answer, { ...stats, bytes: 0 }]);
    }
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    const back = await run('index', '--from', 'index:parts/');
    expect(back.stdout).toBe(await readFile(join(folder, 'one.json'), 'utf8'));
  });

  test('is named but not written with --dry-run', async () => {
    const dry = await run('index', 'push', at('team/index:v1'), ...FROM, '--dry-run');
    expect(dry).toMatchObject({ code: 0 });
    expect(registry.asked.filter((line) => !line.startsWith('GET'))).toEqual([]);
    expect((await run('index', 'push', at('team/index:v1'), ...FROM)).stdout).toBe(dry.stdout);
  });

  test('is read by `crd:` roots and `search` without the parts that they do not need', async () => {
    await run('index', 'push', at('team/index:v1'), ...FROM);
    const from = ['--from', `index:${at('team/index:v1')}`, '--crossplane', 'v2.3.4'];
    registry.log.length = 0;
    const { code, stdout } = await run('search', 'Bucket', ...from);
    expect([code, stdout]).toEqual([0, expect.stringContaining('provider-cloud-storage')]);
    const all = (await readdir(PACKAGES, { recursive: true })).length;
    const parts = registry.asked.filter((line) => line.includes('/blobs/'));
    expect(parts.length).toBeLessThan(all / 2);
    await writeFile(
      join(folder, 'xpkg.yaml'),
      'apiVersion: xpkg-resolve.dev/v1alpha1\nkind: PackageSet\nspec: {packages: [{crd: releases.helm.contrib.example.org}]}\n',
    );
    registry.log.length = 0;
    const resolved = await run('resolve', '--no-write', ...from);
    expect([resolved.code, resolved.stdout]).toEqual([0, expect.stringContaining('provider-helm')]);
    // The tables of packages and groups, one node of each, one group and one package.
    expect(registry.asked.filter((line) => line.includes('/blobs/'))).toHaveLength(6);
  });

  test('is downloaded once: with a warm cache, only the tag is requested', async () => {
    await run('index', 'push', at('team/index:v1'), ...FROM);
    const line = ['search', 'Bucket', '--from', `index:${at('team/index:v1')}`, '--cache', 'kept'];
    const first = await run(...line);
    registry.log.length = 0;
    expect(await run(...line)).toEqual(first);
    expect(registry.asked.filter((asked) => asked.includes('/team/'))).toEqual([
      'GET /v2/team/index/manifests/v1',
    ]);
    expect((await run(...line, '--offline')).stdout).toEqual(first.stdout);
  });

  test('a pinned state stays readable after the tag moved', async () => {
    const name = await publish('p', 'v1.0.0');
    const { stdout: pinned } = await run('index', 'push', at('team/index:v1'), name);
    await publish('p', 'v1.1.0');
    await run('index', 'update', at('team/index:v1'));
    const versions = async (from: string) =>
      (await run('versions', name, '--from', `index:${from}`)).stdout;
    expect(await versions(pinned.trim())).not.toContain('v1.1.0');
    expect(await versions(at('team/index:v1'))).toContain('v1.1.0');
  });

  test('artifacts with one file and files of earlier releases are still readable', async () => {
    await run('index', ...FROM, '--out', 'one.json.gz');
    const { code } = await run('search', 'Bucket', '--from', 'index:one.json.gz');
    expect(code).toBe(0);
    const update = await json('index-update-output', 'index', 'update', 'one.json.gz', ...FROM);
    expect(update).toMatchObject({ code: 0, output: { packages: [] } });
    expect((await run('index', 'verify', 'one.json.gz', ...FROM)).code).toBe(0);
  });
});

/** Runs a command each time the tag of the index is requested at one of these turns. */
const runOnRequests = (turns: readonly number[], ...argv: readonly string[]) => {
  let asked = 0;
  const ends: number[] = [];
  registry.fail((request, response) => {
    if (request.method === 'PUT' || !request.path.endsWith('/team/index/manifests/v1')) {
      return false;
    }
    // Requests of the other writer do not count.
    if (asked === Infinity) return false;
    asked += 1;
    if (!turns.includes(asked)) return false;
    const before = asked;
    asked = Infinity;
    void run(...argv.map((word) => word.replace('N', `${before}`))).then(({ code }) => {
      asked = before;
      ends.push(code);
      registry.answer(request, response);
    });
    return true;
  });
  return ends;
};

/** Returns the text of an index without the dates on which versions were first seen. */
function withoutFirstSeen(index: string): string {
  return index.replace(/,"firstSeen":"[^"]*"/g, '');
}

describe('`index update`', () => {
  test('requests tags and their digests, and reads only new and moved versions', async () => {
    const name = await publish('p', 'v1.0.0');
    await publish('p', 'v1.1.0');
    await run('index', name, '--out', 'parts/');
    await publish('p', 'v1.2.0');
    await publish('p', 'v1.1.0', 'moved.example.org');
    registry.log.length = 0;
    const { code, output } = await json('index-update-output', 'index', 'update', 'parts/');
    expect([code, output['packages']]).toEqual([
      0,
      [{ source: name, added: ['v1.2.0'], removed: [], moved: ['v1.1.0'] }],
    ]);
    // One layer for each version, and the config with its creation time.
    expect(requestedBlobs()).toHaveLength(4);
    expect(requestedManifests()).toEqual([
      'GET v1.1.0',
      'GET v1.2.0',
      'HEAD v1.0.0',
      'HEAD v1.1.0',
    ]);
    registry.log.length = 0;
    const again = await json('index-update-output', 'index', 'update', 'parts/');
    expect(again.output).toMatchObject({ packages: [], sent: 0, digest: output['digest'] });
    expect(requestedBlobs()).toEqual([]);
    expect(requestedManifests()).toEqual(['HEAD v1.0.0', 'HEAD v1.1.0', 'HEAD v1.2.0']);
    const updated = (await run('index', '--from', 'index:parts/')).stdout;
    expect(updated.match(/"firstSeen"/g)).toHaveLength(2);
    expect((await run('index', name)).stdout).toBe(withoutFirstSeen(updated));
  });

  test('uses GET if a registry does not answer HEAD, with the same result', async () => {
    const name = await publish('p', 'v1.0.0');
    await run('index', name, '--out', 'parts/');
    registry.fail((request, ...rest) => request.method === 'HEAD' && status(405)(request, ...rest));
    await publish('p', 'v1.0.0', 'moved.example.org');
    const { output } = await json('index-update-output', 'index', 'update', 'parts/');
    expect(output['packages']).toMatchObject([{ moved: ['v1.0.0'] }]);
    const again = await json('index-update-output', 'index', 'update', 'parts/');
    expect(again.output).toMatchObject({ packages: [], sent: 0 });
  });

  test('sends only changes, and adds packages that are named', async () => {
    const [p, q] = [await publish('p', 'v1.0.0'), await publish('q', 'v1.0.0')];
    await run('index', 'push', at('team/index:v1'), p);
    const before = await tagged();
    registry.log.length = 0;
    const { output } = await json('index-update-output', 'index', 'update', at('team/index:v1'), q);
    expect(output).toMatchObject({ packages: [{ source: q, added: ['v1.0.0'] }] });
    expect(output['digest']).toBe(await tagged());
    expect(await tagged()).not.toBe(before);
    const puts = registry.asked.filter((line) => line.startsWith('PUT'));
    expect(puts.length).toBe(output['sent']);
    const { stdout } = await run('index', p, q);
    const updated = await run('index', '--from', `index:${at('team/index:v1')}`);
    expect(withoutFirstSeen(updated.stdout)).toBe(stdout);
  });

  test('keeps packages that sources no longer know, and rejects packages that none ever knew', async () => {
    const p = await publish('p', 'v1.0.0');
    await run('index', p, '--out', 'parts/');
    const gone = await run('index', 'update', 'parts/', ...FROM);
    expect([gone.code, gone.notes]).toEqual([0, expect.stringContaining('stays in the index')]);
    expect((await run('index', 'update', 'parts/', `${registry.host}/acme/none`)).code).toBe(2);
    expect((await run('index', 'update', 'none/', ...FROM)).code).toBe(2);
  });

  test.each([
    { when: 'before it sets the tag', turn: 2 },
    { when: 'after it has set the tag', turn: 3 },
  ])(
    'a writer that loses a race $when repeats its work, and no change is lost',
    async ({ turn }) => {
      const [p, q] = [await publish('p', 'v1.0.0'), await publish('q', 'v1.0.0')];
      await run('index', 'push', at('team/index:v1'), p);
      await publish('p', 'v1.1.0');
      const ends = runOnRequests([turn], 'index', 'update', at('team/index:v1'), q);
      const { code, notes } = await run('index', 'update', at('team/index:v1'), p);
      expect([code, ends, notes]).toEqual([0, [0], expect.stringContaining('done again')]);
      const { stdout } = await run('index', p, q);
      const updated = await run('index', '--from', `index:${at('team/index:v1')}`);
      expect(withoutFirstSeen(updated.stdout)).toBe(stdout);
    },
  );

  test('a writer whose result is overwritten by a concurrent writer notices and repeats its work', async () => {
    const [p, q] = [await publish('p', 'v1.0.0'), await publish('q', 'v1.0.0')];
    await run('index', 'push', at('team/index:v1'), p);
    await publish('p', 'v1.1.0');
    let arrive: (() => void) | undefined;
    const underWay = new Promise<void>((held) => {
      let isFirst = true;
      registry.fail((request, response) => {
        const isTag = request.method === 'PUT' && request.path.endsWith('/manifests/v1');
        if (!isTag || !isFirst) return false;
        isFirst = false;
        arrive = () => {
          if (!response.writableEnded) pushSide()(request, response, registry);
        };
        held();
        return true;
      });
    });
    const other = run('index', 'update', at('team/index:v1'), q);
    await underWay;
    const waits: number[] = [];
    const sleep = async (milliseconds: number) => {
      if (waits.push(milliseconds) === 1) arrive?.();
    };
    const given = { clock: { ...realClock, sleep } };
    const { code, notes, stdout } = await runWith(given, 'index', 'update', at('team/index:v1'), p);
    arrive?.();
    expect([code, (await other).code]).toEqual([0, 0]);
    expect(notes).toContain('done again on top of that');
    expect(stdout).toBe(`${p} v1.1.0 is new\n`);
    // After each write of the tag, and after a pause.
    expect(waits).toHaveLength(3);
    expect(waits[0]).toBeGreaterThanOrEqual(2000);
    const updated = await run('index', '--from', `index:${at('team/index:v1')}`);
    expect(withoutFirstSeen(updated.stdout)).toBe((await run('index', p, q)).stdout);
  });

  test('a writer that loses every race gives up and leaves the result of the others', async () => {
    const p = await publish('p', 'v1.0.0');
    // Each round requests the tag once at its start, and twice if the tag has changed.
    const turns = [2, 5, 8, 11, 14, 17, 20, 23];
    for (const turn of turns) await publish(`q${turn}`, 'v1.0.0');
    await run('index', 'push', at('team/index:v1'), p);
    await publish('p', 'v1.1.0');
    runOnRequests(turns, 'index', 'update', at('team/index:v1'), `${registry.host}/acme/qN`);
    const { code, notes } = await run('index', 'update', at('team/index:v1'), p);
    expect([code, notes]).toEqual([5, expect.stringContaining('others changed it 8 times')]);
    const { stdout } = await run('index', '--from', `index:${at('team/index:v1')}`);
    expect(stdout).toContain('acme/q23');
    expect(stdout).not.toContain('v1.1.0');
  });

  test('interrupted before any request, the tag keeps its digest, and the next run completes the update', async () => {
    const p = await publish('p', 'v1.0.0');
    await run('index', 'push', at('team/index:v1'), p);
    const old = await tagged();
    await publish('p', 'v1.1.0');
    const limit = { left: Infinity };
    registry.fail((...request) => (limit.left -= 1) < 0 && status(403)(...request));
    for (let requests = 0; ; requests += 1) {
      limit.left = requests;
      const { code } = await run('index', 'update', at('team/index:v1'));
      limit.left = Infinity;
      if (code === 0) {
        expect(requests).toBeGreaterThan(8);
        break;
      }
      const now = await tagged();
      // The last request only checks that the tag still has the written digest.
      if (now !== old) continue;
      expect([code, now]).toEqual([5, old]);
    }
    const { stdout } = await run('index', p);
    const updated = await run('index', '--from', `index:${at('team/index:v1')}`);
    expect(withoutFirstSeen(updated.stdout)).toBe(stdout);
  });
});

describe('`index verify`', () => {
  test('lists what is new, missing, moved or different', async () => {
    const name = await publish('p', 'v1.0.0');
    for (const version of ['v1.1.0', 'v1.2.0']) await publish('p', version);
    await run('index', name, '--out', 'one.json');
    const index = JSON.parse(await readFile(join(folder, 'one.json'), 'utf8'));
    const { versions } = index.packages[name];
    delete versions['v1.0.0'];
    versions['v0.9.0'] = versions['v1.1.0'];
    versions['v1.2.0'].crds = ['lies.example.org'];
    await writeFile(join(folder, 'lie.json'), JSON.stringify(index));
    await run('index', '--from', 'index:lie.json', '--out', 'parts/');
    await publish('p', 'v1.1.0', 'moved.example.org');
    const kinds = [];
    for (const place of ['lie.json', 'parts/']) {
      const { code, output } = await json('index-verify-output', 'index', 'verify', place);
      expect(code).toBe(4);
      const told = output['mismatches'] as { kind: string; version: string }[];
      kinds.push(told.map(({ kind, version }) => `${kind} ${version}`));
    }
    const want = ['new v1.0.0', 'gone v0.9.0', 'tag-moved v1.1.0', 'content v1.2.0'];
    expect(kinds).toEqual([want, want]);
    const quick = await json('index-verify-output', 'index', 'verify', 'parts/', '--quick');
    expect((quick.output['mismatches'] as unknown[]).length).toBe(3);
    await run('index', 'update', 'parts/', name);
    await run('index', name, '--out', 'right/');
    expect(await json('index-verify-output', 'index', 'verify', 'right/')).toMatchObject({
      code: 0,
      output: { status: 'verified', packages: 1 },
    });
  });

  test('does not report damage if its registry does not answer', async () => {
    const name = await publish('p', 'v1.0.0');
    await run('index', 'push', at('team/index:v1'), name);
    registry.fail(on('/team/index/blobs/', status(400)));
    const { code, notes } = await run('index', 'verify', at('team/index:v1'), '--cache', 'new');
    expect(notes).toContain('the registry answered 400');
    expect(notes).not.toContain('damaged');
    expect(code).toBe(5);
  });

  test('with a damaged folder, exits with 5, as does resolve; `--out` repairs the folder', async () => {
    const names = [await publish('p', 'v1.0.0'), await publish('q', 'v1.0.0')];
    await run('index', ...names, '--out', 'parts/');
    const blobs = join(folder, 'parts/blobs/sha256');
    const held = await readdir(blobs);
    const said: string[] = [];
    for (const name of held) {
      await cp(join(folder, 'parts'), join(folder, 'broken'), { recursive: true });
      const bytes = await readFile(join(blobs, name));
      bytes[bytes.length >> 1]! ^= 1;
      await writeFile(join(folder, 'broken/blobs/sha256', name), bytes);
      const { code, notes } = await run('index', 'verify', 'broken/');
      said.push(notes);
      // The empty config of manifests is never read.
      if (bytes.length > 2) expect([name, code]).toEqual([name, 5]);
      await rm(join(folder, 'broken'), { recursive: true });
    }
    for (const name of names) {
      const notes = said.find((text) =>
        text.includes(`the part of ${name}: this index is damaged`),
      );
      expect(notes).toContain('hint: write it anew');
    }
    for (const name of held) await writeFile(join(blobs, name), 'damaged');
    expect((await run('index', ...names, '--out', 'parts/')).code).toBe(0);
    expect((await run('index', 'verify', 'parts/')).code).toBe(0);
  });
});

describe('a folder', () => {
  test('with other files is not written to', async () => {
    await mkdir(join(folder, 'mine'));
    await writeFile(join(folder, 'mine/notes.txt'), 'dear diary');
    const { code, notes } = await run('index', ...FROM, '--out', 'mine/');
    expect([code, notes]).toEqual([2, expect.stringContaining('notes.txt')]);
    expect(await readdir(join(folder, 'mine'))).toEqual(['notes.txt']);
    expect((await run('search', 'x', '--from', 'index:mine/')).code).toBe(5);
  });

  test('keeps the old files for concurrent readers, and removes them later', async () => {
    const state = async () => (await readdir(join(folder, 'parts/blobs/sha256'))).sort();
    const p = await publish('p', 'v1.0.0');
    await run('index', p, '--out', 'parts/');
    const first = await state();
    await publish('p', 'v1.1.0');
    await run('index', 'update', 'parts/');
    const second = await state();
    expect(second).toEqual(expect.arrayContaining(first));
    await publish('p', 'v1.2.0');
    await run('index', 'update', 'parts/');
    const third = await state();
    expect(third).not.toEqual(expect.arrayContaining(first));
    expect(await readdir(join(folder, 'parts'))).toEqual(['blobs', 'index.json', 'oci-layout']);
  });
});

test.each([
  { argv: ['index', 'update'], want: 'which index' },
  { argv: ['index', 'verify'], want: 'which index' },
  { argv: ['index', 'push'], want: 'where to' },
  { argv: ['index', '--quick', ...FROM], want: '--quick' },
  { argv: ['index', '--all-parts', ...FROM], want: '--all-parts' },
  { argv: ['index', 'verify', 'x', '--out', 'y', ...FROM], want: '--out' },
  { argv: ['index', 'push', 'oci://127.0.0.1:1/x/y:z', '--offline', ...FROM], want: '--offline' },
])('$argv explains what is wrong', async ({ argv, want }) => {
  const { code, notes } = await run(...argv);
  expect([code, notes]).toEqual([2, expect.stringContaining(want)]);
});
