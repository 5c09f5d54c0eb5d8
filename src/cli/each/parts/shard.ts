import { InputError } from '../../../model/input-error.js';
import type { Shard } from '../../../model/parts/shard.js';

/** All of the work. */
export const WHOLE: Shard = { index: 1, of: 1 };

/** More machines than any CI gives to one job. */
export const MAX_SHARDS = 10_000;

/** `2/5`; throws where it is no part of a whole. */
export function parseShard(text: string | undefined): Shard {
  if (text === undefined) return WHOLE;
  const [, index = NaN, of = NaN] = (/^(\d{1,5})\/(\d{1,5})$/.exec(text) ?? []).map(Number);
  if (index >= 1 && index <= of && of <= MAX_SHARDS) return { index, of };
  throw new InputError(`\`--shard ${text}\` is no part of a whole`, {
    hint: 'write `2/5` for the second of five parts',
  });
}
