import * as fc from 'fast-check';

/** A value of `arbitrary` in the given share of draws, else undefined; shrinks to undefined. */
export function sometimes<T>(
  share: number,
  arbitrary: fc.Arbitrary<T>,
): fc.Arbitrary<T | undefined> {
  const weight = Math.round(Math.min(Math.max(share, 0), 1) * 1000);
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 1000 - weight, arbitrary: fc.constant(undefined) },
    { weight, arbitrary },
  );
}

/** One of several values by weight; shrinks to the first. A weight of 0 is never drawn. */
export function weighted<T>(
  ...choices: readonly (readonly [weight: number, value: T])[]
): fc.Arbitrary<T> {
  return fc.oneof(
    { withCrossShrink: true },
    ...choices.map(([weight, value]) => ({
      weight: Math.round(weight * 1000),
      arbitrary: fc.constant(value),
    })),
  );
}

/** A number that `picked` turns into an element of a list that is not known yet; shrinks to the first. */
export function pick(): fc.Arbitrary<number> {
  // 60 divides evenly by most small counts.
  return fc.nat({ max: 59 });
}

/** The element that a number from `pick` stands for; undefined: the list is empty. */
export function picked<T>(n: number, from: readonly T[]): T | undefined {
  return from[n % from.length];
}
