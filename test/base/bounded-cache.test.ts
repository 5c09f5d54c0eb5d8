import { expect, test } from 'vitest';
import { BoundedCache } from '../../src/base/collections.js';

test('a bounded cache drops the values that were not used for the longest time', () => {
  const created: string[] = [];
  const cache = new BoundedCache<string>(3);
  const use = (key: string, weight = 1) =>
    cache.getOrCreate(key, weight, () => {
      created.push(key);
      return key;
    });
  ['a', 'b', 'c', 'a', 'd'].forEach((key) => use(key));
  expect(created).toEqual(['a', 'b', 'c', 'd']);
  expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key))).toEqual(['a', undefined, 'c', 'd']);
  expect(use('large', 9)).toBe('large');
  expect(['a', 'c', 'd', 'large'].map((key) => cache.get(key))).toEqual([
    undefined,
    undefined,
    undefined,
    'large',
  ]);
});
