import { expect, test } from 'vitest';
import { EqualLists } from '../../src/driver/equal-lists.js';
import type { OwnedObject } from '../../src/model/owned-object.js';

test('equal lists become the first of them, others stay as they are', () => {
  const lists = new EqualLists();
  const first = [crd('a'), crd('b')];
  expect(lists.first(first)).toBe(first);
  expect(lists.first([crd('a'), crd('b')])).toBe(first);
  const other = [crd('a'), { kind: 'XRD', name: 'b' } as const];
  expect(lists.first(other)).toBe(other);
});

function crd(name: string): OwnedObject {
  return { kind: 'CRD', name };
}
