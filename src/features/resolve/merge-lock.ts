import {
  byRepository,
  type LockedPackage,
  type Lockfile,
} from '../../project/lockfile/lockfile.js';
import type { Repository } from '../../crossplane/packages/package.js';
import { replacedRepository, type Request } from '../../project/inputs/request.js';
import { targetFor } from '../../crossplane/releases/target.js';
import { compareVersions, parseVersion } from '../../crossplane/constraints/version.js';
import { byCodePoint } from '../../base/collections.js';

/** Two changed versions of a lockfile and their common ancestor `base`. */
export interface LockSides {
  readonly base: Lockfile | undefined;
  readonly ours: Lockfile;
  readonly theirs: Lockfile;
}

/** Returns the version that only one side changed, or else the newer one, of each package. */
export function mergedPreferences({ base, ours, theirs }: LockSides): Lockfile {
  const [before, left, right] = [base, ours, theirs].map((side) => byRepository(side?.packages));
  const repositories = new Set([...left!.keys(), ...right!.keys()]);
  const packages = [...repositories].sort(byCodePoint).map((repository) => {
    const [one, other] = [left!.get(repository), right!.get(repository)];
    if (one === undefined || other === undefined) return (one ?? other)!;
    const ancestor = before!.get(repository);
    if (isSameImage(one, ancestor)) return other;
    return isSameImage(other, ancestor) ? one : newer(one, other, ours);
  });
  return { ...ours, packages };
}

/** Whether version and digest are equal; accepting a moved tag changes only the digest. */
function isSameImage(one: LockedPackage, other: LockedPackage | undefined): boolean {
  return one.version === other?.version && one.digest === other.digest;
}

function newer(one: LockedPackage, other: LockedPackage, { crossplane }: Lockfile): LockedPackage {
  const { dialect } = targetFor(crossplane)!.rules;
  const [a, b] = [one, other].map(({ version }) => parseVersion(version, dialect));
  return a !== undefined && b !== undefined && compareVersions(b, a) > 0 ? other : one;
}

/** Returns direct packages that only the merged lockfile has, or only the request of one side. */
export function unmergedRoots({ base, ours, theirs }: LockSides, request: Request): Repository[] {
  const [before, left, right] = [base, ours, theirs].map(
    (side) => new Set(side?.packages.filter(({ direct }) => direct).map((p) => p.repository)),
  );
  // A package that was direct in the base must still be direct on both sides.
  const merged = [...left!, ...right!].filter(
    (repository) => !before!.has(repository) || (left!.has(repository) && right!.has(repository)),
  );
  const roots = request.roots.flatMap((root) =>
    root.root === 'package' ? replacedRepository(request, root.repository) : [],
  );
  const differing = [
    ...merged.filter((repository) => !roots.includes(repository)),
    ...roots.filter((repository) => !merged.includes(repository)),
  ];
  return [...new Set(differing)].sort(byCodePoint);
}
