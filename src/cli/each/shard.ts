import { InputError } from '../../model/input-error.js';

/** One of several equal parts of some work. */
export interface Shard {
  /** From 1. */
  readonly index: number;
  readonly of: number;
}

/** All of the work. */
export const WHOLE: Shard = { index: 1, of: 1 };

/** More machines than any CI gives to one job. */
const MAX_SHARDS = 10_000;

/** `2/5`; throws where it is no part of a whole. */
export function parseShard(text: string | undefined): Shard {
  if (text === undefined) return WHOLE;
  const [, index = NaN, of = NaN] = (/^(\d{1,5})\/(\d{1,5})$/.exec(text) ?? []).map(Number);
  if (index >= 1 && index <= of && of <= MAX_SHARDS) return { index, of };
  throw new InputError(`\`--shard ${text}\` is no part of a whole`, {
    hint: 'write `2/5` for the second of five parts',
  });
}

/**
 * The items of a part. They are dealt out one by one, so that neighbours, which are often alike in
 * what they cost, go to different machines.
 */
export function partOf<T>(items: readonly T[], { index, of }: Shard): readonly T[] {
  return items.filter((_, place) => place % of === index - 1);
}
