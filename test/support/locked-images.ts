import type { LockedPackage, Lockfile } from '../../src/project/lockfile/lockfile.js';
import type { ClusterImage } from '../../src/crossplane/package-manager/cluster-image.js';
import type { KnownImages } from './known-images.js';
import { getOrCreate } from '../../src/base/collections.js';
import { joinReference } from '../../src/crossplane/packages/reference.js';

/** Returns registries that have exactly the packages of some lockfiles. */
export function lockedImages(lockfiles: readonly Pick<Lockfile, 'packages'>[]): KnownImages {
  const tags = new Map<string, Set<string>>();
  const images = new Map<string, ClusterImage>();
  for (const locked of lockfiles.flatMap(({ packages }) => packages)) {
    const { repository, version, digest } = locked;
    getOrCreate(tags, repository, () => new Set()).add(version);
    for (const name of [version, ...(digest === undefined ? [] : [digest])]) {
      images.set(joinReference(repository, name), lockedImage(locked));
    }
  }
  return {
    tags: (repository) => (tags.has(repository) ? [...tags.get(repository)!] : undefined),
    image: ({ repository, version }) => images.get(joinReference(repository, version)),
  };
}

/** Returns what a cluster reads from the image of a locked package. */
function lockedImage(locked: LockedPackage): ClusterImage {
  const { digest, kind, crossplane, requirements, owns } = locked;
  const dependencies = requirements
    .filter((each) => each.requires === 'package')
    .map(({ repository, kind: required, apiVersion, constraint }) => ({
      repository,
      kind: required,
      apiVersion,
      constraint,
    }));
  return { digest, kind, crossplane, dependencies, owns, problem: undefined };
}
