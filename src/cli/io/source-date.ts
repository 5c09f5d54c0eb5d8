import { InputError } from '../../model/input-error.js';
import type { Io } from './io.js';

/**
 * What SOURCE_DATE_EPOCH says that the time is, in milliseconds, for runs that are to come out the
 * same again; undefined: it says nothing.
 */
export function sourceDate({ env }: Pick<Io, 'env'>): number | undefined {
  const epoch = env['SOURCE_DATE_EPOCH'] ?? '';
  if (epoch === '') return undefined;
  const time = Number(epoch) * 1000;
  if (/^\d+$/.test(epoch) && !Number.isNaN(new Date(time).getTime())) return time;
  throw new InputError(
    `SOURCE_DATE_EPOCH is \`${epoch}\`, which is no number of seconds since 1970`,
  );
}
