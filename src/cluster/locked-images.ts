import type { LockedPackage, Lockfile } from '../lock/lockfile.js';
import { lockedImage } from './cluster-image.js';
import type { KnownImages } from './cluster-question.js';

/** Registries that hold what some lockfiles lock, and nothing else. */
export function lockedImages(lockfiles: readonly Pick<Lockfile, 'packages'>[]): KnownImages {
  const packages = lockfiles.flatMap((lockfile) => lockfile.packages);
  const images = new Map(
    packages.flatMap((locked) => keysOf(locked).map((key) => [key, lockedImage(locked)] as const)),
  );
  return {
    tags(repository) {
      const versions = packages
        .filter((locked) => locked.repository === repository)
        .map(({ version }) => version);
      return versions.length === 0 ? undefined : [...new Set(versions)];
    },
    image: ({ repository, version }) => images.get(`${repository}\n${version}`),
  };
}

/** By its version, and by its digest. */
function keysOf({ repository, version, digest }: LockedPackage): string[] {
  return [version, ...(digest === undefined ? [] : [digest])].map(
    (name) => `${repository}\n${name}`,
  );
}
