import type { Dialect } from '../../crossplane/constraints/dialects.js';
import { compareVersionTexts } from '../../crossplane/constraints/version.js';
import type { Candidate } from '../../crossplane/packages/package.js';

/** The effect of a change on the locked packages. */
export interface ChangeEffect {
  /** Number of packages that get a newer version. */
  readonly up: number;
  /** Number of packages that get an older version. */
  readonly down: number;
  readonly added: number;
  readonly removed: number;
  /** Further effects, one sentence each: on roots, on the cluster, versions without an order. */
  readonly notes: readonly string[];
}

/**
 * Compares two package sets by repository and version. Without a lockfile, `before` is empty and
 * every package is added. A package at the same version is unchanged, whatever its digest.
 */
export function changeEffect(
  before: readonly Candidate[],
  after: readonly Candidate[],
  dialect: Dialect,
  notes: readonly string[] = [],
): ChangeEffect {
  const versionsBefore = new Map(before.map((each) => [each.repository, each.version]));
  const remaining = new Set(after.map(({ repository }) => repository));
  const counts = { up: 0, down: 0, added: 0 };
  const unordered: string[] = [];
  for (const { repository, version } of after) {
    const from = versionsBefore.get(repository);
    if (from === undefined) counts.added++;
    else if (from !== version) {
      const order = compareVersionTexts(version, from, dialect);
      if (order === undefined) unordered.push(`changes ${repository} from ${from} to ${version}`);
      else if (order > 0) counts.up++;
      else if (order < 0) counts.down++;
    }
  }
  const removed = before.filter(({ repository }) => !remaining.has(repository)).length;
  return { ...counts, removed, notes: [...notes, ...unordered] };
}

/** Returns the effect as one line: losses, gains, notes. Example: `downgrades 1, removes 11`. */
export function effectText({ up, down, added, removed, notes }: ChangeEffect): string {
  const counts = [
    ['downgrades', down],
    ['removes', removed],
    ['upgrades', up],
    ['adds', added],
  ] as const;
  const changed = counts.flatMap(([verb, count]) => (count === 0 ? [] : [`${verb} ${count}`]));
  const first = changed.length > 0 ? [changed.join(', ')] : [];
  return [...first, ...notes].join('; ') || 'changes no package';
}
