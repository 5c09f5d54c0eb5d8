import type { LockedPackage } from '../lock/lockfile.js';
import { isDigest } from '../model/package.js';
import type { FetchedPackage, PackageSource } from '../model/package-source.js';
import type { Target } from '../model/target.js';
import type { Mismatch } from './lock-mismatch.js';

/** A locked package as its source has it now. */
export interface LockedRead {
  readonly locked: LockedPackage;
  /** What was locked; undefined: nobody has it. */
  readonly fetched: FetchedPackage | undefined;
  readonly mismatches: readonly Mismatch[];
  /** What could not be checked. */
  readonly notes: readonly string[];
}

/** Asks what a locked version names now, and gets what was locked, by digest if it must. */
export async function readLocked(
  locked: LockedPackage,
  source: PackageSource,
  target: Target,
): Promise<LockedRead> {
  const { repository, version, digest } = locked;
  const named = await source.fetch({ repository, version }, target);
  if (digest === undefined || (named !== undefined && named.digest === undefined)) {
    const who = digest === undefined ? 'the lockfile' : 'its source';
    const notes = [`${who} does not say its digest, so its bytes were not compared`];
    return named === undefined
      ? { locked, fetched: undefined, mismatches: [gone(locked)], notes }
      : { locked, fetched: named, mismatches: [], notes };
  }
  if (named?.digest === digest) return { locked, fetched: named, mismatches: [], notes: [] };
  const held = isDigest(version)
    ? undefined
    : await source.fetch({ repository, version: digest }, target);
  const moved = named === undefined ? [] : [tagMoved(locked, named, held)];
  const lost = named === undefined || held === undefined ? [gone(locked, held)] : [];
  return { locked, fetched: held, mismatches: [...moved, ...lost], notes: [] };
}

function tagMoved(
  { repository, version, digest }: LockedPackage,
  named: FetchedPackage,
  held: FetchedPackage | undefined,
): Mismatch {
  return {
    kind: 'tag-moved',
    repository,
    version,
    text: `the tag was moved: \`${version}\` names other bytes than were locked${held === undefined ? '' : ', which are still there'}`,
    locked: digest,
    found: named.digest,
  };
}

function gone(locked: LockedPackage, held?: FetchedPackage): Mismatch {
  const { repository, version, digest } = locked;
  const text =
    held === undefined
      ? 'no source has what was locked'
      : `the tag \`${version}\` is gone; what it named is still there`;
  return { kind: 'gone', repository, version, text, locked: digest ?? version };
}
