import type { IndexPackage, IndexVersion } from '../../model/index-file.js';

/**
 * A package with the times at which an index first saw its versions: what it said before stays, and
 * what was not there, or was another image, comes in `now`, whatever an index that is its source says.
 * Of a package that the index did not list it cannot be told since when versions were out.
 */
export function withFirstSeen(
  after: IndexPackage,
  before: IndexPackage | undefined,
  now: string | undefined,
): IndexPackage {
  if (before === undefined) return after;
  const versions = Object.entries(after.versions).map(
    ([version, entry]): [string, IndexVersion] => {
      const held = Object.hasOwn(before.versions, version) ? before.versions[version] : undefined;
      const isSame = held !== undefined && held.digest === entry.digest;
      const { firstSeen: _, ...rest } = entry;
      const firstSeen = isSame ? held.firstSeen : now;
      return [version, firstSeen === undefined ? rest : { ...rest, firstSeen }];
    },
  );
  return { ...after, versions: Object.fromEntries(versions) };
}
