import { expect, test } from 'vitest';
import { hittingSets } from '../../../src/resolver/suggest/moved-roots.js';

test('yields sets that share a member with each set, up to a size', () => {
  const sets = [
    [1, 2],
    [2, 3],
  ];
  expect([...hittingSets(sets, 1)]).toEqual([[2]]);
  expect([...hittingSets(sets, 2)]).toEqual([[1, 2], [1, 3], [2]]);
});

test('later results hit a set that is added meanwhile', () => {
  const sets = [[1, 2]];
  const found: (readonly number[])[] = [];
  for (const set of hittingSets(sets, 2)) {
    found.push(set);
    if (found.length === 1) sets.push([3]);
  }
  expect(found).toEqual([[1], [2, 3]]);
});

test('no set hits the empty set', () => {
  expect([...hittingSets([[]], 3)]).toEqual([]);
});
