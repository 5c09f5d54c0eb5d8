import { describe, expect, test } from 'vitest';
import { journeyBetween } from '../../../src/features/plan/journey.js';
import {
  planJourney,
  type PlannedJourney,
  type PackageMove,
  causeText,
} from '../../../src/features/plan/steps.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import type { LockedPackage } from '../../../src/project/lockfile/lockfile.js';
import { locked, lockfileOf, needs, withSpec } from '../../support/lockfiles.js';

const crd = (name: string) => ({ kind: 'CRD' as const, name });

function stepTexts(plan: PlannedJourney): string[] {
  if (plan.status !== 'planned') return [plan.status, ...plan.causes.map(causeText)];
  return plan.steps.map(({ releaseBefore, release, applied, removed }) =>
    [
      ...(releaseBefore === undefined ? [] : [`crossplane ${release.version}`]),
      ...applied.map(moved),
      ...removed.map(moved),
    ].join(', '),
  );
}

function moved({ repository, from, to }: PackageMove): string {
  const name = repository.split('/').at(-1)!;
  return `${name} ${from?.locked.version ?? 'new'} > ${to?.locked.version ?? 'gone'}`;
}

function plan(
  from: readonly LockedPackage[],
  to: readonly LockedPackage[],
  releases: readonly [string, string] = ['v2.3.4', 'v2.3.4'],
): string[] {
  const [before, after] = [
    lockfileOf(from, { crossplane: releases[0] }),
    lockfileOf(to, { crossplane: releases[1] }),
  ];
  return stepTexts(planJourney(journeyBetween(before, after)));
}

const app = (version: string, wants: string, parts: Partial<LockedPackage> = {}) =>
  locked(`x.io/acme/app:${version}`, {
    kind: 'Configuration',
    requirements: [needs(`x.io/acme/db ${wants}`)],
    ...parts,
  });
const db = (version: string, parts: Partial<LockedPackage> = {}) =>
  locked(`x.io/acme/db:${version}`, parts);

const free = (version: string) => locked(`x.io/acme/free:${version}`);
const requiring = (name: string, ...on: string[]) =>
  locked(`x.io/acme/${name}`, { requirements: on.map((text) => needs(text)) });

describe('the order of steps', () => {
  test('without changes there are no steps', () => {
    expect(
      plan([app('v1.0.0', '^v1.0.0'), db('v1.0.0')], [app('v1.0.0', '^v1.0.0'), db('v1.0.0')]),
    ).toEqual([]);
  });

  test('a requirement of a new version moves first', () => {
    expect(
      plan([app('v1.0.0', '>=v1.0.0'), db('v1.0.0')], [app('v2.0.0', '>=v2.0.0'), db('v2.0.0')]),
    ).toEqual(['db v1.0.0 > v2.0.0', 'app v1.0.0 > v2.0.0']);
  });

  test('a package with a constraint on an old version moves first', () => {
    expect(
      plan([app('v1.0.0', '<v2.0.0'), db('v1.0.0')], [app('v2.0.0', '>=v1.0.0'), db('v2.0.0')]),
    ).toEqual(['app v1.0.0 > v2.0.0', 'db v1.0.0 > v2.0.0']);
  });

  test('independent packages move in one step', () => {
    expect(
      plan([app('v1.0.0', '>=v1.0.0'), db('v1.0.0')], [app('v2.0.0', '>=v1.0.0'), db('v2.0.0')]),
    ).toEqual(['db v1.0.0 > v2.0.0, app v1.0.0 > v2.0.0']);
  });

  test('there is no order if two packages wait for each other', () => {
    expect(
      plan([app('v1.0.0', '^v1.0.0'), db('v1.0.0')], [app('v2.0.0', '^v2.0.0'), db('v2.0.0')]),
    ).toEqual([
      'impossible',
      'x.io/acme/app v1.0.0 requires x.io/acme/db `^v1.0.0`, which v2.0.0 does not fit',
      'x.io/acme/app v2.0.0 requires x.io/acme/db `^v2.0.0`, which v1.0.0 does not fit',
    ]);
  });

  test('a dependency is installed before its dependents, and removed after them', () => {
    const [one, other] = [
      [app('v1.0.0', '^v1.0.0'), db('v1.0.0')],
      [locked('x.io/acme/other:v1.0.0')],
    ];
    expect(plan(other, [...one, ...other])).toEqual(['db new > v1.0.0', 'app new > v1.0.0']);
    expect(plan([...one, ...other], other)).toEqual(['app v1.0.0 > gone', 'db v1.0.0 > gone']);
  });

  test('removals come as late as possible', () => {
    expect(
      plan(
        [app('v1.0.0', '>=v1.0.0'), db('v1.0.0'), locked('x.io/acme/old:v1.0.0')],
        [app('v2.0.0', '>=v2.0.0'), db('v2.0.0')],
      ),
    ).toEqual(['db v1.0.0 > v2.0.0', 'app v1.0.0 > v2.0.0, old v1.0.0 > gone']);
  });

  test('the old owner of a moved CRD releases it first if both packages stay', () => {
    expect(
      plan(
        [db('v1.0.0', { owns: [crd('dbs.acme.io')] }), locked('x.io/acme/core:v1.0.0')],
        [db('v2.0.0'), locked('x.io/acme/core:v2.0.0', { owns: [crd('dbs.acme.io')] })],
      ),
    ).toEqual(['db v1.0.0 > v2.0.0', 'core v1.0.0 > v2.0.0']);
  });

  test('a CRD of a removed owner is handed over in one step, together with the dependents of both owners', () => {
    const monolith = locked('x.io/acme/aws:v1.0.0', { owns: [crd('a.acme.io'), crd('b.acme.io')] });
    const a = locked('x.io/acme/aws-a:v1.0.0', { owns: [crd('a.acme.io')] });
    const b = locked('x.io/acme/aws-b:v1.0.0', { owns: [crd('b.acme.io')] });
    const before = locked('x.io/acme/app:v1.0.0', {
      requirements: [needs('x.io/acme/aws ^v1.0.0')],
    });
    const after = locked('x.io/acme/app:v2.0.0', {
      requirements: [needs('x.io/acme/aws-a ^v1.0.0'), needs('x.io/acme/aws-b ^v1.0.0')],
    });
    expect(plan([monolith, before], [a, b, after])).toEqual([
      'aws-a new > v1.0.0, aws-b new > v1.0.0, app v1.0.0 > v2.0.0, aws v1.0.0 > gone',
    ]);
  });

  test('the CRD of an XRD cannot be handed over to a provider', () => {
    const config = locked('x.io/acme/dbs:v1.0.0', {
      kind: 'Configuration',
      owns: [{ kind: 'XRD', name: 'a.acme.io' }],
    });
    const provider = locked('x.io/acme/aws-a:v1.0.0', { owns: [crd('a.acme.io')] });
    expect(plan([config], [provider])).toEqual(['dbs v1.0.0 > gone', 'aws-a new > v1.0.0']);
  });

  test('reversing a dependency must not create a cycle', () => {
    expect(
      plan(
        [requiring('one:v1.0.0', 'x.io/acme/two >=v1.0.0'), requiring('two:v1.0.0')],
        [requiring('one:v2.0.0'), requiring('two:v2.0.0', 'x.io/acme/one >=v1.0.0')],
      ),
    ).toEqual(['one v1.0.0 > v2.0.0', 'two v1.0.0 > v2.0.0']);
  });
});

describe('across an upgrade of Crossplane', () => {
  const UP = ['v1.20.0', 'v2.3.4'] as const;
  const DOWN = ['v2.3.4', 'v1.20.0'] as const;
  const old = locked('x.io/acme/must:v1.0.0', { crossplane: '<v2.0.0' });
  const both = locked('x.io/acme/must:v2.0.0', { crossplane: '>=v1.14.0' });
  const needsNew = locked('x.io/acme/later:v2.0.0', { crossplane: '>=v2.0.0' });
  const was = locked('x.io/acme/later:v1.0.0');

  test('packages that the new release rejects move before it, the others after it', () => {
    expect(plan([old, was, free('v1.0.0')], [both, needsNew, free('v2.0.0')], UP)).toEqual([
      'must v1.0.0 > v2.0.0',
      'crossplane v2.0.8',
      'crossplane v2.1.8',
      'crossplane v2.2.4',
      'crossplane v2.3.4',
      'free v1.0.0 > v2.0.0, later v1.0.0 > v2.0.0',
    ]);
  });

  test('a downgrade has the steps of the upgrade in reverse', () => {
    expect(plan([both, needsNew, free('v2.0.0')], [old, was, free('v1.0.0')], DOWN)).toEqual([
      'free v2.0.0 > v1.0.0, later v2.0.0 > v1.0.0',
      'crossplane v2.2.4',
      'crossplane v2.1.8',
      'crossplane v2.0.8',
      'crossplane v1.20.0',
      'must v2.0.0 > v1.0.0',
    ]);
  });

  test('there is no plan if no version supports both releases', () => {
    const never = locked('x.io/acme/must:v2.0.0', { crossplane: '>=v2.0.0' });
    expect(plan([old], [never], UP)).toEqual([
      'impossible',
      'x.io/acme/must v2.0.0 needs Crossplane `>=v2.0.0`, which v1.20.0 does not fit',
      'x.io/acme/must v1.0.0 needs Crossplane `<v2.0.0`, which v2.0.8 does not fit',
    ]);
  });

  test('each release interprets constraints in its own dialect', () => {
    // Masterminds/semver 1.5.0, in v1.20, accepts 2.x for `<2`; 3.4.0 does not.
    const unchanged = db('v2.0.0');
    expect(
      plan([app('v1.0.0', '<2'), unchanged], [app('v2.0.0', '>=v2.0.0'), unchanged], UP),
    ).toEqual([
      'crossplane v2.0.8',
      'crossplane v2.1.8',
      'crossplane v2.2.4',
      'app v1.0.0 > v2.0.0',
      'crossplane v2.3.4',
    ]);
  });

  test.each([
    ['v1.16.0', 'v1.16.5', []],
    ['v1.16.0', 'v1.17.0', []],
    ['v1.19.0', 'v2.0.0', ['v1.20.13']],
    [
      'v1.16.0',
      'v2.3.4',
      ['v1.17.6', 'v1.18.5', 'v1.19.3', 'v1.20.13', 'v2.0.8', 'v2.1.8', 'v2.2.4'],
    ],
    ['v2.1.0', 'v1.19.0', ['v2.0.8', 'v1.20.13']],
    // No release of v2.5 is known, and no build of Upbound.
    ['v2.2.0', 'v2.6.0', ['v2.3.5', 'v2.4.2']],
    ['v1.18.0-up.1', 'v1.20.0-up.1', []],
  ])('from %s to %s it passes the newest patch of each minor version', (from, to, between) => {
    const stays = [free('v1.0.0')];
    expect(plan(stays, stays, [from, to])).toEqual(
      [...between, to].map((each) => `crossplane ${each}`),
    );
  });

  test('a release to pass through replaces the newest patch of its minor version', () => {
    const [from, to] = ['v1.18.0', 'v2.0.8'].map((crossplane) => lockfileOf([], { crossplane }));
    const releases = ['v1.19.1', 'v1.20.0'].map((release) => targetFor(release)!);
    expect(stepTexts(planJourney(journeyBetween(from!, to!, { releases })))).toEqual(
      ['v1.19.1', 'v1.20.0', 'v2.0.8'].map((release) => `crossplane ${release}`),
    );
  });

  test('a package stops using a ControllerConfig before the upgrade to v2 if possible', () => {
    const before = locked('x.io/acme/p:v1.0.0', withSpec({ controllerConfigRef: { name: 'big' } }));
    const after = locked('x.io/acme/p:v2.0.0', withSpec({ runtimeConfigRef: { name: 'big' } }));
    const ends = ['v1.20.0', 'v2.0.8'] as const;
    expect(plan([before], [after], ends)).toEqual(['p v1.0.0 > v2.0.0', 'crossplane v2.0.8']);
    expect(plan([before], [{ ...after, crossplane: '>=v2.0.0' }], ends)).toEqual([
      'crossplane v2.0.8',
      'p v1.0.0 > v2.0.0',
    ]);
  });
});

describe('packages that skip dependency resolution', () => {
  test('dependents start to skip before their requirements, and stop after them', () => {
    const app = locked('x.io/acme/app:v1.0.0', { requirements: [needs('x.io/acme/db ^v1.0.0')] });
    const db = locked('x.io/acme/db:v1.0.0');
    const checked = lockfileOf([app, db]);
    const skipping = lockfileOf([app, db], { skipDependencyResolution: ['asked for'] });
    expect(stepTexts(planJourney(journeyBetween(checked, skipping)))).toEqual([
      'app v1.0.0 > v1.0.0',
      'db v1.0.0 > v1.0.0',
    ]);
    expect(stepTexts(planJourney(journeyBetween(skipping, checked)))).toEqual([
      'db v1.0.0 > v1.0.0',
      'app v1.0.0 > v1.0.0',
    ]);
  });
});
