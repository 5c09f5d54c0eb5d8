import type { PackageSource } from '../../model/package-source.js';
import type { TimeBudget } from '../../model/time/time-budget.js';
import { releasedBy } from '../../model/policy/released-by.js';
import { traitsOf } from './traits.js';

/** Ends waiting for a source with a time of its own, where the source waits for others as well. */
export function withinTime(source: PackageSource, budget: TimeBudget): PackageSource {
  return {
    ...traitsOf(source),
    tags: (repository, target) =>
      budget.wait(`the tags of ${repository}`, source.tags(repository, target)),
    fetch: (candidate, target) =>
      budget.wait(`${candidate.repository} ${candidate.version}`, source.fetch(candidate, target)),
    released: (candidate, target) =>
      budget.wait(
        `the date of ${candidate.repository} ${candidate.version}`,
        releasedBy(source, candidate, target),
      ),
  };
}
