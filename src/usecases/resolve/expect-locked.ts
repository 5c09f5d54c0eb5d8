import type { SourceMemory } from '../../driver/source-memory.js';
import { lockedParts, type Lockfile } from '../../lock/lockfile.js';
import type { Repository } from '../../model/package.js';
import type { Target } from '../../model/target/target.js';
import { effectiveRepository, effectiveSelector } from '../../solver/effective.js';
import { requiredLists, takesList } from '../../solver/prefetch/required-lists.js';
import type { Problem } from '../../solver/problem.js';

/**
 * Asks a distant source, all at once, for what the last answer was made of and the roots still
 * lead to: the search will probably ask for it again, one level after the other.
 */
export function expectLocked(
  lockfile: Lockfile,
  problem: Problem,
  { memory, target }: { readonly memory: SourceMemory; readonly target: Target },
): void {
  if (!memory.distant) return;
  const locked = new Map(lockfile.packages.map((one) => [one.repository, one]));
  const reached = new Set<Repository>();
  const isRefused = (repository: Repository) =>
    problem.policy?.repository(repository) !== undefined;
  const reach = (named: Repository) => {
    const repository = effectiveRepository(problem, named);
    if (reached.has(repository) || isRefused(repository)) return;
    reached.add(repository);
    const version = problem.locked.get(repository);
    const last = locked.get(repository);
    if (version !== undefined) {
      const known = last?.version === version ? { parts: lockedParts(last) } : {};
      void memory.expectPackage({ repository, version, ...known }, target).catch(() => undefined);
    }
    if (last === undefined || problem.ignoreRequirements) return;
    for (const list of requiredLists(last, problem)) memory.expectTags(list.repository, target);
    for (const each of last.requirements) if (each.requires === 'package') reach(each.repository);
  };
  for (const root of problem.roots) {
    if (root.requires !== 'package') continue;
    const repository = effectiveRepository(problem, root.repository);
    const selector = effectiveSelector(problem, repository, root.selector);
    if (isRefused(repository)) continue;
    if (takesList(selector, problem)) memory.expectTags(repository, target);
    reach(repository);
  }
}
