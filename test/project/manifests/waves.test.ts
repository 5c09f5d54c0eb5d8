import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { annotationsOf, bundleOf } from '../../../src/project/manifests/bundle.js';
import {
  withSyncAnnotations,
  WAVE_ANNOTATION,
  wavesOf,
} from '../../../src/project/manifests/argocd.js';
import { nameOf } from '../../../src/project/manifests/object-names.js';
import type { LockedPackage, Lockfile } from '../../../src/project/lockfile/lockfile.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import type { JsonObject } from '../../../src/base/json.js';
import { locked, lockfileOf, needs } from '../../support/lockfiles.js';

const target = targetFor('v2.3.4')!;
const OPTIONS = 'argocd.argoproj.io/sync-options';

function withAnnotations(annotations: JsonObject): Partial<LockedPackage> {
  return { object: { apiVersion: undefined, metadata: { annotations }, spec: {} } };
}

function config(name: string, annotations?: JsonObject): JsonObject {
  return {
    apiVersion: 'pkg.crossplane.io/v1beta1',
    kind: 'DeploymentRuntimeConfig',
    metadata: { name, ...(annotations && { annotations }) },
    spec: {},
  };
}

/** Returns waves by object name. */
function wavesIn(lockfile: Lockfile) {
  const bundle = bundleOf(lockfile, target, 'tag');
  const { of, warnings } = wavesOf(lockfile, bundle);
  return { waves: Object.fromEntries(Array.from(of, ([o, wave]) => [nameOf(o), wave])), warnings };
}

const chain = [
  locked('x.io/a/base:v1.0.0'),
  locked('x.io/a/mid:v1.0.0', { requirements: [needs('x.io/a/base *')] }),
  locked('x.io/a/top:v1.0.0', {
    kind: 'Configuration',
    requirements: [needs('x.io/a/base *'), needs('x.io/a/mid *')],
  }),
];

test('extra manifests come first, then each package after its dependencies', () => {
  const { waves, warnings } = wavesIn(lockfileOf(chain, { objects: [config('big')] }));
  expect(waves).toEqual({ big: -20, 'a-base': -19, 'a-mid': -18, 'a-top': -17 });
  expect(warnings).toEqual([]);
});

test('a wave of the user is kept, and later objects move up', () => {
  const given = [{ ...chain[0]!, ...withAnnotations({ [WAVE_ANNOTATION]: '3' }) }, chain[1]!];
  expect(wavesIn(lockfileOf(given))).toEqual({ waves: { 'a-base': 3, 'a-mid': 4 }, warnings: [] });
});

test.each([
  { given: '-19', why: 'the same wave is not before' },
  { given: '-40', why: 'earlier than what it needs' },
])('a wave that conflicts with the order is kept, with a warning: $why', ({ given }) => {
  const late = [chain[0]!, { ...chain[1]!, ...withAnnotations({ [WAVE_ANNOTATION]: given }) }];
  const { waves, warnings } = wavesIn(lockfileOf(late));
  expect(waves['a-mid']).toBe(Number(given));
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain('`a-mid`');
  expect(warnings[0]).toContain('`a-base`');
});

test('a runtime config in a later wave than its package causes a warning', () => {
  const objects = [config('big', { [WAVE_ANNOTATION]: '5' })];
  const first = { ...chain[0]!, ...withAnnotations({ [WAVE_ANNOTATION]: '0' }) };
  expect(wavesIn(lockfileOf([first], { objects })).warnings[0]).toContain('`big`');
});

test('a wave that is not an integer counts as 0, with a warning', () => {
  const odd = { ...chain[0]!, ...withAnnotations({ [WAVE_ANNOTATION]: 'soon' }) };
  const { waves, warnings } = wavesIn(lockfileOf([odd, chain[1]!]));
  expect(waves).toEqual({ 'a-base': 0, 'a-mid': 1 });
  expect(warnings[0]).toContain('soon');
});

test('members of a cycle share a wave', () => {
  const cycle = lockfileOf([
    locked('x.io/a/one:v1.0.0', { requirements: [needs('x.io/a/two *')] }),
    locked('x.io/a/two:v1.0.0', { requirements: [needs('x.io/a/one *')] }),
    locked('x.io/a/user:v1.0.0', { requirements: [needs('x.io/a/one *')] }),
  ]);
  expect(wavesIn(cycle)).toEqual({
    waves: { 'a-one': -19, 'a-two': -19, 'a-user': -18 },
    warnings: [],
  });
});

test('for graphs of any depth, waves from 0 on stay free and dependencies have lower waves', () => {
  // Distances to the packages that each package requires. Small distances make deep graphs.
  const graphs = fc
    .record({ step: fc.integer({ min: 1, max: 8 }), size: fc.integer({ min: 1, max: 60 }) })
    .chain(({ step, size }) =>
      fc.array(fc.array(fc.integer({ min: 1, max: step }), { minLength: 1, maxLength: 3 }), {
        minLength: size,
        maxLength: size,
      }),
    );
  const deepest: number[] = [];
  fc.assert(
    fc.property(graphs, (steps) => {
      const edges = steps.map((back, n) => back.map((step) => n - step).filter((m) => m >= 0));
      const depths: number[] = [];
      for (const below of edges) depths.push(Math.max(0, ...below.map((m) => depths[m]! + 1)));
      deepest.push(Math.max(...depths));
      const packages = edges.map((below, n) => {
        const requirements = below.map((m) => needs(`x.io/a/p${m} *`));
        return locked(`x.io/a/p${n}:v1.0.0`, { requirements });
      });
      const { waves, warnings } = wavesIn(lockfileOf(packages, { objects: [config('big')] }));
      expect(warnings).toEqual([]);
      expect(Math.max(...Object.values(waves))).toBeLessThan(0);
      for (const [n, below] of edges.entries()) {
        expect(waves[`a-p${n}`]).toBeGreaterThan(waves['big']!);
        for (const m of below) expect(waves[`a-p${n}`]).toBeGreaterThan(waves[`a-p${m}`]!);
      }
    }),
  );
  // The first wave is lower for deeper graphs.
  const deep = deepest.filter((depth) => depth > 18);
  expect(deep.length).toBeGreaterThan(deepest.length / 10);
  expect(deep.length).toBeLessThan(deepest.length);
});

test('options of the user stay; deleting owners of CRDs needs a confirmation', () => {
  const lockfile = lockfileOf([
    locked('x.io/a/f:v1.0.0', { kind: 'Function' }),
    locked('x.io/a/p:v1.0.0'),
    locked('x.io/a/q:v1.0.0', withAnnotations({ [OPTIONS]: 'Prune=false, Replace=true' })),
  ]);
  const { objects } = withSyncAnnotations(bundleOf(lockfile, target, 'tag'), lockfile, [
    'ServerSideApply=true',
  ]);
  expect(objects.map((object) => annotationsOf(object)[OPTIONS])).toEqual([
    'ServerSideApply=true',
    'ServerSideApply=true,Prune=confirm,Delete=confirm',
    'Prune=false,Replace=true,ServerSideApply=true,Delete=confirm',
  ]);
});
