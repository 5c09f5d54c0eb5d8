import { InputError } from '../../model/input-error.js';

/** Two flags of which only one can be meant. */
export function clash(a: string, b: string): InputError {
  return new InputError(`\`${a}\` and \`${b}\` contradict each other`, { hint: 'leave one out' });
}
