import { describe, expect, test } from 'vitest';
import { objectFinding, ownerChanges } from '../../../src/features/diff/changes.js';
import type { LockedPackage } from '../../../src/project/lockfile/lockfile.js';
import { OWNED_KINDS, type OwnedObject } from '../../../src/crossplane/packages/owned-objects.js';
import { type LockfilePlan, plan } from '../../../src/features/plan/plan.js';
import { locked, lockfileOf } from '../../support/lockfiles.js';

const crd = (name: string): OwnedObject => ({ kind: 'CRD', name });
const owner = (name: string, ...owns: OwnedObject[]) => locked(`x.io/p/${name}:v1.0.0`, { owns });

function changes(before: readonly ReturnType<typeof owner>[], after: typeof before) {
  return ownerChanges(lockfileOf(before), lockfileOf(after)).map((each) => [
    each.change,
    `${each.kind} ${each.name}`,
    each.before?.name,
    each.after?.name,
  ]);
}

test('lists added, removed and moved objects, but no unchanged ones', () => {
  const before = [owner('a', crd('gone.x'), crd('moves.x'), crd('stays.x')), owner('b')];
  const after = [owner('a', crd('stays.x')), owner('b', crd('moves.x'), crd('new.x'))];
  expect(changes(before, after)).toEqual([
    ['removed', 'CRD gone.x', 'p-a', undefined],
    ['owner', 'CRD moves.x', 'p-a', 'p-b'],
    ['added', 'CRD new.x', undefined, 'p-b'],
  ]);
});

test('a CRD that becomes an MRD with the same name is the same object', () => {
  const mrd = { kind: 'MRD', name: 'things.x' } as const;
  expect(changes([owner('a', crd('things.x'))], [owner('a', mrd)])).toEqual([]);
});

describe('an object that no package contains any more', () => {
  const all = OWNED_KINDS.map((kind): OwnedObject => ({ kind, name: `${kind.toLowerCase()}.x` }));
  const old = owner('a', ...all);
  const findings = (after: readonly LockedPackage[]) =>
    ownerChanges(lockfileOf([old, owner('b')]), lockfileOf(after)).map((change) => ({
      object: change.name,
      ...objectFinding(change)!,
    }));
  const successors: readonly (readonly [string, readonly LockedPackage[], boolean])[] = [
    ['its package has a new version', [locked('x.io/p/a:v2.0.0')], false],
    ['its package is removed', [], true],
    [
      'its package is installed by an object of another name',
      [locked('x.io/p/a:v2.0.0', { name: 'other' })],
      true,
    ],
    [
      'its package is of another kind',
      [locked('x.io/p/a:v2.0.0', { kind: 'Configuration' })],
      true,
    ],
  ];

  test.each(successors)('%s', async (_, now, isDeleted) => {
    const after = [owner('b'), ...now];
    const found = findings(after);
    expect(found.map(({ object }) => object).sort()).toEqual(all.map(({ name }) => name).sort());
    const rules = isDeleted ? ['object-removed'] : ['object-orphaned'];
    expect([...new Set(found.map(({ rule }) => rule))]).toEqual(rules);
    expect(found.some(({ severity }) => severity === 'stored')).toBe(isDeleted);
    expect(found.some(({ text }) => text.includes('stays in the cluster'))).toBe(!isDeleted);
    const answer = await plan(lockfileOf([old, owner('b')]), lockfileOf(after));
    const warnings = (answer as LockfilePlan).steps.flatMap((step) => step.warnings).join('\n');
    expect(warnings.includes(' deletes ')).toBe(isDeleted);
    expect(warnings.includes('stay in the cluster')).toBe(!isDeleted);
  });

  test('an orphaned input of an installed function is harmless', () => {
    const input = { kind: 'Function', owns: [crd('inputs.x')] } as const;
    const [change] = ownerChanges(
      lockfileOf([locked('x.io/p/fn:v1.0.0', input)]),
      lockfileOf([locked('x.io/p/fn:v1.0.0', { kind: 'Function' })]),
    );
    expect(objectFinding(change!)).toMatchObject({ rule: 'object-orphaned', severity: 'harmless' });
  });
});
