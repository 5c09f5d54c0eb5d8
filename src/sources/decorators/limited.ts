import pLimit from 'p-limit';
import type { PackageSource } from '../../model/package-source.js';
import { releasedBy } from '../../model/policy/released-by.js';
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
    fetch: (candidate, target) => limit(() => source.fetch(candidate, target)),
    released: (candidate, target) => limit(() => releasedBy(source, candidate, target)),
  };
}
