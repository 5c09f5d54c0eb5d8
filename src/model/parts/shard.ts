/** One of several equal parts of some work. */
export interface Shard {
  /** From 1. */
  readonly index: number;
  readonly of: number;
}

/**
 * The items of a part. They are dealt out one by one, so that neighbours, which are often alike in
 * what they cost, go to different machines.
 */
export function partOf<T>(items: readonly T[], { index, of }: Shard): readonly T[] {
  return items.filter((_, place) => place % of === index - 1);
}

/** The items of a part, where neighbours share what is found of one of them. */
export function stretchOf<T>(items: readonly T[], { index, of }: Shard): readonly T[] {
  const from = (place: number) => Math.floor((items.length * place) / of);
  return items.slice(from(index - 1), from(index));
}
