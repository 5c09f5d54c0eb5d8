import { changesBetween, type Change } from '../lock/changes.js';
import { lockGraph, type LockEdge, type LockGraph } from '../lock/lock-graph.js';
import type { LockedPackage, Lockfile } from '../lock/lockfile.js';
import type { Repository } from '../model/package.js';

/** A package of which two lockfiles say different things; one of them may not have it at all. */
export type PackageChange = Change & {
  /** undefined: it was not there. */
  readonly before: LockedPackage | undefined;
  /** undefined: it is no longer there. */
  readonly after: LockedPackage | undefined;
  /** Who wants it, in the newer lockfile; of a package that is gone, who wanted it. */
  readonly wantedBy: readonly Want[];
};

/** That the user, or a locked package, wants a package. */
export type Want =
  | { readonly by: 'user' }
  | {
      readonly by: 'package';
      readonly repository: Repository;
      readonly version: string;
      /** As its dependsOn says; of a required API, its name. */
      readonly constraint: string;
    };

/** What two lockfiles say differently of packages, by repository. */
export interface PackageChanges {
  readonly added: readonly PackageChange[];
  readonly removed: readonly PackageChange[];
  /** To another version, or to other bytes of the same. */
  readonly moved: readonly PackageChange[];
}

export function packageChanges(before: Lockfile, after: Lockfile): PackageChanges {
  const [old, fresh] = [sideOf(before), sideOf(after)];
  const changes = changesBetween(before, after).map((change): PackageChange => {
    const { repository } = change;
    const [was, is] = [old.packages.get(repository), fresh.packages.get(repository)];
    const wantedBy = is === undefined ? wantsOf(was!, old.graph) : wantsOf(is, fresh.graph);
    return { ...change, before: was, after: is, wantedBy };
  });
  return {
    added: changes.filter(({ before: was }) => was === undefined),
    removed: changes.filter(({ after: is }) => is === undefined),
    moved: changes.filter(({ before: was, after: is }) => was !== undefined && is !== undefined),
  };
}

function sideOf(lockfile: Lockfile) {
  const packages = new Map(lockfile.packages.map((locked) => [locked.repository, locked]));
  return { packages, graph: lockGraph(lockfile) };
}

function wantsOf({ repository, direct }: LockedPackage, graph: LockGraph): Want[] {
  return [
    ...(direct ? [{ by: 'user' } as const] : []),
    ...graph.requirersOf(repository).map(wantOf),
  ];
}

function wantOf({ from, constraint }: LockEdge): Want {
  return { by: 'package', repository: from.repository, version: from.version, constraint };
}
