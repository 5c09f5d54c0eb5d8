import type { Dialect } from './dialect.js';
import { compareVersions, isIncomplete, parseVersion, type Version } from './version.js';

/** How a release reads tags. */
interface TagRules {
  readonly dialect: Dialect;
  /** Tags such as `v1` and `1.2` are not installed. */
  readonly skipsIncompleteTags: boolean;
}

/** The newest of the tags that can be installed and pass `takes`; undefined: none does. */
export function newestOf(
  tags: readonly string[],
  { dialect, skipsIncompleteTags }: TagRules,
  takes: (version: Version) => boolean,
): Version | undefined {
  let newest: Version | undefined;
  for (const tag of tags) {
    const version = parseVersion(tag, dialect);
    if (version === undefined || (skipsIncompleteTags && isIncomplete(version))) continue;
    if (newest !== undefined && !comesAfter(version, newest)) continue;
    if (takes(version)) newest = version;
  }
  return newest;
}

/** Of tags with equal precedence the greatest string wins. */
function comesAfter(a: Version, b: Version): boolean {
  const order = compareVersions(a, b);
  return order > 0 || (order === 0 && a.raw > b.raw);
}
