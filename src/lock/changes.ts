import type { LockedPackage, Lockfile } from './lockfile.js';
import { byCodePoint } from '../text/code-point-order.js';
import type { Repository } from '../model/package.js';
import type { Digest } from '../text/digest.js';

/** A package that is new, gone, or at another version or digest. */
export interface Change {
  readonly repository: Repository;
  /** undefined: it was not there. */
  readonly from: string | undefined;
  /** undefined: it is no longer there. */
  readonly to: string | undefined;
  /** The version stayed, and what it points at did not: what was locked, and what it is now. */
  readonly movedTag?: { readonly from: Digest; readonly to: Digest } | undefined;
}

/** What differs between two lockfiles, by package. */
export function changesBetween(before: Lockfile | undefined, after: Lockfile): Change[] {
  const old = new Map(before?.packages.map((locked) => [locked.repository, locked]));
  const fresh = new Map(after.packages.map((locked) => [locked.repository, locked]));
  const repositories = [...new Set([...old.keys(), ...fresh.keys()])].sort(byCodePoint);
  return repositories.flatMap((repository): Change[] => {
    const [a, b] = [old.get(repository), fresh.get(repository)];
    const change = { repository, from: a?.version, to: b?.version };
    if (a?.version !== b?.version) return [change];
    const movedTag = digestsOf(a, b);
    return movedTag === undefined ? [] : [{ ...change, movedTag }];
  });
}

/** A digest that was not known before tells nothing about the tag. */
function digestsOf(a: LockedPackage | undefined, b: LockedPackage | undefined) {
  const [from, to] = [a?.digest, b?.digest];
  return from === undefined || to === undefined || from === to ? undefined : { from, to };
}
