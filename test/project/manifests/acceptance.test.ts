import { describe, expect, test } from 'vitest';
import {
  acceptanceProblems,
  type AcceptanceRule,
  type Output,
} from '../../../src/project/manifests/acceptance.js';
import type { LockedPackage, Lockfile } from '../../../src/project/lockfile/lockfile.js';
import type { JsonObject } from '../../../src/base/json.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { render, type RenderOptions } from '../../../src/project/manifests/render.js';
import { digestOf, locked, lockfileOf, needs } from '../../support/lockfiles.js';

function outputOf(lockfile: Lockfile, options: RenderOptions = {}): Output {
  const target = options.target ?? targetFor(lockfile.crossplane)!;
  const { bundle, lock } = render(lockfile, options);
  return { lockfile, target, objects: bundle.objects, lock };
}

function rulesBroken(output: Output): readonly AcceptanceRule[] {
  return [...new Set(acceptanceProblems(output).map(({ rule }) => rule))];
}

const cfg = (...requirements: readonly string[]) =>
  locked('x.io/a/cfg:v1.0.0', {
    kind: 'Configuration',
    direct: true,
    requirements: requirements.map(needs),
  });
const p = locked('x.io/a/p:v1.2.0', { crossplane: '>=v1.14.0' });
const good = lockfileOf([cfg('x.io/a/p >=v1.0.0'), p]);

/** Returns the output with the spec of the object `name` changed. */
function withSpec(output: Output, name: string, change: (spec: JsonObject) => JsonObject): Output {
  const objects = output.objects.map((object) =>
    (object['metadata'] as JsonObject)['name'] === name
      ? { ...object, spec: change(object['spec'] as JsonObject) }
      : object,
  );
  return { ...output, objects };
}

function withLock(
  output: Output,
  change: (rows: readonly JsonObject[]) => readonly JsonObject[],
): Output {
  const rows = output.lock!['packages'] as readonly JsonObject[];
  return { ...output, lock: { ...output.lock, packages: change(rows) } };
}

describe('rendered output is accepted', () => {
  const imageConfig: JsonObject = {
    apiVersion: 'pkg.crossplane.io/v1beta1',
    kind: 'ImageConfig',
    metadata: { name: 'mirror' },
    spec: { matchImages: [{ prefix: 'x.io' }], rewriteImage: { prefix: 'm.io/x' } },
  };
  const byDigest = locked(`x.io/a/p@${digestOf('p')}`);
  test.each([
    { lockfile: good, why: 'a set' },
    { lockfile: { ...good, crossplane: 'v1.14.0' }, why: 'for an old release' },
    { lockfile: { ...good, objects: [imageConfig] }, why: 'with a kept object' },
    { lockfile: lockfileOf([cfg(`x.io/a/p ${digestOf('p')}`), byDigest]), why: 'by digest' },
    { lockfile: lockfileOf([]), why: 'nothing at all' },
  ])('$why', ({ lockfile }) => {
    expect(acceptanceProblems(outputOf(lockfile))).toEqual([]);
  });

  test('pinned by digest: no range is checked', () => {
    expect(acceptanceProblems(outputOf(good, { pin: 'digest' }))).toEqual([]);
  });

  test('pinned by ImageConfigs, together with a mirror', () => {
    const output = outputOf({ ...good, objects: [imageConfig] }, { pin: 'locked' });
    expect(acceptanceProblems({ ...output, pinned: true })).toEqual([]);
  });

  test('a cycle: no order is checked', () => {
    const cycle = [
      cfg('x.io/a/p *'),
      { ...p, requirements: [needs('Configuration x.io/a/cfg *')] },
    ];
    const lockfile = lockfileOf(cycle, { skipDependencyResolution: ['--allow-cycles'] });
    expect(acceptanceProblems(outputOf(lockfile))).toEqual([]);
  });

  test('a dependency with the name of an earlier lockfile', () => {
    const output = outputOf(lockfileOf([cfg('x.io/a/p *'), { ...p, name: 'mine' }]));
    expect(rulesBroken(output)).toEqual(['object-name']);
    expect(rulesBroken({ ...output, keptNames: new Set(['mine']) })).toEqual([]);
  });
});

function set(...packages: readonly LockedPackage[]): Lockfile {
  return lockfileOf(packages);
}

describe('lockfiles that a cluster would reject', () => {
  const crd = { kind: 'CRD', name: 'things.acme.dev' } as const;
  const q = locked('x.io/a/q:v1.0.0');
  const twin = locked('y.io/a/p:v1.0.0');
  test.each([
    {
      rule: 'dependency-missing',
      lockfile: set(cfg('docker.io/a/p *'), locked('index.docker.io/a/p:v1.0.0')),
      why: 'one repository in two spellings',
    },
    { rule: 'dependency-missing', lockfile: set(cfg('x.io/a/p *')), why: 'a dependency left out' },
    {
      rule: 'dependency-version',
      lockfile: set(cfg('x.io/a/p >=v2.0.0'), p),
      why: 'a range that does not admit it',
    },
    {
      rule: 'dependency-version',
      lockfile: set(cfg('x.io/a/p *'), locked('x.io/a/p:main')),
      why: 'a tag that is no version',
    },
    {
      rule: 'dependency-version',
      lockfile: set(cfg('x.io/a/p >=1 <2'), { ...p, crossplane: undefined }),
      release: 'v2.2.4',
      why: 'no range in that dialect',
    },
    {
      rule: 'dependency-version',
      lockfile: set(cfg(`x.io/a/p ${p.digest}`), p),
      why: 'a digest, installed by tag',
    },
    {
      rule: 'dependency-version',
      lockfile: set(cfg('x.io/a/p *'), locked(`x.io/a/p@${digestOf('p')}`)),
      why: 'a range, installed by digest',
    },
    {
      rule: 'root-by-digest',
      lockfile: set(cfg('x.io/a/p *'), locked(`x.io/a/p@${digestOf('p')}`, { direct: true })),
      why: 'a root by digest that a range wants',
    },
    {
      rule: 'crossplane-constraint',
      lockfile: set({ ...p, crossplane: '>=v3.0.0' }),
      why: 'a later Crossplane',
    },
    {
      rule: 'crossplane-constraint',
      lockfile: set(p),
      release: 'v1.20.0-up.1',
      why: 'a build with a suffix is a prerelease',
    },
    {
      rule: 'dependency-cycle',
      lockfile: set(cfg('x.io/a/p *'), {
        ...p,
        requirements: [needs('Configuration x.io/a/cfg *')],
      }),
      why: 'a cycle',
    },
    {
      rule: 'dependency-cycle',
      lockfile: set({ ...p, requirements: [needs('x.io/a/p *')] }),
      why: 'a package that needs itself',
    },
    { rule: 'dependency-kind', lockfile: set(cfg('Function x.io/a/p *'), p), why: 'another kind' },
    {
      rule: 'two-owners',
      lockfile: set({ ...p, owns: [crd] }, { ...q, owns: [crd] }),
      why: 'two owners of one CRD',
    },
    {
      rule: 'two-owners',
      lockfile: set({ ...p, owns: [crd] }, { ...q, owns: [{ ...crd, kind: 'claim' }] }),
      why: 'a claim has a CRD too',
    },
    { rule: 'package-reference', lockfile: set(locked('a/p:v1.0.0')), why: 'no registry' },
    {
      rule: 'package-reference',
      lockfile: set(locked('localhost:5000/a/p:v1.0.0')),
      why: 'no dot in the host',
    },
    { rule: 'object-name', lockfile: set({ ...p, name: 'p' }), why: "not Crossplane's name" },
    {
      rule: 'object-name',
      lockfile: set(p, { ...twin, name: 'a-p-other' }),
      why: 'not the suffix for a collision',
    },
    {
      rule: 'object-name',
      lockfile: set({ ...p, direct: true, name: 'n'.repeat(64) }),
      why: 'too long',
    },
    {
      rule: 'object-name',
      lockfile: set({ ...p, direct: true, name: 'a..b' }),
      why: 'no DNS subdomain',
    },
  ] as const)('$rule: $why', ({ rule, lockfile, ...rest }) => {
    const crossplane = 'release' in rest ? rest.release : lockfile.crossplane;
    expect(rulesBroken(outputOf({ ...lockfile, crossplane }))).toEqual([rule]);
  });

  test('object-name: one name for two kinds', () => {
    const lockfile = set(
      { ...p, name: 'one', direct: true },
      { ...q, kind: 'Function', name: 'one', direct: true },
    );
    expect(rulesBroken(outputOf(lockfile))).toEqual(['object-name']);
  });
});

describe('wrong output', () => {
  const output = outputOf(good);
  const pinned = { ...outputOf(good, { pin: 'locked' }), pinned: true };
  const digest = digestOf('x.io/a/p:v1.2.0');
  test.each([
    {
      rules: ['not-as-locked', 'dependency-missing'],
      bad: { ...output, objects: output.objects.slice(1), lock: undefined },
      why: 'a package not rendered',
    },
    {
      rules: ['source-repeated'],
      bad: { ...output, objects: [output.objects[0]!, ...output.objects], lock: undefined },
      why: 'a package rendered twice',
    },
    {
      rules: ['mixed-skips'],
      bad: withSpec(output, 'a-p', (spec) => ({ ...spec, skipDependencyResolution: true })),
      why: 'one that skips',
    },
    {
      rules: ['not-as-locked', 'dependency-missing', 'package-reference'],
      bad: {
        ...withSpec(output, 'a-p', () => ({ package: `x.io/a/p:v1.2.0@${digest}` })),
        lock: undefined,
      },
      why: 'tag and digest',
    },
    {
      rules: ['image-pin'],
      bad: { ...pinned, objects: pinned.objects.slice(1) },
      why: 'a tag without its pin',
    },
    {
      rules: ['image-pin'],
      bad: withSpec(pinned, 'pin-a-p', (spec) => ({
        ...spec,
        rewriteImage: { prefix: `x.io/a/p@${digestOf('another')}` },
      })),
      why: 'a pin to another digest',
    },
    {
      rules: ['image-pin'],
      bad: withSpec(pinned, 'pin-a-p', (spec) => ({
        ...spec,
        matchImages: [{ prefix: 'x.io/a/p:v1' }],
      })),
      why: 'a pin of a part of the tag',
    },
    { rules: ['lock-row'], bad: withLock(output, (rows) => rows.slice(1)), why: 'a row missing' },
    {
      rules: ['lock-row'],
      bad: withLock(output, (rows) => [...rows, rows[0]!]),
      why: 'a row twice',
    },
    {
      rules: ['lock-row'],
      bad: withLock(output, (rows) => rows.map((row) => ({ ...row, name: 'x' }))),
      why: 'rows of other names',
    },
    {
      rules: ['lock-row'],
      bad: withLock(output, (rows) => rows.map((row) => ({ ...row, dependencies: null }))),
      why: 'no list of dependencies',
    },
    {
      rules: ['lock-row'],
      bad: withLock(output, (rows) => rows.map((row) => ({ ...row, type: 'Provider' }))),
      why: 'the flavour of another release',
    },
    {
      rules: ['lock-row'],
      bad: { ...output, lock: { ...output.lock, metadata: { name: 'locks' } } },
      why: 'another Lock',
    },
    {
      rules: ['apply-order'],
      bad: { ...output, objects: [...output.objects].reverse() },
      why: 'dependents first',
    },
    {
      rules: ['apply-order'],
      bad: {
        ...output,
        objects: [...output.objects, { kind: 'ImageConfig', metadata: { name: 'late' } }],
      },
      why: 'an ImageConfig after packages',
    },
  ])('$rules: $why', ({ rules: want, bad }) => {
    expect(rulesBroken(bad)).toEqual(want);
  });
});
