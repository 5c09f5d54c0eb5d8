import { undigested } from '../lock/lock-manifest.js';
import type { LockedPackage, Lockfile } from '../lock/lockfile.js';
import { InputError } from '../model/input-error.js';
import type { Digest } from '../text/digest.js';

export interface DigestedPackage extends LockedPackage {
  readonly digest: Digest;
}

/** The packages of a lockfile that says every digest; `verb`: what cannot be done without. */
export function digestedPackages(lockfile: Lockfile, verb: string): readonly DigestedPackage[] {
  const [first] = undigested(lockfile);
  if (first !== undefined) {
    throw new InputError(
      `the lockfile does not say the digest of ${first.repository} ${first.version}, so it cannot be ${verb}`,
      { hint: 'resolve again from a source that has the images' },
    );
  }
  return lockfile.packages.map((locked) => ({ ...locked, digest: locked.digest! }));
}
