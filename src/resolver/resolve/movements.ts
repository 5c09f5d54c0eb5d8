import { getOrCreate } from '../../base/collections.js';
import { formatOrigin } from '../../base/errors.js';
import {
  type Selector,
  selectorOf,
  selectorText,
} from '../../crossplane/constraints/constraint.js';
import { satisfies } from '../../crossplane/constraints/installable-versions.js';
import { formatCrdRef } from '../../crossplane/packages/crd-ref.js';
import { ownershipKey } from '../../crossplane/packages/owned-objects.js';
import type { Repository } from '../../crossplane/packages/package.js';
import type { Target } from '../../crossplane/releases/target.js';
import { lockGraph } from '../../project/lockfile/lock-graph.js';
import {
  byRepository,
  type Change,
  changesBetween,
  type LockedPackage,
  type Lockfile,
} from '../../project/lockfile/lockfile.js';
import { rulingText } from '../explain/fact-clause.js';
import { effectiveRepository, type Problem, type Rule } from '../solver/problem.js';

/** A change of a package, with its reason. */
export interface Movement extends Change {
  /** Undefined if the lockfiles and the request do not show it. */
  readonly reason: string | undefined;
}

/** Inputs of the reasons of changes. */
interface MovementContext extends RuleContext {
  /** Packages that the user wanted to update. */
  readonly unlock: ReadonlySet<Repository> | 'all' | undefined;
}

/** Returns what differs between two lockfiles, by package, with the reasons. */
export function movements(
  before: Lockfile | undefined,
  after: Lockfile,
  context: MovementContext,
): Movement[] {
  const old = byRepository(before?.packages);
  return changesBetween(before, after).map((change) => ({
    ...change,
    reason: reasonFor(change, old.get(change.repository), after, context),
  }));
}

function reasonFor(
  { repository, from, to, movedTag }: Change,
  old: LockedPackage | undefined,
  after: Lockfile,
  context: MovementContext,
): string | undefined {
  const { problem, requirers, unlock } = context;
  if (movedTag !== undefined) return `locked ${movedTag.from}, now ${movedTag.to}`;
  if (old === undefined) return requirers.get(repository)?.[0]?.text;
  if (to === undefined) {
    const successor = effectiveRepository(problem, repository);
    return successor === repository ? 'nothing requires it any more' : `replaced by ${successor}`;
  }
  if (unlock === 'all' || unlock?.has(repository) === true) return 'asked for';
  return (
    excludingRule(repository, old.version, context) ??
    whyInConflict(old, after, context) ??
    `\`${from}\` no longer fits the rest, or is no longer to be had`
  );
}

/** Returns which constraint or object of the old version conflicts with the new set, if one does. */
function whyInConflict(
  { repository, version, crossplane, requirements, owns }: LockedPackage,
  after: Lockfile,
  { problem, target }: RuleContext,
): string | undefined {
  if (crossplane !== undefined && !problem.anyCrossplane.has(repository)) {
    const admitsTarget = satisfies(target.version, selectorOf(crossplane), target, 'named');
    if (!admitsTarget) return `${version} needs Crossplane \`${crossplane}\``;
  }
  const others = after.packages.filter((locked) => locked.repository !== repository);
  const owned = new Set(owns.map(ownershipKey));
  for (const other of others) {
    const object = other.owns.find((each) => owned.has(ownershipKey(each)));
    if (object === undefined) continue;
    return `${version} owns ${object.kind} ${object.name}, as does ${other.repository} ${other.version}`;
  }
  for (const requirement of requirements) {
    if (requirement.requires !== 'package') continue;
    const on = effectiveRepository(problem, requirement.repository);
    const other = others.find((each) => each.repository === on);
    if (other === undefined || problem.overrides.has(on)) continue;
    const { constraint } = requirement;
    if (satisfies(other.version, selectorOf(constraint), target, 'all')) continue;
    return `${version} requires ${on} \`${constraint}\`, which is now at ${other.version}`;
  }
  return undefined;
}

interface RuleContext {
  readonly requirers: Requirers;
  readonly problem: Problem;
  readonly target: Target;
}

/**
 * Returns the rule or requirer that excludes a version as a reason; undefined: none does. An override
 * decides alone; otherwise exclusions come first, then policies, then requirers.
 */
export function excludingRule(
  repository: Repository,
  version: string,
  { requirers, problem, target }: RuleContext,
): string | undefined {
  const isSelectedBy = (selector: Selector) => satisfies(version, selector, target, 'all');
  const override = problem.overrides.get(repository);
  if (override !== undefined) {
    return isSelectedBy(override.selector) ? undefined : `overridden: ${ruleText(override)}`;
  }
  const rule = problem.exclude.get(repository)?.find(({ selector }) => isSelectedBy(selector));
  if (rule !== undefined) return `\`${version}\` is excluded: ${ruleText(rule)}`;
  const ruling =
    problem.policy?.repository(repository) ??
    problem.policy?.versions(repository).find(({ matches }) => matches(version))?.ruling;
  if (ruling !== undefined) return `\`${version}\` ${rulingText(ruling, false)}`;
  const known = requirers.get(repository) ?? [];
  return known.find(({ selector }) => selector !== undefined && !isSelectedBy(selector))?.text;
}

function ruleText({ selector, origin }: Rule): string {
  return `\`${selectorText(selector)}\` (${formatOrigin(origin)})`;
}

/** A root or locked package that requires a package. */
export interface Requirer {
  /** The requirement as a sentence. */
  readonly text: string;
  /** Undefined if an API is required, which any version may own. */
  readonly selector: Selector | undefined;
}

/** Roots and locked packages that require each package, roots first. */
export type Requirers = ReadonlyMap<Repository, readonly Requirer[]>;

export function requirersIn(lockfile: Lockfile, problem: Problem): Requirers {
  const requirers = new Map<Repository, Requirer[]>();
  const add = (repository: Repository, requirer: Requirer) =>
    getOrCreate(requirers, repository, () => []).push(requirer);
  const graph = lockGraph(lockfile, (named) => effectiveRepository(problem, named));
  for (const root of problem.roots) {
    const place = formatOrigin(root.origin);
    if (root.requires === 'package') {
      const { repository, selector } = root;
      add(effectiveRepository(problem, repository), {
        text: `${place} asks for \`${selectorText(selector)}\``,
        selector,
      });
    } else if (root.requires === 'api') {
      const owner = graph.ownerOf(root.crd)?.repository;
      const text = `${place} asks for the API ${formatCrdRef(root.crd)}`;
      if (owner !== undefined) add(owner, { text, selector: undefined });
    }
  }
  for (const { repository } of lockfile.packages) {
    for (const { from, requirement, constraint } of graph.requirersOf(repository)) {
      const isPackage = requirement.requires === 'package';
      const on = isPackage ? `\`${constraint}\`` : `the API ${constraint}`;
      const text = `${from.repository} ${from.version} requires ${on}`;
      add(repository, { text, selector: isPackage ? selectorOf(constraint) : undefined });
    }
  }
  return requirers;
}
