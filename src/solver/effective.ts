import type { Repository } from '../model/package.js';
import type { Selector } from '../model/selector.js';
import type { Problem } from './problem.js';

/** The repository that is installed where this one is named: `spec.replace` may say another. */
export function effectiveRepository(problem: Problem, named: Repository): Repository {
  return problem.replace.get(named) ?? named;
}

/** What decides on versions of a package: an override beats whatever is asked for. */
export function effectiveSelector(
  problem: Problem,
  repository: Repository,
  asked: Selector,
): Selector {
  return problem.overrides.get(repository)?.selector ?? asked;
}
