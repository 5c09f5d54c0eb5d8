import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { InputError } from '../../base/errors.js';
import { writeError, isFileSystemError, removeWithRetry } from '../../base/files/file-system.js';
import { cleaningUpOnSignal } from '../../base/process.js';
import { DEFAULT_LOCK } from '../../cli/arguments/common-flags.js';
import { extraManifestsIn, MAX_LOCKFILE_BYTES } from '../../cli/files/lock-file.js';
import { openEach, type SourceArgs } from '../../cli/sources/source-flags.js';
import type { RunIo } from '../../cli/terminal/io.js';
import { targetFor } from '../../crossplane/releases/target.js';
import { openFileTree } from '../../oci/store/file-tree.js';
import { LayoutWriter } from '../../oci/store/layout-writer.js';
import type { Lockfile } from '../../project/lockfile/lockfile.js';
import { parseLockfile } from '../../project/lockfile/parse-lockfile.js';
import { noStats } from '../../resolver/driver/read-stats.js';

/** Whether a value of `--from` names a file that `bundle` wrote: `FILE.tar`, without a scheme. */
export function isBundleFile(from: string): boolean {
  return /^[^:]*\.tar$/.test(from);
}

/** Returns the lockfile in a file that `bundle` wrote. */
export async function lockInBundle(file: string, io: RunIo): Promise<Lockfile> {
  const named = `${file} (${DEFAULT_LOCK})`;
  const bytes = await bytesIn(file, io);
  if (bytes !== undefined) return parseLockfile(Buffer.from(bytes).toString('utf8'), named);
  throw new InputError(`\`${file}\` holds no \`${DEFAULT_LOCK}\``, {
    hint: '`xpkg-resolve bundle FILE.tar` writes one that does; name an image layout as `--from layout:FILE.tar`',
  });
}

async function bytesIn(file: string, io: RunIo): Promise<Uint8Array | undefined> {
  try {
    const tree = await openFileTree(resolve(io.cwd, file), file);
    return await tree.read(DEFAULT_LOCK, MAX_LOCKFILE_BYTES);
  } catch (error) {
    if (!isFileSystemError(error)) throw error;
    throw new InputError(`cannot read \`${file}\`: ${error.message}`, { cause: error });
  }
}

/** Opens the sources of a lockfile; `onImage` shows the progress in `stats`. */
export async function openLockedSources(
  args: SourceArgs & { readonly lock: string },
  lockfile: Lockfile,
  io: RunIo,
) {
  const stats = noStats();
  const sources = await openEach(args, io, stats, extraManifestsIn(lockfile, args.lock));
  const target = targetFor(lockfile.crossplane)!;
  const { concurrency } = args;
  const onImage = (reference: string) => {
    stats.latest = reference;
    stats.fetched += 1;
  };
  return { sources, target, concurrency, stats, onImage };
}

/** Calls `work` with a new layout. Removes the layout if the work fails or a signal ends the process. */
export async function withStagedLayout<T>(
  folder: string,
  shown: string,
  work: (layout: LayoutWriter) => Promise<T>,
): Promise<T> {
  let layout: LayoutWriter | undefined;
  const cleanUp = () => {
    if (layout !== undefined) rmSync(layout.staging, { recursive: true, force: true });
  };
  try {
    return await cleaningUpOnSignal(cleanUp, async () => {
      layout = await LayoutWriter.open(folder, shown);
      return work(layout);
    });
  } catch (error) {
    if (layout !== undefined) await removeWithRetry(layout.staging);
    throw isFileSystemError(error) ? writeError(shown, error) : error;
  }
}
