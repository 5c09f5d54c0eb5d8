import type { Lockfile } from '../lock/lockfile.js';
import type { Request } from '../model/request.js';
import { targetFor } from '../model/target/target.js';
import { releaseSelector, isSelected } from '../model/target/target-choice.js';
import { requirersIn } from './resolve/requirers.js';
import type { Solved } from './resolve/answer.js';
import { toProblem } from './resolve/to-problem.js';
import { staleness } from './verify/staleness.js';

interface FrozenOptions {
  /** The Crossplane release that is asked for, or a range; beats the request's own. */
  readonly crossplane?: string | undefined;
  readonly compat?: boolean | undefined;
}

/** A lockfile that does not answer what is asked. */
interface StaleLockfile {
  readonly status: 'stale';
  /** At least one. */
  readonly reasons: readonly string[];
}

/**
 * Takes a lockfile for the answer to a request, without asking a source: whether it still is one
 * can be told as far as the two say. Throws `InputError` for a request that makes no sense.
 */
export function frozen(
  lockfile: Lockfile,
  request: Request,
  { crossplane, compat }: FrozenOptions = {},
): Solved | StaleLockfile {
  const target = targetFor(lockfile.crossplane)!;
  const problem = toProblem(request, [target], { compat });
  const asked = releaseSelector(request, crossplane);
  const reasons = staleness(lockfile, problem, target);
  if (asked !== undefined && !isSelected(target, asked)) {
    reasons.unshift(`it is for Crossplane ${lockfile.crossplane}, and ${asked.text} is asked for`);
  }
  if (reasons.length > 0) return { status: 'stale', reasons };
  return {
    status: 'solved',
    target,
    lockfile,
    order: lockfile.packages.map(({ repository }) => repository),
    requirers: requirersIn(lockfile, problem),
    changes: [],
    movedTags: [],
    notes: [],
    warnings: [],
    stats: { listed: 0, fetched: 0, decisions: 0, conflicts: 0 },
  };
}
