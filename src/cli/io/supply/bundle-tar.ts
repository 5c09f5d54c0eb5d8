import { resolve } from 'node:path';
import type { Lockfile } from '../../../lock/lockfile.js';
import { parseLockfile } from '../../../lock/parse-lockfile.js';
import { InputError } from '../../../model/input-error.js';
import { isFileSystemError } from '../../../files/error-code.js';
import { openFileTree } from '../../../store/file-tree.js';
import { DEFAULT_LOCK } from '../../flags/lock-flag.js';
import type { Io } from '../io.js';
import { MAX_LOCKFILE_BYTES } from '../lock-file.js';

/** Whether a value of `--from` names a file that `bundle` wrote: `FILE.tar`, without a scheme. */
export function isBundleFile(from: string): boolean {
  return /^[^:]*\.tar$/.test(from);
}

/** The lockfile inside a file that `bundle` wrote. */
export async function lockInBundle(file: string, io: Io): Promise<Lockfile> {
  const named = `${file} (${DEFAULT_LOCK})`;
  const bytes = await bytesIn(file, io);
  if (bytes !== undefined) return parseLockfile(Buffer.from(bytes).toString('utf8'), named);
  throw new InputError(`\`${file}\` holds no \`${DEFAULT_LOCK}\``, {
    hint: '`xpkg-resolve bundle FILE.tar` writes one that does; name an image layout as `--from layout:FILE.tar`',
  });
}

async function bytesIn(file: string, io: Io): Promise<Uint8Array | undefined> {
  try {
    const tree = await openFileTree(resolve(io.cwd, file), file);
    return await tree.read(DEFAULT_LOCK, MAX_LOCKFILE_BYTES);
  } catch (error) {
    if (!isFileSystemError(error)) throw error;
    throw new InputError(`cannot read \`${file}\`: ${error.message}`, { cause: error });
  }
}
