import { compareVersions, isIncomplete, parseVersion, type Version } from '../../semver/version.js';
import type { Problem } from '../problem.js';

/**
 * The tags of a repository that are versions fit to install, ascending. Tags of equal precedence
 * are one version: the greatest string stands for it.
 */
export function installableVersions(
  tags: readonly string[],
  { dialect, skipsIncompleteTags }: Pick<Problem, 'dialect' | 'skipsIncompleteTags'>,
): Version[] {
  const versions: Version[] = [];
  for (const tag of tags) {
    const version = parseVersion(tag, dialect);
    if (version === undefined) continue;
    if (!skipsIncompleteTags || !isIncomplete(version)) versions.push(version);
  }
  versions.sort((a, b) => compareVersions(a, b) || (a.raw < b.raw ? -1 : 1));
  return versions.filter(
    (version, i) => i + 1 === versions.length || compareVersions(version, versions[i + 1]!) !== 0,
  );
}
