import { parseConstraint } from './constraint.js';
import type { Dialect } from './dialect.js';
import { compareVersions, type Version } from './version.js';

/** What is left for other versions, and how a dialect reads it. */
interface Left {
  /** A constraint, or a full version. */
  readonly asked: string;
  readonly dialect: Dialect;
}

/**
 * Versions in the order in which one would leave a constraint for them: first those that it admits
 * or passes over, newest first; then those above it, lowest first; then those below it, highest
 * first. Where the text is no constraint: newest first.
 */
export function nearestFirst(
  versions: readonly Version[],
  { asked, dialect }: Left,
): readonly Version[] {
  const newest = versions.toSorted((a, b) => compareVersions(b, a));
  const bounds = boundsOf(newest, { asked, dialect });
  if (bounds === undefined) return newest;
  const above = newest.filter((version) => compareVersions(version, bounds.highest) > 0);
  const below = newest.filter((version) => compareVersions(version, bounds.lowest) < 0);
  const within = newest.slice(above.length, newest.length - below.length);
  return [...within, ...above.toReversed(), ...below];
}

/** Whether a version is lower than all that a constraint names, and than all that it admits. */
export function isBelow(version: Version, versions: readonly Version[], left: Left): boolean {
  const bounds = boundsOf(versions, left);
  return bounds !== undefined && compareVersions(version, bounds.lowest) < 0;
}

/** The lowest and the highest of what a constraint names and what it admits; undefined: neither. */
function boundsOf(
  versions: readonly Version[],
  { asked, dialect }: Left,
): { readonly lowest: Version; readonly highest: Version } | undefined {
  const constraint = parseConstraint(asked, dialect);
  if (constraint.invalid) return undefined;
  const named = constraint.groups
    .flat()
    .filter(({ wildcard }) => wildcard !== 'major')
    .map(({ bound }) => bound);
  const admitted = versions.filter((version) => constraint.admits(version));
  const all = [...named, ...admitted].sort(compareVersions);
  const [lowest, highest] = [all[0], all.at(-1)];
  return lowest && highest && { lowest, highest };
}
