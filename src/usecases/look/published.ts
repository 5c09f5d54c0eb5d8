import { compareVersions, isIncomplete, parseVersion, type Version } from '../../semver/version.js';
import { byCodePoint } from '../../text/code-point-order.js';
import type { Target } from '../../model/target/target.js';

/** The tags that a target takes for versions, newest first; the greater string among equals. */
export function publishedVersions(tags: readonly string[], { rules }: Target): Version[] {
  return tags
    .flatMap((tag) => parseVersion(tag, rules.dialect) ?? [])
    .filter((version) => !(rules.skipsIncompleteTags && isIncomplete(version)))
    .sort((a, b) => compareVersions(b, a) || byCodePoint(b.raw, a.raw));
}
