import { expect, test } from 'vitest';
import { ownerChanges } from '../../src/compare/owner-changes.js';
import type { OwnedObject } from '../../src/model/owned-object.js';
import { locked, lockfileOf } from '../support/lockfiles.js';

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

test('objects come, go and change hands; one that stays with its package is left out', () => {
  const before = [owner('a', crd('gone.x'), crd('moves.x'), crd('stays.x')), owner('b')];
  const after = [owner('a', crd('stays.x')), owner('b', crd('moves.x'), crd('new.x'))];
  expect(changes(before, after)).toEqual([
    ['removed', 'CRD gone.x', 'p-a', undefined],
    ['owner', 'CRD moves.x', 'p-a', 'p-b'],
    ['added', 'CRD new.x', undefined, 'p-b'],
  ]);
});

test('a CRD that becomes an MRD of its name is the same object', () => {
  const mrd = { kind: 'MRD', name: 'things.x' } as const;
  expect(changes([owner('a', crd('things.x'))], [owner('a', mrd)])).toEqual([]);
});
