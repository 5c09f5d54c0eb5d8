import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/kit/command.js';
import { runCli } from '../../../src/commands.js';
import { fakeIo } from '../../support/fake-io.js';
import { providerYaml } from '../../support/package-yaml.js';
import { packageImage } from '../../support/registry/image.js';
import { Registry } from '../../support/registry/registry.js';

const [user, password] = ['ann', 's3cret'];
let folder: string;
let origin: Registry;
let mirror: Registry;
/** The original reference of the package. */
let name: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'image-configs-'));
  origin = await new Registry().start();
  mirror = await new Registry({ access: { mode: 'basic', user, password } }).start();
  const image = await packageImage(providerYaml('p', 'a.b.org'));
  mirror.push('a/p', 'v1.0.0', image).push('a/p', 'v1.1.0', image);
  name = `${origin.host}/a/p`;
  await write('mirror.yaml', imageConfig());
  await write('in.yaml', packageSet({ provider: name, version: 'v1.1.0' }), imageConfig());
  await write('secret.json', {
    kind: 'Secret',
    metadata: { name: 'regcred' },
    stringData: {
      '.dockerconfigjson': JSON.stringify({
        auths: { [mirror.host]: { username: user, password } },
      }),
    },
  });
});

afterEach(async () => {
  await Promise.all([origin.stop(), mirror.stop()]);
  await rm(folder, { recursive: true });
});

function imageConfig() {
  return {
    apiVersion: 'pkg.crossplane.io/v1beta1',
    kind: 'ImageConfig',
    metadata: { name: 'mirror' },
    spec: {
      matchImages: [{ prefix: origin.host }, { prefix: mirror.host }],
      rewriteImage: { prefix: mirror.host },
      registry: { authentication: { pullSecretRef: { name: 'regcred' } } },
    },
  };
}

function packageSet(...packages: readonly object[]) {
  return { apiVersion: 'xpkg-resolve.dev/v1alpha1', kind: 'PackageSet', spec: { packages } };
}

async function write(file: string, ...documents: readonly object[]): Promise<void> {
  const text = documents.map((document) => JSON.stringify(document)).join('\n---\n');
  await writeFile(join(folder, file), text);
}

async function run(argv: readonly string[], stdin = '') {
  const io = fakeIo({ cwd: folder, stdin });
  const code = await runCli([...argv, '--pull-secret', 'secret.json'], io);
  return { code, stdout: io.stdout(), notes: io.notes() };
}

describe('reads from the mirror that an ImageConfig names, with its credentials, and never from the origin', () => {
  test.each([
    { line: 'update -f in.yaml', why: 'its inputs contain the ImageConfig' },
    { line: 'matrix -f in.yaml --crossplane v2.3.4', why: 'its inputs contain the ImageConfig' },
    {
      line: 'fuzz -f in.yaml --crossplane v2.3.4 --runs 2',
      why: 'its inputs contain the ImageConfig',
    },
    { line: 'outdated -f in.yaml', why: 'its inputs contain the ImageConfig' },
    { line: 'outdated', why: 'the lockfile contains the ImageConfig' },
    { line: 'vendor world', why: 'the lockfile contains the ImageConfig' },
    { line: 'inspect PACKAGE:v1.0.0 -f mirror.yaml', why: 'a file contains the ImageConfig' },
    { line: 'lint PACKAGE:v1.0.0 -f in.yaml', why: 'with other objects in the file' },
    { line: 'index -f mirror.yaml PACKAGE', why: '-f takes one word' },
  ])('$line: $why', async ({ line }) => {
    expect(await run(['resolve', '-f', 'in.yaml'])).toMatchObject({ code: EXIT.done });
    const before = mirror.log.length;
    expect(await run(line.replace('PACKAGE', name).split(' '))).toMatchObject({ code: EXIT.done });
    expect(mirror.log.length).toBeGreaterThan(before);
    expect(origin.asked).toEqual([]);
  });
});

test('the reproduction command of fuzz reads from the mirror, too', async () => {
  await write('broken.yaml', packageSet({ function: name, version: 'v1.1.0' }), imageConfig());
  const fuzzed = await run(['fuzz', '-f', 'broken.yaml', '--runs', '0', '-o', 'json']);
  const { breakages } = JSON.parse(fuzzed.stdout) as { breakages: { replay: string }[] };
  const [line, ...rest] = breakages[0]!.replay.split('\n');
  const argv = line!.replace(" <<'EOF'", '').split(' ').slice(1);
  const stdin = rest.slice(0, -1).join('\n');
  expect((await run(argv.slice(0, argv.indexOf('--pull-secret')), stdin)).code).toBe(
    EXIT.unsolvable,
  );
  expect(origin.asked).toEqual([]);
});

test.each([
  { file: 'none.yaml', why: 'a missing file' },
  { file: 'secret.json', why: 'a file without an ImageConfig' },
])('inspect -f $file is a usage error: $why', async ({ file }) => {
  expect((await run(['inspect', `${name}:v1.0.0`, '-f', file])).code).toBe(EXIT.badInput);
  expect(origin.asked).toEqual([]);
});

test('a package that the mirror lacks is missing, with the reason for looking there', async () => {
  const lost = `${origin.host}/a/lost`;
  await write('lost.yaml', packageSet({ provider: lost, version: 'v1.1.0' }), imageConfig());
  const { code, notes } = await run(['resolve', '-f', 'lost.yaml']);
  expect(code).toBe(EXIT.unsolvable);
  const about = notes.filter((note) => note.startsWith('note: ') && note.includes('ImageConfig'));
  expect(about).toEqual([expect.stringContaining(`${mirror.host}/a/lost`)]);
  expect(origin.asked).toEqual([]);
});
