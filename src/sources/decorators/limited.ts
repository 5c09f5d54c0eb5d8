import pLimit from 'p-limit';
import type { PackageSource } from '../../model/package-source.js';
import type { Candidate } from '../../model/package.js';
import type { Target } from '../../model/target/target.js';
import { traitsOf } from './traits.js';

/**
 * Lets so many questions run at once; the others wait their turn. With one, none is asked ahead.
 * Sources that are given one `limit` share it.
 */
export function limited(
  source: PackageSource,
  concurrency: number,
  limit = pLimit(concurrency),
): PackageSource {
  return {
    ...traitsOf(source),
    ...(concurrency === 1 && { distant: false }),
    tags: (repository, target) => limit(() => source.tags(repository, target)),
    fetch: (candidate, target) => {
      const { repository, version } = candidate;
      const asked = concurrency === 1 ? { repository, version } : candidate;
      return limit(() => source.fetch(asked, target));
    },
    ...(source.released && {
      released: (candidate: Candidate, target: Target) =>
        limit(() => source.released!(candidate, target)),
    }),
  };
}
