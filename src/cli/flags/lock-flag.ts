import type { Argv } from 'yargs';

export interface LockArgs {
  readonly lock: string;
}

/** Which lockfile, for every command that only reads it. */
export function lockFlag<T>(yargs: Argv<T>): Argv<T & LockArgs> {
  return yargs.option('lock', {
    type: 'string',
    requiresArg: true,
    default: 'xpkg.lock.yaml',
    describe: 'Lockfile to read',
  });
}
