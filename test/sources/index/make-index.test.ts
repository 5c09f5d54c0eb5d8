import { describe, expect, test } from 'vitest';
import type { IndexVersion } from '../../../src/sources/index/index-file.js';
import type {
  PackageContents,
  PackageObject,
} from '../../../src/crossplane/packages/package-contents.js';
import type { PackageSource } from '../../../src/sources/package-source.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { parseIndex } from '../../../src/sources/index/index-source.js';
import { formatIndex, buildIndex } from '../../../src/sources/index/make-index.js';
import { memorySource } from '../../../src/sources/memory-source.js';

const target = targetFor('v2.3.4')!;
const A = 'xpkg.io/acme/a';
const candidate = { repository: A, version: 'v1.0.0' };

const plain: PackageContents = {
  metas: [
    {
      apiVersion: 'meta.pkg.crossplane.io/v1',
      kind: 'Provider',
      name: 'a',
      labels: {},
      annotations: {},
      crossplane: undefined,
      dependsOn: [],
      capabilities: [],
    },
  ],
  objects: [],
  problems: [],
  warnings: [],
};
const withMeta = (meta: Partial<PackageContents['metas'][0]>): PackageContents => ({
  ...plain,
  metas: [{ ...plain.metas[0]!, ...meta }],
});
const withObjects = (...objects: PackageObject[]): PackageContents => ({ ...plain, objects });

function sourceOf(contents: PackageContents): PackageSource {
  return {
    tags: () => Promise.resolve(['v1.0.0']),
    fetch: () => Promise.resolve({ contents, digest: undefined }),
  };
}

async function entryOf(contents: PackageContents): Promise<IndexVersion | undefined> {
  const index = await buildIndex(sourceOf(contents), [A], target);
  return index.packages[A]?.versions['v1.0.0'];
}

const CRD = { kind: 'CustomResourceDefinition', name: 'as.x.io' };
const XRD = { kind: 'CompositeResourceDefinition', name: 'xs.x.io' };
const defines = { group: 'x.io', kind: 'A', versions: ['v1'] };

const CASES: readonly { contents: PackageContents; want: IndexVersion; why: string }[] = [
  { contents: plain, want: {}, why: 'what every target takes goes without saying' },
  {
    contents: withMeta({ kind: 'Function' }),
    want: { apiVersion: 'meta.pkg.crossplane.io/v1' },
    why: 'a Function of v1 is not read by every release',
  },
  {
    contents: withMeta({ name: 'other', labels: { x: 'y' }, capabilities: ['safe-start'] }),
    want: { name: 'other', labels: { x: 'y' }, capabilities: ['safe-start'] },
    why: 'what a meta says of itself',
  },
  {
    contents: withMeta({ crossplane: { version: '>=v1.0.0' }, dependsOn: [{ x: 1 }, 'y'] }),
    want: { crossplane: '>=v1.0.0', dependsOn: [{ x: 1 }, 'y'] },
    why: 'dependsOn is verbatim',
  },
  {
    contents: withMeta({ crossplane: 'v1.0.0', decodeError: 'no' }),
    want: { crossplaneAsWritten: 'v1.0.0', decodeError: 'no' },
    why: 'what Crossplane refuses stays refused',
  },
  {
    contents: withObjects(
      { ...CRD, apiVersion: 'apiextensions.k8s.io/v1', defines },
      { ...CRD, name: 'Bs.x.io', apiVersion: 'apiextensions.k8s.io/v1beta1' },
    ),
    want: { crds: ['Bs.x.io', 'as.x.io'], defines: { 'as.x.io': defines } },
    why: 'CRDs by name, sorted',
  },
  {
    contents: withObjects(
      { ...XRD, apiVersion: 'apiextensions.crossplane.io/v1', claimCrd: 's.x.io', claimKind: 'S' },
      { ...XRD, name: 'ys.x.io', apiVersion: 'apiextensions.crossplane.io/v2', defines },
    ),
    want: {
      xrds: [
        { name: 'xs.x.io', claim: 's.x.io', claimKind: 'S' },
        { name: 'ys.x.io', apiVersion: 'apiextensions.crossplane.io/v2', defines },
      ],
    },
    why: 'an XRD of v2 is not read by every release',
  },
  {
    contents: withObjects(
      { apiVersion: 'apiextensions.crossplane.io/v1', kind: 'Composition', name: 'c' },
      { apiVersion: 'ops.crossplane.io/v1alpha1', kind: 'Operation', name: 'o' },
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'm' },
    ),
    want: {
      compositions: ['c'],
      objects: [
        { kind: 'ConfigMap', name: 'm', apiVersion: 'v1' },
        { kind: 'Operation', name: 'o', apiVersion: 'ops.crossplane.io/v1alpha1' },
      ],
    },
    why: 'whatever else is in it',
  },
  {
    contents: withObjects(
      {
        apiVersion: 'apiextensions.crossplane.io/v1',
        kind: 'Composition',
        name: 'b',
        composition: { pipeline: false },
      },
      {
        apiVersion: 'apiextensions.crossplane.io/v1',
        kind: 'Composition',
        name: 'a',
        composition: { mode: 'Pipeline', pipeline: true },
      },
    ),
    want: {
      compositions: ['a', 'b'],
      compositionSpecs: { a: { mode: 'Pipeline', pipeline: true }, b: { pipeline: false } },
    },
    why: 'what decides which releases accept a Composition',
  },
  {
    contents: { ...plain, problems: [{ message: 'cut short', line: 7 }] },
    want: { problems: ['cut short'] },
    why: 'a stream that breaks off',
  },
];

describe('an entry has', () => {
  test.each(CASES)('$want: $why', async ({ contents, want }) => {
    const labels = contents.metas[0]?.kind === 'Provider' && { labels: {} };
    expect(await entryOf(contents)).toEqual({ ...labels, ...want });
  });

  test.each([0, 2])(
    'a package with %d metas has the problem that no release can read it',
    async (count) => {
      const metas = Array.from({ length: count }, () => plain.metas[0]!);
      expect(await entryOf({ ...plain, metas })).toMatchObject({ problems: [expect.any(String)] });
    },
  );
});

test.each(CASES)('reading and writing it again changes nothing: $why', async ({ contents }) => {
  const text = formatIndex(await buildIndex(sourceOf(contents), [A], target));
  const back = memorySource(parseIndex(new TextEncoder().encode(text), 'index'));
  expect(formatIndex(await buildIndex(back, [A], target))).toBe(text);
  const found = await back.fetch(candidate, target);
  expect(found!.contents.metas[0]).toMatchObject({
    kind: contents.metas[0]!.kind,
    name: contents.metas[0]!.name,
    dependsOn: contents.metas[0]!.dependsOn,
    crossplane: contents.metas[0]!.crossplane,
  });
  expect(new Set(found!.contents.objects.map(({ kind, name }) => `${kind} ${name}`))).toEqual(
    new Set(contents.objects.map(({ kind, name }) => `${kind} ${name}`)),
  );
});

test('an unknown repository is omitted', async () => {
  const empty = memorySource({ packages: {} });
  expect(await buildIndex(empty, [A], target)).toEqual({ packages: {} });
});
