import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { NONE, VersionSet } from '../../../src/resolver/solver/version-set.js';

/** A model set: the indices below 100, and whether it contains all indices from 100 on. */
interface Model {
  readonly members: ReadonlySet<number>;
  readonly rest: boolean;
}

const INDICES = Array.from({ length: 100 }, (_, i) => i);

const model = fc
  .record({ indices: fc.uniqueArray(fc.nat(99)), rest: fc.boolean() })
  .map(({ indices, rest }): Model => ({ members: new Set(indices), rest }));

function setOf({ members, rest }: Model): VersionSet {
  if (!rest) return VersionSet.of(members);
  return VersionSet.of(INDICES.filter((i) => !members.has(i))).complement();
}

function members(set: VersionSet): number[] {
  return [...INDICES, 100, 5000].filter((i) => set.has(i));
}

test('operations agree with sets of numbers, also beyond the stored words', () => {
  fc.assert(
    fc.property(model, model, (a, b) => {
      const [x, y] = [setOf(a), setOf(b)];
      const [inX, inY] = [members(x), members(y)];
      const all = members(VersionSet.all);
      expect(members(x.and(y))).toEqual(inX.filter((i) => inY.includes(i)));
      expect(members(x.or(y))).toEqual(all.filter((i) => inX.includes(i) || inY.includes(i)));
      expect(members(x.minus(y))).toEqual(inX.filter((i) => !inY.includes(i)));
      expect(members(x.complement())).toEqual(all.filter((i) => !inX.includes(i)));
      expect(x.isSubsetOf(y)).toBe(inX.every((i) => inY.includes(i)));
      expect(x.isDisjointFrom(y)).toBe(!inX.some((i) => inY.includes(i)));
      const outside = inX.filter((i) => !inY.includes(i));
      const witness = x.anyMemberNotIn(y);
      if (outside.length === 0) expect(witness).toBe(NONE);
      else expect([x.has(witness), y.has(witness)]).toEqual([true, false]);
      expect(x.onlyMember).toBe(inX.length === 1 ? inX[0] : undefined);
      expect(x.isEmpty).toBe(inX.length === 0);
      expect(x.isAll).toBe(inX.length === all.length);
    }),
  );
});

test('`with` adds one value', () => {
  fc.assert(
    fc.property(model, fc.nat(200), (a, value) => {
      const x = setOf(a);
      expect(x.with(value).signature).toBe(x.or(VersionSet.of([value])).signature);
    }),
  );
});

test('sets with the same members are equal, however they were built', () => {
  fc.assert(
    fc.property(model, model, (a, b) => {
      const [x, y] = [setOf(a), setOf(b)];
      const roundabout = x.minus(y).or(x.and(y));
      expect(roundabout.equals(x)).toBe(true);
      expect(roundabout.signature).toBe(x.signature);
      expect(x.equals(y)).toBe(x.signature === y.signature);
    }),
  );
});

test.each([0, 1, 30, 31, 32, 63, 64, 99])('%i alone is the only member', (index) => {
  expect(VersionSet.single(index).onlyMember).toBe(index);
});
