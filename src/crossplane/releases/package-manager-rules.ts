import { compareTriples, parseRelease, type Target } from './target.js';

/**
 * How the package manager of a release works once objects are in a cluster.
 *
 * Separate from `TargetRules`, because none of this decides what can be installed: releases that
 * differ only here are solved together.
 */
interface PackageManagerRules {
  /** The Lock has a condition for the resolution of dependencies. */
  readonly lockConditions: boolean;
  /** The moves of installed packages that a flag can allow. */
  readonly moves: readonly ('upgrades' | 'downgrades')[];
  /** The installed version is that of the pulled image, not that of the reference. */
  readonly movesFromPulledVersion: boolean;
  /** With upgrades, rows that satisfy none of their dependents are ignored. */
  readonly prunesOutdatedRows: boolean;
  /** A row is updated when its revision moves to another tag of the same image. */
  readonly refreshesRowVersions: boolean;
  /** It is no error if the object of a dependency exists already. */
  readonly acceptsExistingObjects: boolean;
  /** Missing dependencies are quoted with their constraints. */
  readonly quotesMissing: boolean;
  /** Incompatible dependencies are reported with the installed version. */
  readonly reportsConflicts: boolean;
  readonly explainsNoVersion: boolean;
  /** Revisions have their own condition, which packages quote. */
  readonly quotesRevisionHealth: boolean;
  /** A package is read before it has a revision. */
  readonly readsBeforeRevision: boolean;
  /** CRDs of a provider become ManagedResourceDefinitions. */
  readonly convertsCrds: boolean;
  /** Plurals of CRDs that are not converted: provider configurations and records of their use. */
  readonly unconvertedCrds: readonly string[];
}

export function packageManagerRules({ version }: Target): PackageManagerRules {
  const triple = parseRelease(version)!;
  const [major, minor, patch] = triple;
  const from = (...release: readonly [number, number, number]) =>
    compareTriples(triple, release) >= 0;
  const within = (line: readonly [number, number], first: number) =>
    major === line[0] && minor === line[1] && patch >= first;
  const hasRowFixes = within([1, 20], 5) || within([2, 0], 7) || within([2, 1], 4) || from(2, 2, 0);
  return {
    lockConditions: from(1, 18, 0),
    moves: [
      ...(from(1, 18, 0) ? (['upgrades'] as const) : []),
      ...(from(1, 19, 0) ? (['downgrades'] as const) : []),
    ],
    movesFromPulledVersion: from(2, 0, 3),
    prunesOutdatedRows: hasRowFixes,
    refreshesRowVersions: hasRowFixes,
    acceptsExistingObjects: from(1, 18, 0),
    quotesMissing: from(1, 20, 0),
    reportsConflicts: from(1, 16, 0),
    explainsNoVersion: from(1, 18, 0),
    quotesRevisionHealth: from(2, 0, 0),
    readsBeforeRevision: from(2, 2, 0),
    convertsCrds: from(2, 0, 0),
    unconvertedCrds: [
      ...(from(2, 0, 2)
        ? ['providerconfigs', 'clusterproviderconfigs', 'providerconfigusages']
        : []),
      ...(from(2, 2, 0) ? ['clusterproviderconfigusages'] : []),
    ],
  };
}
