import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type {
  IndexFile,
  IndexPackage,
  IndexVersion,
} from '../../../src/sources/index/index-file.js';
import { judge } from '../../../src/crossplane/packages/admission.js';
import type { PackageSource } from '../../../src/sources/package-source.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { openDir } from '../../../src/sources/dir-source.js';
import { parseIndex } from '../../../src/sources/index/index-source.js';
import { formatIndex, buildIndex } from '../../../src/sources/index/make-index.js';
import { memorySource } from '../../../src/sources/memory-source.js';

const TARGETS = ['v1.14.0', 'v1.16.0', 'v1.20.0', 'v2.0.0', 'v2.1.0', 'v2.3.4'].map((version) =>
  targetFor(version)!,
);
const target = TARGETS.at(-1)!;

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'same-'))));
afterAll(() => rm(folder, { recursive: true }));

/** The results for every target and version, without positions in files. */
async function verdicts(source: PackageSource, repositories: readonly string[]): Promise<unknown> {
  const said: Record<string, unknown> = {};
  for (const repository of repositories) {
    for (const version of (await source.tags(repository, target))!.toSorted()) {
      const { contents } = (await source.fetch({ repository, version }, target))!;
      for (const each of TARGETS) {
        const verdict = judge(contents, each, { compat: false });
        said[`${repository} ${version} ${each.version}`] =
          'rejected' in verdict
            ? 'rejected'
            : {
                ...verdict,
                requirements: verdict.requirements.map((one) => ({ ...one, line: undefined })),
                findings: [],
              };
      }
    }
  }
  return said;
}

async function throughIndex(source: PackageSource): Promise<PackageSource> {
  const index = await buildIndex(source, await source.repositories!(), target);
  return memorySource(parseIndex(new TextEncoder().encode(formatIndex(index)), 'index'));
}

describe('an index of the fixture packages', () => {
  test('gives every target the same results as its folder', async () => {
    const dir = await openDir(join(import.meta.dirname, '../../../fixtures/packages'));
    const repositories = await dir.repositories!();
    expect(repositories.length).toBeGreaterThan(5);
    const index = await throughIndex(dir);
    expect(await index.repositories!()).toEqual(repositories);
    expect(await verdicts(index, repositories)).toEqual(await verdicts(dir, repositories));
  });

  test('has the same digests', async () => {
    const dir = await openDir(join(import.meta.dirname, '../../../fixtures/packages'));
    const index = await throughIndex(dir);
    for (const repository of await dir.repositories!()) {
      for (const version of (await dir.tags(repository, target))!) {
        const want = (await dir.fetch({ repository, version }, target))!;
        const have = (await index.fetch({ repository, version }, target))!;
        expect([have.digest, have.baseLayer, have.packageYaml]).toEqual([
          want.digest,
          want.baseLayer,
          want.packageYaml,
        ]);
        expect(await index.fetch({ repository, version: want.digest! }, target)).toEqual(have);
      }
    }
  });
});

const word = fc.constantFrom('a', 'b', 'aws', 'x-1');
const version = fc.record(
  {
    crossplane: fc.constantFrom('>=v1.0.0', '^2', 'nonsense'),
    dependsOn: fc.array(
      fc.record({
        provider: word.map((name) => `xpkg.io/${name}`),
        version: fc.constantFrom('*', '>=v1.0.0'),
      }),
    ),
    crds: fc.uniqueArray(word.map((name) => `${name}.x.io`)),
    xrds: fc.uniqueArray(fc.record({ name: word.map((name) => `x${name}.x.io`) }), {
      selector: ({ name }) => name,
    }),
    compositions: fc.uniqueArray(word),
    compositionSpecs: fc.dictionary(
      word,
      fc.record(
        { mode: fc.constantFrom('Pipeline', 'Resources'), pipeline: fc.boolean() },
        { requiredKeys: ['pipeline'] },
      ),
      { noNullPrototype: true },
    ),
  },
  { requiredKeys: [] },
);
const tag = fc.constantFrom('v1.0.0', 'v1.1.0-rc.1', 'latest', 'v2');
const universe: fc.Arbitrary<IndexFile> = fc
  .dictionary(
    fc.constantFrom('xpkg.io/a', 'xpkg.io/a/b', 'host:5000/a', 'plain'),
    fc.record({
      kind: fc.constantFrom('Provider', 'Configuration', 'Function'),
      versions: fc.dictionary(tag, version, { minKeys: 1, noNullPrototype: true }),
    }),
    { noNullPrototype: true },
  )
  .map((packages) => ({ packages }));

const named = (apiVersion: string, kind: string, name: string, spec: object) => ({
  apiVersion,
  kind,
  metadata: { name },
  spec,
});
const names = (name: string) => ({ plural: name.split('.')[0], kind: 'K' });

/** The package.yaml of an entry; JSON is YAML. */
function packageYaml(repository: string, held: IndexPackage, entry: IndexVersion): string {
  const group = 'x.io';
  // The version that every release reads.
  const meta = `meta.pkg.crossplane.io/${held.kind === 'Function' ? 'v1beta1' : 'v1'}`;
  const documents = [
    named(meta, held.kind, repository.split('/').at(-1)!, {
      ...(entry.crossplane !== undefined && { crossplane: { version: entry.crossplane } }),
      dependsOn: entry.dependsOn ?? [],
    }),
    ...(entry.crds ?? []).map((name) =>
      named('apiextensions.k8s.io/v1', 'CustomResourceDefinition', name, {
        group,
        names: names(name),
        versions: [],
      }),
    ),
    ...(entry.xrds ?? []).map(({ name }) =>
      named('apiextensions.crossplane.io/v1', 'CompositeResourceDefinition', name, {
        group,
        names: names(name),
        versions: [],
      }),
    ),
    ...(entry.compositions ?? []).map((name) =>
      named('apiextensions.crossplane.io/v1', 'Composition', name, {
        mode: entry.compositionSpecs?.[name]?.mode,
        pipeline: (entry.compositionSpecs?.[name]?.pipeline ?? true) ? [{ step: 'a' }] : [],
      }),
    ),
  ];
  return documents.map((document) => `---\n${JSON.stringify(document)}\n`).join('');
}

let runs = 0;
async function asFolder({ packages }: IndexFile): Promise<PackageSource> {
  const root = join(folder, `${runs++}`);
  await mkdir(root);
  for (const [repository, held] of Object.entries(packages)) {
    for (const [tag, entry] of Object.entries(held.versions)) {
      const file = join(root, `${repository.replace(':', '@')}@${tag}`, 'package.yaml');
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, packageYaml(repository, held, entry));
    }
  }
  return openDir(root);
}

test('memory, index and folder sources with the same packages give the same results', async () => {
  await fc.assert(
    fc.asyncProperty(universe, async (generated) => {
      const memory = memorySource(generated);
      const dir = await asFolder(generated);
      const repositories = await memory.repositories!();
      expect(await dir.repositories!()).toEqual(repositories);
      const said = await verdicts(memory, repositories);
      expect(await verdicts(await throughIndex(memory), repositories)).toEqual(said);
      expect(await verdicts(dir, repositories)).toEqual(said);
      for (const crd of ['a.x.io', 'xb.x.io']) {
        const owners = await memory.owners!({ crd }, target);
        expect(await dir.owners!({ crd }, target)).toEqual(owners);
      }
    }),
    { numRuns: 40 },
  );
});
