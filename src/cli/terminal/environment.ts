import type { RunIo } from './io.js';
import { ownFile } from './own-file.js';
import { InputError } from '../../base/errors.js';

/** The version in package.json. */
export function toolVersion(): string {
  return (JSON.parse(ownFile('package.json')) as { version: string }).version; // our own file
}

/** Returns the time in SOURCE_DATE_EPOCH in milliseconds, for reproducible runs; undefined if it is not set. */
export function sourceDate({ env }: Pick<RunIo, 'env'>): number | undefined {
  const epoch = env['SOURCE_DATE_EPOCH'] ?? '';
  if (epoch === '') return undefined;
  const time = Number(epoch) * 1000;
  if (/^\d+$/.test(epoch) && !Number.isNaN(new Date(time).getTime())) return time;
  throw new InputError(
    `SOURCE_DATE_EPOCH is \`${epoch}\`, which is no number of seconds since 1970`,
  );
}
