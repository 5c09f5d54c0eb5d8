import type { Lockfile } from '../../lock/lockfile.js';
import { formatOrigin } from '../../model/input-error.js';
import type { Target } from '../../model/target/target.js';
import { effectiveRepository, effectiveSelector } from '../../solver/effective.js';
import type { RootPackage, Problem } from '../../solver/problem.js';
import { meetsSelector } from '../resolve/meets-selector.js';
import { selectorText } from '../../model/selector.js';

/** Why a lockfile does not answer what is asked, as far as can be told from the two alone. */
export function staleness(lockfile: Lockfile, problem: Problem, target: Target): string[] {
  const locked = new Map(lockfile.packages.map((one) => [one.repository, one]));
  const roots = problem.roots.filter((d): d is RootPackage => d.requires === 'package');
  return roots.flatMap((root) => {
    const repository = effectiveRepository(problem, root.repository);
    const selector = effectiveSelector(problem, repository, root.selector);
    const place = formatOrigin(root.origin);
    const there = locked.get(repository);
    if (there === undefined) return [`${repository} (${place}) is not in the lockfile`];
    if (meetsSelector(there.version, selector, target, 'all')) return [];
    return [
      `${repository} is locked at ${there.version}, and ${place} asks for \`${selectorText(selector)}\``,
    ];
  });
}
