import { InputError } from '../../model/input-error.js';

/** The error for two flags that contradict each other. */
export function clash(a: string, b: string): InputError {
  return new InputError(`\`${a}\` and \`${b}\` contradict each other`, { hint: 'leave one out' });
}
