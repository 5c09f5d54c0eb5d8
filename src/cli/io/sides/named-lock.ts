import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Lockfile } from '../../../lock/lockfile.js';
import { parseLockfile } from '../../../lock/parse-lockfile.js';
import { InputError } from '../../../model/input-error.js';
import { DEFAULT_LOCK } from '../../flags/lock-flag.js';
import type { Io } from '../io.js';
import { readLock } from '../lock-file.js';
import { isOciPath } from '../registry/oci-path.js';
import type { RegistryArgs } from '../registry/registries.js';
import { gitFile } from './git-file.js';

/** A lockfile, and what it is called: as the user wrote it, or what that was taken for. */
export interface NamedLock {
  readonly shown: string;
  readonly lockfile: Lockfile;
}

/**
 * The lockfile that an argument names: `oci://…`, a file, a folder that holds one, or a revision of
 * git. undefined: it names none, and a package perhaps.
 */
export async function namedLock(
  named: string,
  args: RegistryArgs,
  io: Io,
): Promise<NamedLock | undefined> {
  if (isOciPath(named)) return existingLock(named, args, io);
  const path = resolve(io.cwd, named);
  if (existsSync(path)) {
    if (statSync(path).isDirectory()) {
      const inside = join(named, DEFAULT_LOCK);
      return existsSync(resolve(io.cwd, inside)) ? existingLock(inside, args, io) : undefined;
    }
    return isPackageFile(named) ? undefined : existingLock(named, args, io);
  }
  const held = gitFile(named, DEFAULT_LOCK, io);
  return held && { shown: held.name, lockfile: parseLockfile(held.text, held.name) };
}

/** The lockfile that an argument must name. */
export async function requireNamedLock(
  named: string,
  args: RegistryArgs,
  io: Io,
): Promise<NamedLock> {
  const found = await namedLock(named, args, io);
  if (found !== undefined) return found;
  throw new InputError(`\`${named}\` is no lockfile`, {
    hint: 'name a file, `REVISION:PATH` of git such as `HEAD:xpkg.lock.yaml`, or `oci://…`',
  });
}

function isPackageFile(named: string): boolean {
  return /\.xpkg$|(?:^|[\\/.])package\.yaml(?:\.gz)?$/.test(named);
}

async function existingLock(lock: string, args: RegistryArgs, io: Io): Promise<NamedLock> {
  const found = await readLock({ ...args, lock }, io);
  if (found === undefined) throw new InputError(`there is no lockfile \`${lock}\``);
  return { shown: lock, lockfile: found.lockfile };
}
