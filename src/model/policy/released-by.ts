import type { Candidate } from '../package.js';
import type { PackageSource, Released } from '../package-source.js';
import type { Target } from '../target/target.js';

/** When a version came to be; of a source that tells of none, only whether there is such a version. */
export async function releasedBy(
  source: PackageSource,
  candidate: Candidate,
  target: Target,
): Promise<Released | undefined> {
  if (source.released !== undefined) return source.released(candidate, target);
  return (await source.fetch(candidate, target)) && {};
}
