import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runCli } from '../../../src/commands.js';
import { fakeIo } from '../../support/fake-io.js';
import { providerYaml } from '../../support/package-yaml.js';
import {
  blobOf,
  imageOf,
  layerOf,
  packageImage,
  type ImageTypes,
} from '../../support/registry/image.js';
import { Registry } from '../../support/registry/registry.js';

const INDEX = `{"packages":{
"xpkg.io/a":{"kind":"Provider","versions":{
"v1.0.0":{"crds":["a.x.io","b.x.io"],"created":"2026-01-01T00:00:00Z","firstSeen":"2026-01-02T00:00:00Z"},
"v1.1.0":{"crossplane":">=v1.0.0","dependsOn":[{"provider":"xpkg.io/b","version":"*"}]}
}},
"xpkg.io/b":{"kind":"Function","versions":{
"latest":{"apiVersion":"meta.pkg.crossplane.io/v1beta1"},
"v1.0.0":{"kind":"Provider"}
}}
}}
`;

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'index-command-'));
  const { packages } = JSON.parse(INDEX) as { packages: Record<string, object> };
  const shuffled = { packages: Object.fromEntries(Object.entries(packages).reverse()) };
  await writeFile(join(cwd, 'in.json'), JSON.stringify(shuffled));
});
afterAll(() => rm(cwd, { recursive: true }));

async function run(...argv: readonly string[]) {
  const io = fakeIo({ cwd });
  const code = await runCli(['index', '--from', 'index:in.json', ...argv], io);
  return { code, out: io.stdout(), notes: io.notes() };
}

test('prints the packages of the sources, sorted, one version per line', async () => {
  expect(await run()).toEqual({ code: 0, out: INDEX, notes: [] });
});

test('only the named packages', async () => {
  const { out } = await run('xpkg.io/b');
  expect(Object.keys((JSON.parse(out) as { packages: object }).packages)).toEqual(['xpkg.io/b']);
});

test.each([
  { file: 'out.json', read: (bytes: Buffer) => bytes.toString() },
  { file: 'out.json.gz', read: (bytes: Buffer) => gunzipSync(bytes).toString() },
])('writes $file, and nothing to stdout', async ({ file, read }) => {
  expect(await run('--out', file)).toMatchObject({ code: 0, out: '' });
  expect(read(await readFile(join(cwd, file)))).toBe(INDEX);
});

test('a package that no source knows is an error, and nothing is written', async () => {
  const { code, notes } = await run('xpkg.io/none', '--out', 'none.json');
  expect(code).toBe(2);
  expect(notes.join()).toContain('xpkg.io/none');
  expect(await readdir(cwd)).not.toContain('none.json');
});

test.each([
  { argv: ['--out', 'no/such/folder/out.json'], why: 'a missing folder' },
  { argv: ['--from'], why: 'a flag without its value' },
  { argv: ['--out'], why: 'another value' },
  { argv: ['--nonsense'], why: 'an unknown flag' },
])('$argv is bad usage: $why', async ({ argv }) => {
  expect(await run(...argv)).toMatchObject({ code: 2, out: '' });
});

describe('of a repository that does not only contain packages', async () => {
  const image = await packageImage(providerYaml('p', 'a.b.org'));
  const signature = '{"critical":{}}';
  let registry: Registry;

  beforeEach(async () => {
    registry = await new Registry().start();
    registry.push('a/p', 'v1.0.0', image).push('a/p', 'latest', image);
  });

  afterEach(() => registry.stop());

  async function indexed() {
    const io = fakeIo({ cwd });
    const repository = `${registry.host}/a/p`;
    const code = await runCli(['index', repository], io);
    const { packages } = JSON.parse(io.stdout() || '{"packages":{}}') as {
      packages: Record<string, { versions: object }>;
    };
    return { code, notes: io.notes(), tags: Object.keys(packages[repository]?.versions ?? {}) };
  }

  test.each(['', '.sig', '.att', '.sbom'])(
    'what is tagged `sha256-…%s` is attached to an image, and not even asked for',
    async (suffix) => {
      const tag = `${image.digest.replace(':', '-')}${suffix}`;
      registry.push('a/p', tag, imageOf([blobOf(signature)]));
      expect(await indexed()).toEqual({ code: 0, notes: [], tags: ['latest', 'v1.0.0'] });
      expect(registry.asked.join()).not.toContain(tag);
    },
  );

  const ARTIFACTS: readonly { why: string; types: ImageTypes }[] = [
    { why: 'is a document', types: { artifactType: 'application/vnd.me', layer: 'text/markdown' } },
    { why: 'is some JSON', types: { config: 'application/json', layer: 'application/json' } },
    { why: 'is a signature', types: { layer: 'application/vnd.dev.cosign.simplesigning.v1+json' } },
  ];

  test.each(['docs', 'v2.0.0'].flatMap((tag) => ARTIFACTS.map((what) => ({ ...what, tag }))))(
    'what $why is left out, with a note and without its layers: $tag',
    async ({ types, tag }) => {
      const layer = blobOf(signature);
      registry.push('a/p', tag, imageOf([layer], '{}', types));
      const { code, notes, tags } = await indexed();
      expect([code, tags]).toEqual([0, ['latest', 'v1.0.0']]);
      expect(notes).toEqual([expect.stringContaining(`a/p:${tag} `)]);
      expect(registry.asked.join()).not.toContain(layer.digest);
    },
  );

  test.each([{ artifactType: 'application/vnd.me' }, { config: 'application/vnd.me+json' }])(
    'what says that it is an artifact (%o) may call anything a tar: it is left out, with a note',
    async (types) => {
      registry.push('a/p', 'v2.0.0', imageOf([blobOf('Read me.\n')], '{}', types));
      const { code, notes, tags } = await indexed();
      expect([code, tags]).toEqual([0, ['latest', 'v1.0.0']]);
      expect(notes).toEqual([expect.stringContaining('a/p:v2.0.0 ')]);
    },
  );

  test('an image that is no package is skipped by tag, and recorded by version', async () => {
    const plain = imageOf([await layerOf([{ name: 'bin/sh', content: 'binary' }])]);
    registry.push('a/p', 'debug', plain).push('a/p', 'v2.0.0', plain);
    const { code, notes, tags } = await indexed();
    expect([code, tags]).toEqual([0, ['latest', 'v1.0.0', 'v2.0.0']]);
    expect(notes).toEqual([expect.stringContaining('a/p:debug ')]);
  });

  test('a damaged package is an error, whatever its tag', async () => {
    registry.push('a/p', 'debug', imageOf([blobOf('not a layer')]));
    expect(await indexed()).toMatchObject({ code: 5, tags: [] });
  });
});
