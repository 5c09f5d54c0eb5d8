import type { Driver } from '../../driver/driver.js';
import type { Lockfile } from '../../lock/lockfile.js';
import type { Candidate, Repository } from '../../model/package.js';
import type { Target } from '../../model/target/target.js';
import type { Digest } from '../../text/digest.js';
import type { Mismatch } from '../mismatch.js';

interface MovedTagOptions {
  /** The last answer; undefined: there is none to compare with. */
  readonly lockfile?: Lockfile | undefined;
  readonly unlock?: ReadonlySet<Repository> | 'all' | undefined;
}

/**
 * The locked versions that name other bytes now, as far as the search has read them; `answer` is
 * what it came to. A package that was free to leave its locked version, and did, does not count.
 * One that had to leave it does: it may be for the new bytes that the old version no longer fits.
 */
export async function movedTags(
  driver: Driver,
  target: Target,
  { lockfile, unlock }: MovedTagOptions,
  answer?: Lockfile,
): Promise<Mismatch[]> {
  const answered = new Map(answer?.packages.map((one) => [one.repository, one.version]));
  const found: Mismatch[] = [];
  for (const { repository, version, digest } of lockfile?.packages ?? []) {
    const free = unlock === 'all' || unlock?.has(repository) === true;
    if (digest === undefined || (free && answered.get(repository) !== version)) continue;
    const now = (await driver.fetchedIfRead({ repository, version }, target))?.digest;
    if (now === undefined || now === digest) continue;
    found.push(movedTag({ repository, version, digest }, now));
  }
  return found;
}

/** `held`: a source still has what was locked. */
export function movedTag(
  { repository, version, digest }: Candidate & { readonly digest: Digest },
  found: Digest,
  held = false,
): Mismatch {
  const still = held ? ', which are still there' : '';
  const text = `the tag was moved: \`${version}\` names other bytes than were locked${still}`;
  return { kind: 'tag-moved', repository, version, text, locked: digest, found };
}
