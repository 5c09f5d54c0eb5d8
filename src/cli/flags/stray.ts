import { InputError } from '../../model/input-error.js';

/** The error for a flag that says nothing without another. */
export function stray(flag: string, other: string): InputError {
  return new InputError(`\`${flag}\` goes with ${other}`);
}
