import { codeOf } from '../files/error-code.js';
import { InputError } from '../model/input-error.js';
import { SourceError } from '../model/source-error.js';

/** What to throw when a file or folder named by `--from` cannot be opened. */
export function unreadable(shown: string, error: unknown): InputError | SourceError {
  switch (codeOf(error)) {
    case 'ENOENT':
      return new InputError(`${shown}: there is no such file or folder`, { cause: error });
    case 'ENOTDIR':
      return new InputError(`${shown}: not a folder`, { cause: error });
    case 'EISDIR':
      return new InputError(`${shown}: a folder, where a file is wanted`, { cause: error });
    default:
      return new SourceError('BAD_SOURCE', shown, `cannot be read: ${reason(error)}`, {
        cause: error,
      });
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
