import { compareVersions, isIncomplete, parseVersion, type Version } from '../../semver/version.js';
import type { Problem } from '../problem.js';

/**
 * The tags of a repository that are versions fit to install, ascending. Tags of equal precedence
 * are one version: the greatest string stands for it.
 */
export function installableVersions(
  tags: readonly string[],
  { dialect, skipsIncompleteTags }: Pick<Problem, 'dialect' | 'skipsIncompleteTags'>,
): readonly Version[] {
  const form = `${dialect} ${skipsIncompleteTags}`;
  const found = known.get(tags)?.get(form);
  if (found !== undefined) return found;
  const versions = read(tags, { dialect, skipsIncompleteTags });
  known.set(tags, new Map([...(known.get(tags) ?? []), [form, versions]]));
  return versions;
}

/** The searches of a run are told the same lists, time and again. */
const known = new WeakMap<readonly string[], ReadonlyMap<string, readonly Version[]>>();

function read(
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
