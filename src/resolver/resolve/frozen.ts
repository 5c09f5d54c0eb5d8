import type { Solved } from './answer.js';
import { requirersIn } from './movements.js';
import { type ResolveOptions, toProblem } from './to-problem.js';
import { formatOrigin } from '../../base/errors.js';
import { selectorText } from '../../crossplane/constraints/constraint.js';
import { satisfies } from '../../crossplane/constraints/installable-versions.js';
import { isSelected, releaseSelector } from '../../crossplane/releases/target-choice.js';
import { type Target, targetFor } from '../../crossplane/releases/target.js';
import type { Request } from '../../project/inputs/request.js';
import type { Lockfile } from '../../project/lockfile/lockfile.js';
import {
  effectiveRepository,
  effectiveSelector,
  packageRoots,
  type Problem,
} from '../solver/problem.js';

/** Returns a lockfile as the answer. Throws an `InputError` if the request is invalid. */
export function answerFromLockfile(
  lockfile: Lockfile,
  request: Request,
  { crossplane, compat }: Pick<ResolveOptions, 'crossplane' | 'compat'> = {},
): Solved | { readonly status: 'stale'; readonly reasons: readonly string[] } {
  const target = targetFor(lockfile.crossplane)!;
  const problem = toProblem(request, [target], { compat });
  const releases = releaseSelector(request, crossplane);
  const reasons = staleReasons(lockfile, problem, target);
  if (releases !== undefined && !isSelected(target, releases)) {
    reasons.unshift(
      `it is for Crossplane ${lockfile.crossplane}, and ${releases.text} is asked for`,
    );
  }
  if (reasons.length > 0) return { status: 'stale', reasons };
  return {
    status: 'solved',
    target,
    lockfile,
    order: lockfile.packages.map(({ repository }) => repository),
    requirers: requirersIn(lockfile, problem),
    unrequired: [],
    changes: [],
    movedTags: [],
    notes: [],
    warnings: [],
    stats: { listed: 0, fetched: 0, decisions: 0, conflicts: 0 },
  };
}

/** Returns why locked packages do not satisfy the roots of a request; empty if they do. */
export function staleReasons(lockfile: Lockfile, problem: Problem, target: Target): string[] {
  const locked = new Map(lockfile.packages.map((one) => [one.repository, one.version]));
  return packageRoots(problem).flatMap((root) => {
    const repository = effectiveRepository(problem, root.repository);
    const selector = effectiveSelector(problem, repository, root.selector);
    const place = formatOrigin(root.origin);
    const version = locked.get(repository);
    if (version === undefined) return [`${repository} (${place}) is not in the lockfile`];
    if (satisfies(version, selector, target, 'all')) return [];
    return [
      `${repository} is locked at ${version}, and ${place} asks for \`${selectorText(selector)}\``,
    ];
  });
}
