/**
 * Sets of at most `size` numbers that share one with each of `sets`, the first members of each
 * first. A set may be added to `sets` meanwhile: what is given out from then on hits it too.
 */
export function* hittingSets(
  sets: readonly (readonly number[])[],
  size: number,
  chosen: readonly number[] = [],
): Generator<readonly number[]> {
  const missed = sets.find((set) => !set.some((member) => chosen.includes(member)));
  if (missed === undefined) yield chosen;
  else if (size > 0) {
    for (const member of missed) yield* hittingSets(sets, size - 1, [...chosen, member]);
  }
}
