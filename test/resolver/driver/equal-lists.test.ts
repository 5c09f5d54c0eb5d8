import { expect, test } from 'vitest';
import { EqualLists } from '../../../src/resolver/driver/source-reader.js';
import type { OwnedObject } from '../../../src/crossplane/packages/owned-objects.js';

test('equal lists are replaced by the first of them, other lists stay', () => {
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
