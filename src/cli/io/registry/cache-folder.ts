import { stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { InputError } from '../../../model/input-error.js';
import type { DiskCache } from '../../../store/disk-cache.js';
import type { Io } from '../io.js';

/** `--cache DIR`; undefined: not given. */
type CacheFlag = string | undefined;

/** The folder for downloads; undefined: neither flag nor environment name one. */
export function cacheFolder(flag: CacheFlag, { cwd, env }: Pick<Io, 'cwd' | 'env'>) {
  const given = [flag, env['XPKG_RESOLVE_CACHE']].find((path) => path !== undefined && path !== '');
  if (given !== undefined) return resolve(cwd, given);
  const { XDG_CACHE_HOME: xdg = '', HOME: home = '' } = env;
  // The XDG specification says to ignore relative paths.
  if (isAbsolute(xdg)) return join(xdg, 'xpkg-resolve');
  return isAbsolute(home) ? join(home, '.cache', 'xpkg-resolve') : undefined;
}

/** The cache that the flags and the environment name; undefined: none. */
export async function openCache(
  args: { readonly cache: CacheFlag; readonly offline: boolean },
  io: Pick<Io, 'cwd' | 'env' | 'note'>,
): Promise<DiskCache | undefined> {
  const folder = cacheFolder(args.cache, io);
  if (folder === undefined) return undefined;
  await refuseFile(folder);
  const { DiskCache } = await import('../../../store/disk-cache.js');
  return new DiskCache({ folder, offline: args.offline, note: (line) => io.note(line) });
}

async function refuseFile(folder: string): Promise<void> {
  const there = await stat(folder).catch(() => undefined);
  if (there === undefined || there.isDirectory()) return;
  throw new InputError(`the cache \`${folder}\` is a file, where a folder is wanted`, {
    hint: 'name another with `--cache` or XPKG_RESOLVE_CACHE',
  });
}
