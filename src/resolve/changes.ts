import type { Lockfile } from '../lock/lockfile.js';
import { byCodePoint } from '../model/code-point-order.js';
import type { Repository } from '../model/package.js';

/** A package that is new, gone, or at another version or digest. */
export interface Change {
  readonly repository: Repository;
  /** undefined: it was not there. */
  readonly from: string | undefined;
  /** undefined: it is no longer there. */
  readonly to: string | undefined;
  /** The version stayed, and what it points at did not. */
  readonly movedTag: boolean;
}

/** What differs between two lockfiles, by package. */
export function changesBetween(before: Lockfile | undefined, after: Lockfile): Change[] {
  const old = new Map(before?.packages.map((locked) => [locked.repository, locked]));
  const fresh = new Map(after.packages.map((locked) => [locked.repository, locked]));
  const repositories = [...new Set([...old.keys(), ...fresh.keys()])].sort(byCodePoint);
  return repositories.flatMap((repository): Change[] => {
    const [a, b] = [old.get(repository), fresh.get(repository)];
    const movedTag = a !== undefined && a.version === b?.version && a.digest !== b.digest;
    if (a?.version === b?.version && !movedTag) return [];
    return [{ repository, from: a?.version, to: b?.version, movedTag }];
  });
}
