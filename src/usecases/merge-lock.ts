import type { LockedPackage, Lockfile } from '../lock/lockfile.js';
import type { Repository } from '../model/package.js';
import { replacedRepository, type Request } from '../model/request.js';
import { targetFor } from '../model/target/target.js';
import { compareVersions, parseVersion } from '../semver/version.js';
import { byCodePoint } from '../text/code-point-order.js';

/** A lockfile that two sides changed; `base` is what they began with. */
export interface LockSides {
  readonly base: Lockfile | undefined;
  readonly ours: Lockfile;
  readonly theirs: Lockfile;
}

/**
 * What to prefer where two sides of a lockfile are resolved anew: a version on which they agree, the
 * one that only one of them changed, and of two changes the newer.
 */
export function mergedPreferences({ base, ours, theirs }: LockSides): Lockfile {
  const [before, left, right] = [base, ours, theirs].map(
    (side) => new Map(side?.packages.map((each) => [each.repository, each])),
  );
  const repositories = new Set([...left!.keys(), ...right!.keys()]);
  const packages = [...repositories].sort(byCodePoint).map((repository) => {
    const [one, other] = [left!.get(repository), right!.get(repository)];
    if (one === undefined || other === undefined) return (one ?? other)!;
    const was = before!.get(repository)?.version;
    if (one.version === was) return other;
    return other.version === was ? one : newer(one, other, ours);
  });
  return { ...ours, packages };
}

function newer(one: LockedPackage, other: LockedPackage, { crossplane }: Lockfile): LockedPackage {
  const { dialect } = targetFor(crossplane)!.rules;
  const [a, b] = [one, other].map(({ version }) => parseVersion(version, dialect));
  return a !== undefined && b !== undefined && compareVersions(b, a) > 0 ? other : one;
}

/**
 * Packages that the sides ask for together and the request does not, or the other way round: it is
 * of one side alone, since the files that it was read from are not merged.
 */
export function unmergedRoots({ base, ours, theirs }: LockSides, request: Request): Repository[] {
  const [before, left, right] = [base, ours, theirs].map(
    (side) => new Set(side?.packages.filter(({ direct }) => direct).map((p) => p.repository)),
  );
  const merged = [...left!, ...right!].filter((repository) =>
    before!.has(repository)
      ? left!.has(repository) && right!.has(repository)
      : left!.has(repository) || right!.has(repository),
  );
  const asked = request.roots.flatMap((root) =>
    root.root === 'package' ? [replacedRepository(request, root.repository)] : [],
  );
  const differing = [
    ...merged.filter((repository) => !asked.includes(repository)),
    ...asked.filter((repository) => !merged.includes(repository)),
  ];
  return [...new Set(differing)].sort(byCodePoint);
}
