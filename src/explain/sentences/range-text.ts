import { orList } from './word-list.js';
import type { PackageVersions } from '../../solver/encoder/package-versions.js';
import { PRESENT } from '../../solver/encoder/policies.js';
import type { VersionSet } from '../../solver/version-set.js';

/** How many stretches of versions are named; of more, only the ends of them all. */
const MAX_STRETCHES_NAMED = 3;

/** All versions that there are. */
export const EVERY_VERSION = 'every version';

/**
 * Part of step 3: versions in as few words as denote them: `every version`, `v1.2.0 to v1.9.3`, `v1.0.0 or v1.2.0`.
 *
 * A stretch is one of versions that exist: nothing is said of what lies between.
 */
export function rangeText(
  versions: PackageVersions,
  values: VersionSet,
  list: (items: readonly string[]) => string = orList,
): string {
  if (values.equals(PRESENT)) return EVERY_VERSION;
  const ascending = versions.ascending();
  const inside = ascending.filter((value) => values.has(value));
  const opaque = versions
    .all()
    .filter((value) => versions.version(value) === undefined && values.has(value))
    .map((value) => versions.label(value));
  if (versions.listed && inside.length === ascending.length && inside.length > 1) {
    return EVERY_VERSION;
  }
  const stretches: string[] = [];
  let start: number | undefined;
  for (const [i, value] of ascending.entries()) {
    if (!values.has(value)) continue;
    start ??= value;
    const next = ascending[i + 1];
    if (next !== undefined && values.has(next)) continue;
    const [first, last] = [versions.label(start), versions.label(value)];
    stretches.push(first === last ? first : `${first} to ${last}`);
    start = undefined;
  }
  const all = [...stretches, ...opaque.sort()];
  if (all.length === 0) return 'no version';
  if (all.length <= MAX_STRETCHES_NAMED) return list(all);
  if (inside.length === 0)
    return list([...all.slice(0, MAX_STRETCHES_NAMED), `${all.length - MAX_STRETCHES_NAMED} more`]);
  const ends = [inside[0]!, inside.at(-1)!].map((value) => versions.label(value));
  return list([`${inside.length} versions from ${ends[0]!} to ${ends[1]!}`, ...opaque]);
}
