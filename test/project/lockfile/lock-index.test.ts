import { expect, test } from 'vitest';
import { lockIndex } from '../../../src/project/lockfile/format-lockfile.js';
import type { LockedPackage } from '../../../src/project/lockfile/lockfile.js';
import { judge } from '../../../src/crossplane/packages/admission.js';
import type { Requirement } from '../../../src/crossplane/packages/package-meta.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { digestOf, locked, lockfileOf, needs } from '../../support/lockfiles.js';

const target = targetFor('v2.3.4')!;

const explicit: Requirement = {
  ...needs('Function xpkg.io/a/f >=v1.0.0'),
  apiVersion: 'pkg.crossplane.io/v1',
};
const mapping = { apiVersion: 'a.example.org/v1', kind: 'Bucket' };
const byName = {
  requires: 'crd',
  demand: { crd: 'a.b.org' },
  text: 'a.b.org',
  line: undefined,
} as const;
const byKind: Requirement = {
  requires: 'crd',
  demand: { group: 'a.example.org', version: 'v1', kind: 'Bucket' },
  text: JSON.stringify(mapping),
  line: undefined,
};

test.each<{ why: string; parts: Partial<LockedPackage> }>([
  {
    why: 'digests',
    parts: {
      manifest: digestOf('m'),
      baseLayer: digestOf('b'),
      packageYaml: digestOf('y'),
      crossplane: '>=v1.0.0',
    },
  },
  {
    why: 'every way to depend',
    parts: { requirements: [needs('xpkg.io/a/q ^v1.0.0'), explicit, byName, byKind] },
  },
  {
    why: 'what a provider owns',
    parts: {
      owns: [
        { kind: 'CRD', name: 'a.b.org' },
        { kind: 'MRD', name: 'c.b.org' },
      ],
    },
  },
  {
    why: 'claims, fewer than XRDs and in two groups',
    parts: {
      kind: 'Configuration',
      owns: [
        { kind: 'Composition', name: 'x' },
        { kind: 'XRD', name: 'xa.one.org' },
        { kind: 'XRD', name: 'xb.one.org' },
        { kind: 'XRD', name: 'xc.two.org' },
        { kind: 'claim', name: 'b.one.org' },
        { kind: 'claim', name: 'c.two.org' },
      ],
    },
  },
])('a lockfile as a source has the same packages: $why', async ({ parts }) => {
  const { repository, version, ...want } = locked('xpkg.io/a/p:v1.0.0', parts);
  const source = memorySource(lockIndex(lockfileOf([{ repository, version, ...want }])));
  expect(await source.tags(repository, target)).toEqual(['v1.0.0']);
  const { contents, ...digests } = (await source.fetch({ repository, version }, target))!;
  expect(want).toMatchObject(digests);
  const { kind, crossplane, requirements, owns } = want;
  expect(judge(contents, target, { compat: true })).toMatchObject({
    kind,
    crossplane,
    requirements,
    owns,
  });
});
