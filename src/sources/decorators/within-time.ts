import type { PackageSource } from '../../model/package-source.js';
import type { TimeBudget } from '../../model/time/time-budget.js';
import type { Candidate } from '../../model/package.js';
import type { Target } from '../../model/target/target.js';
import { traitsOf } from './traits.js';

/** Ends waiting for a source with a time of its own, where the source waits for others as well. */
export function withinTime(source: PackageSource, budget: TimeBudget): PackageSource {
  return {
    ...traitsOf(source),
    tags: (repository, target) =>
      budget.wait(`the tags of ${repository}`, source.tags(repository, target)),
    fetch: (candidate, target) =>
      budget.wait(`${candidate.repository} ${candidate.version}`, source.fetch(candidate, target)),
    ...(source.released && {
      released: (candidate: Candidate, target: Target) =>
        budget.wait(
          `the date of ${candidate.repository} ${candidate.version}`,
          source.released!(candidate, target),
        ),
    }),
  };
}
