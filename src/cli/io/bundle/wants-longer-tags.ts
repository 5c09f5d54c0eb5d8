import type { BundleArgs } from '../../flags/bundle-flags.js';
import type { Io } from '../io.js';
import type { LockOnDisk } from '../lock-file.js';
import { BundleFolder } from './bundle-folder.js';

/**
 * Whether the lockfile is to say which longer tags are published: with `--pin locked`, given now or
 * before. One that says so goes on, until another pin is asked for.
 */
export async function wantsLongerTags(
  args: Pick<BundleArgs, 'pin' | 'bundle' | 'out'>,
  lock: LockOnDisk | undefined,
  io: Io,
): Promise<boolean> {
  if (args.pin !== undefined) return args.pin === 'locked';
  const said = lock?.lockfile.packages.some(({ longerTags }) => longerTags !== undefined);
  return said === true || (await BundleFolder.of(args, io))?.record.pin === 'locked';
}
