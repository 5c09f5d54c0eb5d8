import { describe, expect, test } from 'vitest';
import { journeyBetween } from '../../src/plan/journey.js';
import { planJourney, type PlannedJourney, type PackageMove } from '../../src/plan/plan-journey.js';
import { causeText } from '../../src/plan/cause-text.js';
import type { LockedPackage } from '../../src/lock/lockfile.js';
import { locked, lockfileOf, needs } from '../support/lockfiles.js';

const crd = (name: string) => ({ kind: 'CRD' as const, name });

function told(plan: PlannedJourney): string[] {
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
  return told(planJourney(journeyBetween(before, after)));
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
  test('nothing to do is no step', () => {
    expect(
      plan([app('v1.0.0', '^v1.0.0'), db('v1.0.0')], [app('v1.0.0', '^v1.0.0'), db('v1.0.0')]),
    ).toEqual([]);
  });

  test('what a new version requires moves before it', () => {
    expect(
      plan([app('v1.0.0', '>=v1.0.0'), db('v1.0.0')], [app('v2.0.0', '>=v2.0.0'), db('v2.0.0')]),
    ).toEqual(['db v1.0.0 > v2.0.0', 'app v1.0.0 > v2.0.0']);
  });

  test('what holds another back moves before it', () => {
    expect(
      plan([app('v1.0.0', '<v2.0.0'), db('v1.0.0')], [app('v2.0.0', '>=v1.0.0'), db('v2.0.0')]),
    ).toEqual(['app v1.0.0 > v2.0.0', 'db v1.0.0 > v2.0.0']);
  });

  test('what any order suits goes together', () => {
    expect(
      plan([app('v1.0.0', '>=v1.0.0'), db('v1.0.0')], [app('v2.0.0', '>=v1.0.0'), db('v2.0.0')]),
    ).toEqual(['db v1.0.0 > v2.0.0, app v1.0.0 > v2.0.0']);
  });

  test('there is no order where each waits for the other', () => {
    expect(
      plan([app('v1.0.0', '^v1.0.0'), db('v1.0.0')], [app('v2.0.0', '^v2.0.0'), db('v2.0.0')]),
    ).toEqual([
      'impossible',
      'x.io/acme/app v1.0.0 requires x.io/acme/db `^v1.0.0`, which v2.0.0 does not fit',
      'x.io/acme/app v2.0.0 requires x.io/acme/db `^v2.0.0`, which v1.0.0 does not fit',
    ]);
  });

  test('a dependency is there before its dependents, and goes after them', () => {
    const [one, other] = [
      [app('v1.0.0', '^v1.0.0'), db('v1.0.0')],
      [locked('x.io/acme/other:v1.0.0')],
    ];
    expect(plan(other, [...one, ...other])).toEqual(['db new > v1.0.0', 'app new > v1.0.0']);
    expect(plan([...one, ...other], other)).toEqual(['app v1.0.0 > gone', 'db v1.0.0 > gone']);
  });

  test('removals wait until nothing is gained by it', () => {
    expect(
      plan(
        [app('v1.0.0', '>=v1.0.0'), db('v1.0.0'), locked('x.io/acme/old:v1.0.0')],
        [app('v2.0.0', '>=v2.0.0'), db('v2.0.0')],
      ),
    ).toEqual(['db v1.0.0 > v2.0.0', 'app v1.0.0 > v2.0.0, old v1.0.0 > gone']);
  });

  test('a CRD that moves between packages that stay is let go of first', () => {
    expect(
      plan(
        [db('v1.0.0', { owns: [crd('dbs.acme.io')] }), locked('x.io/acme/core:v1.0.0')],
        [db('v2.0.0'), locked('x.io/acme/core:v2.0.0', { owns: [crd('dbs.acme.io')] })],
      ),
    ).toEqual(['db v1.0.0 > v2.0.0', 'core v1.0.0 > v2.0.0']);
  });

  test('a CRD whose owner goes is handed over in one step, with those that need either', () => {
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

  test('what an XRD made cannot be handed to a provider', () => {
    const config = locked('x.io/acme/dbs:v1.0.0', {
      kind: 'Configuration',
      owns: [{ kind: 'XRD', name: 'a.acme.io' }],
    });
    const provider = locked('x.io/acme/aws-a:v1.0.0', { owns: [crd('a.acme.io')] });
    expect(plan([config], [provider])).toEqual(['dbs v1.0.0 > gone', 'aws-a new > v1.0.0']);
  });

  test('a dependency may not be turned round in a circle', () => {
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

  test('what the new release would refuse moves before, the rest after', () => {
    expect(plan([old, was, free('v1.0.0')], [both, needsNew, free('v2.0.0')], UP)).toEqual([
      'must v1.0.0 > v2.0.0',
      'crossplane v2.3.4',
      'free v1.0.0 > v2.0.0, later v1.0.0 > v2.0.0',
    ]);
  });

  test('the way back is the way there, backwards', () => {
    expect(plan([both, needsNew, free('v2.0.0')], [old, was, free('v1.0.0')], DOWN)).toEqual([
      'free v2.0.0 > v1.0.0, later v2.0.0 > v1.0.0',
      'crossplane v1.20.0',
      'must v2.0.0 > v1.0.0',
    ]);
  });

  test('there is no way where no version suits both', () => {
    const never = locked('x.io/acme/must:v2.0.0', { crossplane: '>=v2.0.0' });
    expect(plan([old], [never], UP)).toEqual([
      'impossible',
      'x.io/acme/must v2.0.0 needs Crossplane `>=v2.0.0`, which v1.20.0 does not fit',
      'x.io/acme/must v1.0.0 needs Crossplane `<v2.0.0`, which v2.3.4 does not fit',
    ]);
  });

  test('a range is read as each release reads it', () => {
    // Masterminds/semver 1.5.0, of v1.20, takes 2.x for `<2`; 3.4.0 does not.
    const kept = db('v2.0.0');
    expect(plan([app('v1.0.0', '<2'), kept], [app('v2.0.0', '>=v2.0.0'), kept], UP)).toEqual([
      'app v1.0.0 > v2.0.0',
      'crossplane v2.3.4',
    ]);
  });
});

describe('packages that skip dependency resolution', () => {
  test('dependents skip before what they require, and stop after it', () => {
    const app = locked('x.io/acme/app:v1.0.0', { requirements: [needs('x.io/acme/db ^v1.0.0')] });
    const db = locked('x.io/acme/db:v1.0.0');
    const checked = lockfileOf([app, db]);
    const skipping = lockfileOf([app, db], { skipDependencyResolution: ['asked for'] });
    expect(told(planJourney(journeyBetween(checked, skipping)))).toEqual([
      'app v1.0.0 > v1.0.0',
      'db v1.0.0 > v1.0.0',
    ]);
    expect(told(planJourney(journeyBetween(skipping, checked)))).toEqual([
      'db v1.0.0 > v1.0.0',
      'app v1.0.0 > v1.0.0',
    ]);
  });
});
