import { InputError } from '../../model/input-error.js';

/** Refuses what is no count; what was typed is not known, for yargs makes NaN of a word. */
export function mustBeWhole(flag: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new InputError(`\`${flag}\` must be a whole number, ${least} or more`);
}
