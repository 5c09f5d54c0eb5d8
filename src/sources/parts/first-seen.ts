import pLimit from 'p-limit';
import type { IndexFile, IndexPackage, IndexVersion } from '../../model/index-file.js';
import type { Repository } from '../../model/package.js';

/** Packages read at once. */
const AT_ONCE = 8;

/**
 * A package with the times at which versions were first seen that the index in whose place it is written
 * says of the same images. Of others, what is known of them stays.
 */
function keepingFirstSeen(after: IndexPackage, before: IndexPackage | undefined): IndexPackage {
  if (before === undefined) return after;
  const versions = Object.entries(after.versions).map(
    ([version, entry]): [string, IndexVersion] => {
      const held = Object.hasOwn(before.versions, version) ? before.versions[version] : undefined;
      const isSame = held?.firstSeen !== undefined && held.digest === entry.digest;
      return [version, isSame ? { ...entry, firstSeen: held.firstSeen } : entry];
    },
  );
  return { ...after, versions: Object.fromEntries(versions) };
}

/** An index with the times of another, in whose place it is written; `before` tells its packages. */
export async function withTimesOf(
  { packages }: IndexFile,
  before: (repository: Repository, after: IndexPackage) => Promise<IndexPackage | undefined>,
): Promise<IndexFile> {
  const limit = pLimit(AT_ONCE);
  const kept = await Promise.all(
    Object.entries(packages).map(([repository, after]) =>
      limit(async (): Promise<[string, IndexPackage]> => [
        repository,
        keepingFirstSeen(after, await before(repository, after)),
      ]),
    ),
  );
  return { packages: Object.fromEntries(kept) };
}

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
