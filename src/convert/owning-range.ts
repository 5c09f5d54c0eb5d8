import type { Dialect } from '../semver/dialect.js';
import { compareVersions, parseVersion, type Version } from '../semver/version.js';

/**
 * The range that admits the versions in `owning`, and of all that are published no others;
 * undefined: none of them is a version. Prereleases count where nothing else owns it.
 */
export function owningRange(
  owning: ReadonlySet<string>,
  published: readonly string[],
  dialect: Dialect,
): string | undefined {
  const all = published
    .map((text) => parseVersion(text, dialect))
    .filter((version) => version !== undefined)
    .sort(compareVersions);
  const stable = all.filter(({ prerelease }) => prerelease === '');
  const counted = stable.some(({ raw }) => owning.has(raw)) ? stable : all;
  const ranges: string[] = [];
  let from: Version | undefined;
  for (const version of counted) {
    const owns = owning.has(version.raw);
    if (owns) from ??= version;
    if (owns || from === undefined) continue;
    ranges.push(`>=${from.raw}, <${version.raw}`);
    from = undefined;
  }
  if (from !== undefined) ranges.push(`>=${from.raw}`);
  return ranges.length === 0 ? undefined : ranges.join(' || ');
}
