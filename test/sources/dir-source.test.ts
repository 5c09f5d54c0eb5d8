import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InputError } from '../../src/base/errors.js';
import type { PackageSource } from '../../src/sources/package-source.js';
import { judge } from '../../src/crossplane/packages/admission.js';
import { targetFor } from '../../src/crossplane/releases/target.js';
import { buildImage } from '../../src/oci/image/build-image.js';
import { sha256 } from '../../src/base/digest.js';
import { openDir } from '../../src/sources/dir-source.js';

const target = targetFor('v2.3.4')!;
const HEX = 'ab'.repeat(32);
const meta = (kind: string, name: string) =>
  `apiVersion: meta.pkg.crossplane.io/v1\nkind: ${kind}\nmetadata:\n  name: ${name}\n`;
const crd = (plural: string) =>
  `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: ${plural}.acme.io\nspec:\n  group: acme.io\n  names: { kind: X, plural: ${plural} }\n  versions: []\n`;
const P1 = `${meta('Provider', 'p')}---\n${crd('buckets')}`;

const FILES: Readonly<Record<string, string>> = {
  'root/xpkg.io/a/p@v1.0.0/package.yaml': P1,
  'root/xpkg.io/a/p@v1.1.0/package.yaml': meta('Provider', 'p'),
  'root/xpkg.io/a/p@>=v1.0.0/package.yaml': meta('Provider', 'p'),
  [`root/xpkg.io/a/p@sha256@${HEX}/package.yaml`]: meta('Provider', 'old'),
  'root/xpkg.io/a/p@v1.2.0/README.md': 'empty but for this',
  'root/xpkg.io/a/p-s3@v9.0.0/package.yaml': meta('Provider', 'p-s3'),
  'root/xpkg.io/a/p/deep@v0.1.0/package.yaml': meta('Function', 'deep'),
  'root/host@5000/a/b@v1.0.0/package.yaml': meta('Configuration', 'b'),
  'root/xpkg.io/a/cfg@v1.0.0/crossplane.yaml': meta('Configuration', 'cfg').trimEnd(),
  'root/xpkg.io/a/cfg@v1.0.0/b.yml': crd('bs'),
  'root/xpkg.io/a/cfg@v1.0.0/B.yaml': `\uFEFF${crd('upper')}`,
  'root/xpkg.io/a/cfg@v1.0.0/apis/a.yaml': crd('as'),
  'root/xpkg.io/a/cfg@v1.0.0/apis/examples/x.yaml': crd('xs'),
  'root/xpkg.io/a/cfg@v1.0.0/apis/none.yaml': '',
  'root/xpkg.io/a/cfg@v1.0.0/examples/claim.yaml': 'kind: Claim\n',
  'root/xpkg.io/a/cfg@v1.0.0/notes.txt': 'not YAML',
  'outside/secret@v1.0.0/package.yaml': meta('Provider', 'secret'),
};

let folder: string;
let source: PackageSource;
const notes: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dir-'));
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await symlink(
    join(folder, 'outside/secret@v1.0.0/package.yaml'),
    join(folder, 'root/xpkg.io/a/cfg@v1.0.0/link.yaml'),
  );
  source = await openDir(join(folder, 'root'), { shown: 'pkgs', note: (line) => notes.push(line) });
});
afterAll(() => rm(folder, { recursive: true }));

const tags = (repository: string) => source.tags(repository, target);
const fetch = (repository: string, version: string) =>
  source.fetch({ repository, version }, target);

describe('tags', () => {
  test.each([
    { repository: 'xpkg.io/a/p', want: ['v1.0.0', 'v1.1.0'], why: 'tags of packages alone' },
    { repository: 'xpkg.io/a/p-s3', want: ['v9.0.0'], why: 'a name that begins like another' },
    { repository: 'xpkg.io/a/p/deep', want: ['v0.1.0'], why: 'below another repository' },
    { repository: 'host:5000/a/b', want: ['v1.0.0'], why: 'a port spelled with an @' },
    { repository: 'xpkg.io/a/nope', want: undefined, why: 'no such repository' },
    { repository: 'xpkg.io/nope/p', want: undefined, why: 'no such folder' },
    { repository: 'xpkg.io/a/p@v1.0.0/package.yaml/x', want: undefined, why: 'below a file' },
    { repository: '../outside/secret', want: undefined, why: 'nothing outside is looked at' },
    { repository: 'xpkg.io/../../outside/secret', want: undefined, why: 'nor by a detour' },
    { repository: `xpkg.io/${'x'.repeat(5000)}/p`, want: undefined, why: 'no such long name' },
  ])('$repository: $why', async ({ repository, want }) => {
    expect(await tags(repository)).toEqual(want);
  });

  test('a folder named by a constraint is skipped with one note', async () => {
    await tags('xpkg.io/a/p');
    await tags('xpkg.io/a/p');
    expect(notes).toHaveLength(1);
    expect(notes[0]).toContain('p@>=v1.0.0');
  });
});

describe('fetch', () => {
  test('reads package.yaml and returns the digests of its image', async () => {
    const bytes = new TextEncoder().encode(P1);
    const image = await buildImage(bytes);
    expect(await fetch('xpkg.io/a/p', 'v1.0.0')).toMatchObject({
      digest: image.manifest.digest,
      baseLayer: image.layer.digest,
      packageYaml: sha256(bytes),
      contents: { metas: [{ kind: 'Provider' }], objects: [{ name: 'buckets.acme.io' }] },
    });
  });

  test('a digest finds the folder with that image', async () => {
    const byTag = await fetch('xpkg.io/a/p', 'v1.1.0');
    expect(await fetch('xpkg.io/a/p', byTag!.digest!)).toEqual(byTag);
    expect(await fetch('xpkg.io/a/p', `sha256:${'0'.repeat(64)}`)).toBeUndefined();
  });

  test('the digest in a folder name is trusted, with a note', async () => {
    const found = await fetch('xpkg.io/a/p', `sha256:${HEX}`);
    expect(found).toMatchObject({
      digest: `sha256:${HEX}`,
      contents: { metas: [{ name: 'old' }] },
    });
    expect(found!.baseLayer).toBeUndefined();
    expect(found!.notes).toHaveLength(1);
  });

  test('joins the files on disk: meta first, then by path, as a build would', async () => {
    const found = await fetch('xpkg.io/a/cfg', 'v1.0.0');
    expect(found!.contents.metas.map(({ name }) => name)).toEqual(['cfg']);
    expect(found!.contents.objects.map(({ name }) => name)).toEqual(
      ['upper', 'as', 'xs', 'bs'].map((plural) => `${plural}.acme.io`),
    );
    const stream = [meta('Configuration', 'cfg'), crd('upper'), crd('as'), crd('xs'), crd('bs')];
    expect(found!.packageYaml).toBe(sha256(`---\n${stream.map((doc) => `${doc}---\n`).join('')}`));
  });

  test.each([
    { repository: 'xpkg.io/a/p', version: 'v1.2.0', why: 'a folder without a package' },
    { repository: 'xpkg.io/a/p', version: '>=v1.0.0', why: 'a constraint' },
    { repository: 'xpkg.io/a/p', version: '../p@v1.0.0', why: 'a path for a version' },
    { repository: '../outside/secret', version: 'v1.0.0', why: 'outside' },
  ])('$version of $repository is missing: $why', async ({ repository, version }) => {
    expect(await fetch(repository, version)).toBeUndefined();
  });
});

test('a folder of objects without a meta document is reported as incomplete', async () => {
  const cache = join(folder, 'cli-cache');
  await mkdir(join(cache, 'xpkg.io/a/p@v1.0.0'), { recursive: true });
  await writeFile(join(cache, 'xpkg.io/a/p@v1.0.0/package.yaml'), crd('as'));
  const kept = await openDir(cache);
  const found = await kept.fetch({ repository: 'xpkg.io/a/p', version: 'v1.0.0' }, target);
  expect(judge(found!.contents, target)).toMatchObject({
    rejected: true,
    findings: [{ message: expect.stringMatching(/no package meta.*cache.*registry/) as string }],
  });
});

test('lists its repositories', async () => {
  expect(await source.repositories!()).toEqual([
    'host:5000/a/b',
    'xpkg.io/a/cfg',
    'xpkg.io/a/p',
    'xpkg.io/a/p-s3',
    'xpkg.io/a/p/deep',
  ]);
});

test('finds owners of a CRD by reading every package', async () => {
  expect(await source.owners!({ crd: 'buckets.acme.io' }, target)).toEqual([
    { repository: 'xpkg.io/a/p', versions: ['v1.0.0'] },
  ]);
});

test.each([
  { path: 'nowhere', why: 'no such folder' },
  { path: 'root/xpkg.io/a/p@v1.0.0/package.yaml', why: 'a file' },
])('rejects $path as a usage error: $why', async ({ path }) => {
  await expect(openDir(join(folder, path))).rejects.toBeInstanceOf(InputError);
});
