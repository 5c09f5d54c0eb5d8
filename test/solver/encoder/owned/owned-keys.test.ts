import { expect, test } from 'vitest';
import { OwnedKeys } from '../../../../src/solver/encoder/owned/owned-keys.js';
import type { OwnedObject } from '../../../../src/model/owned-object.js';

function keysOf(...names: string[]): OwnedKeys {
  return OwnedKeys.of(names.map((name): OwnedObject => ({ kind: 'CRD', name })));
}

test('the place of the first object that two lists share, as each of them has it', () => {
  const [one, other] = [keysOf('a.io', 'b.io', 'c.io'), keysOf('c.io', 'd.io')];
  expect(one.firstShared(other)).toBe(2);
  expect(other.firstShared(one)).toBe(0);
  expect(keysOf('a.io').firstShared(keysOf('b.io'))).toBe(Infinity);
});

test('long lists are compared once, with the same result each time', () => {
  const names = Array.from({ length: 100 }, (_, i) => `k${i}.io`);
  const [one, other] = [keysOf(...names), keysOf(names[40]!)];
  expect([one.firstShared(other), one.firstShared(other)]).toEqual([40, 40]);
});

test('a CRD and a claim of one name are one key; lists that overlap have an end in common', () => {
  const claim = OwnedKeys.of([{ kind: 'claim', name: 'a.x.io' }]);
  const crd = keysOf('a.x.io');
  expect(crd.firstShared(claim)).toBe(0);
  expect([...crd.ends]).toEqual([...claim.ends]);
});
