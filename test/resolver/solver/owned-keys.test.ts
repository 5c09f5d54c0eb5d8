import { expect, test } from 'vitest';
import { OwnedKeys } from '../../../src/resolver/solver/ownership.js';
import type { OwnedObject } from '../../../src/crossplane/packages/owned-objects.js';

function keysOf(...names: string[]): OwnedKeys {
  return OwnedKeys.of(names.map((name): OwnedObject => ({ kind: 'CRD', name })));
}

test('`firstShared` is the position of the first common object in each list', () => {
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

test('a CRD and a claim with the same name have one key; overlapping lists share a key suffix', () => {
  const claim = OwnedKeys.of([{ kind: 'claim', name: 'a.x.io' }]);
  const crd = keysOf('a.x.io');
  expect(crd.firstShared(claim)).toBe(0);
  expect([...crd.suffixes]).toEqual([...claim.suffixes]);
});
