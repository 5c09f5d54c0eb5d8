import { expect, test } from 'vitest';
import { hittingSets } from '../../../src/explain/suggestions/hitting-sets.js';

test('sets that share a member with each, no larger than asked', () => {
  const sets = [
    [1, 2],
    [2, 3],
  ];
  expect([...hittingSets(sets, 1)]).toEqual([[2]]);
  expect([...hittingSets(sets, 2)]).toEqual([[1, 2], [1, 3], [2]]);
});

test('a set that is added meanwhile is hit by all that follow', () => {
  const sets = [[1, 2]];
  const found: (readonly number[])[] = [];
  for (const set of hittingSets(sets, 2)) {
    found.push(set);
    if (found.length === 1) sets.push([3]);
  }
  expect(found).toEqual([[1], [2, 3]]);
});

test('none hits a set without members', () => {
  expect([...hittingSets([[]], 3)]).toEqual([]);
});
