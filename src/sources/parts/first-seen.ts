import type { IndexPackage, IndexVersion } from '../../model/index-file.js';

/**
 * A package with the times at which an index first saw its versions: what it said before stays, and
 * what was not there, or was another image, comes in `now`. Of a package that the index did not list
 * it cannot be told since when versions were out.
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
      const firstSeen = isSame ? held.firstSeen : now;
      return [version, firstSeen === undefined ? entry : { ...entry, firstSeen }];
    },
  );
  return { ...after, versions: Object.fromEntries(versions) };
}
