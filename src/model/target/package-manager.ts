import { compareTriples, tripleOf, type Target } from './target.js';

/**
 * How a release's own package manager goes about its work, once objects are in a cluster.
 *
 * Apart from `TargetRules`, for none of this decides what can be installed: releases that differ
 * here alone are still solved for together.
 */
export interface PackageManagerRules {
  /** The Lock says whether dependencies could be resolved. */
  readonly lockConditions: boolean;
  /** Ways in which a flag lets it move what is installed. */
  readonly moves: readonly ('upgrades' | 'downgrades')[];
  /** Of a package that it may move, the version is read from what was pulled, not from what was asked for. */
  readonly movesFromPulledVersion: boolean;
  /** With upgrades, rows that fit none of their dependents are left out before it looks. */
  readonly prunesOutdatedRows: boolean;
  /** A row follows its revision to another tag of the same image. */
  readonly refreshesRowVersions: boolean;
  /** That the object of a dependency is there already is not an error. */
  readonly acceptsExistingObjects: boolean;
  /** Missing dependencies are quoted with their constraints. */
  readonly quotesMissing: boolean;
  /** Incompatible dependencies are told with what is installed. */
  readonly tellsIncompatible: boolean;
  /** That no version will do is told at length. */
  readonly tellsNoVersion: boolean;
  /** Revisions have a condition of their own, which packages quote. */
  readonly quotesRevisionHealth: boolean;
  /** A package is read before it has a revision. */
  readonly readsBeforeRevision: boolean;
  /** CRDs of a provider become ManagedResourceDefinitions. */
  readonly convertsCrds: boolean;
  /** Those that do not: plurals of a provider's configurations and of what records their use. */
  readonly keptCrds: readonly string[];
}

export function packageManagerOf({ version }: Target): PackageManagerRules {
  const triple = tripleOf(version)!;
  const [major, minor, patch] = triple;
  const from = (...release: readonly [number, number, number]) =>
    compareTriples(triple, release) >= 0;
  const within = (line: readonly [number, number], first: number) =>
    major === line[0] && minor === line[1] && patch >= first;
  const mendsRows = within([1, 20], 5) || within([2, 0], 7) || within([2, 1], 4) || from(2, 2, 0);
  return {
    lockConditions: from(1, 18, 0),
    moves: [
      ...(from(1, 18, 0) ? (['upgrades'] as const) : []),
      ...(from(1, 19, 0) ? (['downgrades'] as const) : []),
    ],
    movesFromPulledVersion: from(2, 0, 3),
    prunesOutdatedRows: mendsRows,
    refreshesRowVersions: mendsRows,
    acceptsExistingObjects: from(1, 18, 0),
    quotesMissing: from(1, 20, 0),
    tellsIncompatible: from(1, 16, 0),
    tellsNoVersion: from(1, 18, 0),
    quotesRevisionHealth: from(2, 0, 0),
    readsBeforeRevision: from(2, 2, 0),
    convertsCrds: from(2, 0, 0),
    keptCrds: [
      ...(from(2, 0, 2)
        ? ['providerconfigs', 'clusterproviderconfigs', 'providerconfigusages']
        : []),
      ...(from(2, 2, 0) ? ['clusterproviderconfigusages'] : []),
    ],
  };
}
