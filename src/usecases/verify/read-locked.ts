import { lockedParts, type LockedPackage } from '../../lock/lockfile.js';
import { isDigest, type Digest } from '../../text/digest.js';
import type { CheckedPackage } from '../../driver/checked-package.js';
import type { SourceMemory } from '../../driver/source-memory.js';
import type { Target } from '../../model/target/target.js';
import type { Mismatch } from '../mismatch.js';
import { movedTag } from '../resolve/moved-tags.js';

/** A locked package as its source has it now. */
export interface LockedRead {
  readonly locked: LockedPackage;
  /** What was locked; undefined: no source has it. */
  readonly fetched: CheckedPackage | undefined;
  readonly mismatches: readonly Mismatch[];
  /** What could not be checked. */
  readonly notes: readonly string[];
}

export interface ReadingLocked {
  readonly source: SourceMemory;
  readonly target: Target;
  /** A lockfile may be without digests, though its sources have them. */
  readonly allowUndigested: boolean;
}

/** Asks what a locked version names now, and gets what was locked, by digest if it must. */
export async function readLocked(
  locked: LockedPackage,
  reading: ReadingLocked,
): Promise<LockedRead> {
  const { repository, version, digest } = locked;
  const parts = lockedParts(locked);
  const named = await reading.source.fetch({ repository, version, parts }, reading.target);
  const read = (fetched: CheckedPackage | undefined, found: Partial<LockedRead> = {}) => ({
    locked,
    fetched,
    mismatches: [],
    notes: [],
    ...found,
  });
  if (digest === undefined) {
    if (named === undefined) return read(undefined, { mismatches: [gone(locked)] });
    return read(named, undigested(locked, named.digest, reading));
  }
  if (named?.digest === digest) return read(named);
  if (named !== undefined && named.digest === undefined) {
    return read(named, { notes: ['its source does not say its digest: bytes were not compared'] });
  }
  if (isDigest(version)) return read(undefined, { mismatches: [gone(locked)] });
  const asked = { repository, version: digest, parts };
  const held = await reading.source.fetch(asked, reading.target);
  if (named !== undefined) {
    const lost = held === undefined ? [gone(locked)] : [];
    const moved = movedTag({ repository, version, digest }, named.digest!, held !== undefined);
    return read(held, { mismatches: [moved, ...lost] });
  }
  if (held === undefined) return read(undefined, { mismatches: [gone(locked)] });
  return read(held, await tagless(locked, reading));
}

type Findings = Pick<LockedRead, 'mismatches'> | Pick<LockedRead, 'notes'>;

function undigested(
  { repository, version }: LockedPackage,
  found: Digest | undefined,
  { allowUndigested }: ReadingLocked,
): Findings {
  if (found === undefined || allowUndigested) {
    return { notes: ['the lockfile does not say its digest: bytes were not compared'] };
  }
  const text = 'the lockfile does not say its digest, and its source does';
  return { mismatches: [{ kind: 'content', repository, version, text, locked: 'nothing', found }] };
}

/** What was locked is there, and its tag is not; not every source keeps tags. */
async function tagless(
  { repository, version, digest }: LockedPackage,
  { source, target }: ReadingLocked,
): Promise<Findings> {
  if ((await source.tags(repository, target)) === undefined) {
    return { notes: [`its source keeps no tags: whether \`${version}\` moved was not checked`] };
  }
  const text = `the tag \`${version}\` is gone; what it named is still there`;
  return { mismatches: [{ kind: 'gone', repository, version, text, locked: digest }] };
}

function gone({ repository, version, digest }: LockedPackage): Mismatch {
  const text = 'no source has what was locked';
  return { kind: 'gone', repository, version, text, locked: digest ?? version };
}
