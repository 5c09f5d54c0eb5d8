import { InputError } from '../model/input-error.js';

/**
 * What to throw when `path` could not be written and everything is as it was before.
 *
 * Only errors with a `code` are explained; others are faults of this program and stay as they are.
 */
export function cannotWrite(path: string, error: unknown): unknown {
  if (error instanceof InputError || !(error instanceof Error) || !('code' in error)) return error;
  return new InputError(`cannot write \`${path}\`: ${error.message}`, {
    cause: error,
    hint: 'nothing was changed',
  });
}
