import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { annotationsOf } from '../../../src/bundle/annotations.js';
import { bundleOf } from '../../../src/bundle/bundle.js';
import { forArgoCd } from '../../../src/bundle/gitops/argocd.js';
import { WAVE_ANNOTATION, wavesOf } from '../../../src/bundle/gitops/waves.js';
import { nameOf } from '../../../src/bundle/object-label.js';
import type { LockedPackage, Lockfile } from '../../../src/lock/lockfile.js';
import { targetFor } from '../../../src/model/target/target.js';
import type { JsonObject } from '../../../src/text/json.js';
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

/** Waves by the name of the object. */
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

test('what packages rely on comes first, then each package after its dependencies', () => {
  const { waves, warnings } = wavesIn(lockfileOf(chain, { objects: [config('big')] }));
  expect(waves).toEqual({ big: -20, 'a-base': -19, 'a-mid': -18, 'a-top': -17 });
  expect(warnings).toEqual([]);
});

test('a wave that is given is kept, and what comes after it moves up', () => {
  const given = [{ ...chain[0]!, ...withAnnotations({ [WAVE_ANNOTATION]: '3' }) }, chain[1]!];
  expect(wavesIn(lockfileOf(given))).toEqual({ waves: { 'a-base': 3, 'a-mid': 4 }, warnings: [] });
});

test.each([
  { given: '-19', why: 'the same wave is not before' },
  { given: '-40', why: 'earlier than what it needs' },
])('a given wave against the order is kept and warned of: $why', ({ given }) => {
  const late = [chain[0]!, { ...chain[1]!, ...withAnnotations({ [WAVE_ANNOTATION]: given }) }];
  const { waves, warnings } = wavesIn(lockfileOf(late));
  expect(waves['a-mid']).toBe(Number(given));
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain('`a-mid`');
  expect(warnings[0]).toContain('`a-base`');
});

test('a config later than a package that relies on it is warned of', () => {
  const objects = [config('big', { [WAVE_ANNOTATION]: '5' })];
  const first = { ...chain[0]!, ...withAnnotations({ [WAVE_ANNOTATION]: '0' }) };
  expect(wavesIn(lockfileOf([first], { objects })).warnings[0]).toContain('`big`');
});

test('a wave that is no integer counts as Argo CD counts it, and is told', () => {
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

test('however deep a set is, waves from 0 on stay free, and every edge goes up', () => {
  const graphs = fc.array(fc.array(fc.nat(40), { maxLength: 3 }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(graphs, (edges) => {
      const packages = edges.map((below, n) => {
        const requirements = below.filter((m) => m < n).map((m) => needs(`x.io/a/p${m} *`));
        return locked(`x.io/a/p${n}:v1.0.0`, { requirements });
      });
      const { waves, warnings } = wavesIn(lockfileOf(packages, { objects: [config('big')] }));
      expect(warnings).toEqual([]);
      expect(Math.max(...Object.values(waves))).toBeLessThan(0);
      for (const [n, below] of edges.entries()) {
        expect(waves[`a-p${n}`]).toBeGreaterThan(waves['big']!);
        for (const m of below)
          if (m < n) expect(waves[`a-p${n}`]).toBeGreaterThan(waves[`a-p${m}`]!);
      }
    }),
  );
});

test('options that are given stay; what takes CRDs with it asks before it goes', () => {
  const lockfile = lockfileOf([
    locked('x.io/a/f:v1.0.0', { kind: 'Function' }),
    locked('x.io/a/p:v1.0.0'),
    locked('x.io/a/q:v1.0.0', withAnnotations({ [OPTIONS]: 'Prune=false, Replace=true' })),
  ]);
  const { objects } = forArgoCd(bundleOf(lockfile, target, 'tag'), lockfile, [
    'ServerSideApply=true',
  ]);
  expect(objects.map((object) => annotationsOf(object)[OPTIONS])).toEqual([
    'ServerSideApply=true',
    'ServerSideApply=true,Prune=confirm,Delete=confirm',
    'Prune=false,Replace=true,ServerSideApply=true,Delete=confirm',
  ]);
});
