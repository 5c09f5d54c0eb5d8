import type { RuleResult } from './findings.js';
import {
  byKindAndName,
  isCrdOwner,
  type OwnedKind,
  type OwnedObject,
  ownershipKey,
} from '../../crossplane/packages/owned-objects.js';
import type { Repository } from '../../crossplane/packages/package.js';
import { lockGraph, type LockGraph } from '../../project/lockfile/lock-graph.js';
import {
  byRepository,
  type Change,
  changesBetween,
  isSameInstallation,
  type LockedPackage,
  type Lockfile,
} from '../../project/lockfile/lockfile.js';

/** A package that differs between two lockfiles, or that only one of them has. */
export type PackageChange = Change & {
  /** undefined: the package was added. */
  readonly before: LockedPackage | undefined;
  /** undefined: the package was removed. */
  readonly after: LockedPackage | undefined;
  /** Its requirers in the new lockfile; for a removed package, in the old one. */
  readonly wantedBy: readonly Want[];
};

/** A requirer of a package: the user or a locked package. */
export type Want =
  | { readonly by: 'user' }
  | {
      readonly by: 'package';
      readonly repository: Repository;
      readonly version: string;
      /** The constraint in dependsOn; for a required API, its name. */
      readonly constraint: string;
    };

/** Differences between the packages of two lockfiles, by repository. */
export interface PackageChanges {
  readonly added: readonly PackageChange[];
  readonly removed: readonly PackageChange[];
  /** Packages with another version, or with other bytes under the same version. */
  readonly moved: readonly PackageChange[];
}

export function packageChanges(oldLock: Lockfile, newLock: Lockfile): PackageChanges {
  const oldPackages = byRepository(oldLock.packages);
  const newPackages = byRepository(newLock.packages);
  const [oldGraph, newGraph] = [lockGraph(oldLock), lockGraph(newLock)];
  const changes = changesBetween(oldLock, newLock).map((change): PackageChange => {
    const before = oldPackages.get(change.repository);
    const after = newPackages.get(change.repository);
    const wantedBy = after === undefined ? wantsOf(before!, oldGraph) : wantsOf(after, newGraph);
    return { ...change, before, after, wantedBy };
  });
  return {
    added: changes.filter(({ before }) => before === undefined),
    removed: changes.filter(({ after }) => after === undefined),
    moved: changes.filter(({ before, after }) => before !== undefined && after !== undefined),
  };
}

function wantsOf({ repository, direct }: LockedPackage, graph: LockGraph): Want[] {
  return [
    ...(direct ? [{ by: 'user' } as const] : []),
    ...graph.requirersOf(repository).map(({ from, constraint }): Want => ({
      by: 'package',
      repository: from.repository,
      version: from.version,
      constraint,
    })),
  ];
}

/** An object that was added, removed, or that another package owns now. */
export interface OwnerChange extends OwnedObject {
  readonly change: 'added' | 'removed' | 'owner';
  /** The package that installed it; undefined: no package did. */
  readonly before: LockedPackage | undefined;
  /** The package that installs it; undefined: no package does. */
  readonly after: LockedPackage | undefined;
  /**
   * Set on a removed object whose package stays installed: the new version of that package. Crossplane
   * deletes the objects of a package only with the package itself, so the removed object stays.
   */
  readonly orphanedBy?: LockedPackage | undefined;
}

/** Returns the differences in ownership between two lockfiles, by kind and name of the object. */
export function ownerChanges(oldLock: Lockfile, newLock: Lockfile): OwnerChange[] {
  const [oldOwners, newOwners] = [ownersIn(oldLock), ownersIn(newLock)];
  const installed = byRepository(newLock.packages);
  const keys = new Set([...oldOwners.keys(), ...newOwners.keys()]);
  const changes = [...keys].flatMap((key): OwnerChange[] => {
    const [before, after] = [oldOwners.get(key), newOwners.get(key)];
    const owners = { before: before?.owner, after: after?.owner };
    if (before === undefined) return [{ ...after!.object, change: 'added', ...owners }];
    if (after === undefined) {
      const successor = installed.get(before.owner.repository);
      const isKept = successor !== undefined && isSameInstallation(before.owner, successor);
      const orphanedBy = isKept ? successor : undefined;
      return [{ ...before.object, change: 'removed', ...owners, orphanedBy }];
    }
    const isMoved = before.owner.repository !== after.owner.repository;
    return isMoved ? [{ ...after.object, change: 'owner', ...owners }] : [];
  });
  return changes.sort(byKindAndName);
}

function ownersIn({ packages }: Lockfile) {
  return new Map(
    packages.flatMap((owner) =>
      owner.owns.map((object) => [ownershipKey(object), { object, owner }] as const),
    ),
  );
}

/** Returns the effect of a change of owners on existing objects; undefined: none. */
export function objectFinding(change: OwnerChange): RuleResult | undefined {
  const { kind, before, after, orphanedBy } = change;
  if (change.change === 'added') return undefined;
  if (change.change === 'owner') {
    const text = `is installed by ${nameOf(after!)} now, and was by ${nameOf(before!)}: it must be handed over`;
    return { rule: 'owner-changed', severity: 'harmless', text };
  }
  if (orphanedBy !== undefined) return orphanFinding(kind, orphanedBy);
  const rule = 'object-removed';
  if (isCrdOwner(change)) {
    const text = 'removed: all objects of this kind are deleted with it';
    return { rule, severity: 'stored', text };
  }
  if (kind !== 'Composition') return { rule, severity: 'harmless', text: 'removed' };
  const text = 'removed: composite resources that use it are composed no more';
  return { rule, severity: 'writers', text };
}

function nameOf({ repository, version }: LockedPackage): string {
  return `${repository} ${version}`;
}

/** Returns the finding for an object that the new version of its package no longer contains. */
function orphanFinding(kind: OwnedKind, owner: LockedPackage): RuleResult {
  const effect = owner.kind === 'Function' ? '' : ORPHANED[kind];
  return {
    rule: 'object-orphaned',
    severity: effect ? 'writers' : 'harmless',
    text: `${nameOf(owner)} no longer has it: it stays in the cluster, without an owner, until it is deleted by hand${effect ? `; ${effect}` : ''}`,
  };
}

const UNCONTROLLED = 'its objects stay, too, but the provider no longer reconciles them';
const MISSING_ON_NEW = 'a new cluster does not get it';

/** Effect of an orphaned object on its users. */
const ORPHANED: Readonly<Partial<Record<OwnedKind, string>>> = {
  CRD: UNCONTROLLED,
  MRD: UNCONTROLLED,
  XRD: MISSING_ON_NEW,
  claim: MISSING_ON_NEW,
  Composition: MISSING_ON_NEW,
};
