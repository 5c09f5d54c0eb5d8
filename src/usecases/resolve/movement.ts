import type { LockedPackage, Lockfile } from '../../lock/lockfile.js';
import { parseConstraint } from '../../semver/constraint.js';
import { formatOrigin } from '../../model/input-error.js';
import { ownershipKey } from '../../model/owned-object.js';
import type { Repository } from '../../model/package.js';
import type { Target } from '../../model/target/target.js';
import { effectiveRepository } from '../../solver/effective.js';
import type { Problem, Rule } from '../../solver/problem.js';
import type { Requirers } from './requirers.js';
import { changesBetween, type Change } from '../../lock/changes.js';
import { versionOf } from '../../model/target/target-choice.js';
import { meetsSelector } from './meets-selector.js';
import { selectorOf, selectorText, type Selector } from '../../model/selector.js';

/** A change, and what brought it about. */
export interface Movement extends Change {
  /** undefined: neither the lockfiles nor the request say. */
  readonly reason: string | undefined;
}

export interface Moved {
  readonly before: Lockfile | undefined;
  readonly after: Lockfile;
  /** What was asked, in the eyes of the release that the answer is for. */
  readonly problem: Problem;
  readonly requirers: Requirers;
  readonly target: Target;
  /** Packages that were to move. */
  readonly unlock: ReadonlySet<Repository> | 'all' | undefined;
}

/** What differs from the last answer, by package, and why: told from the two answers alone. */
export function movements(moved: Moved): Movement[] {
  return changesBetween(moved.before, moved.after).map((change) => ({
    ...change,
    reason: reasonFor(change, moved),
  }));
}

function reasonFor(change: Change, moved: Moved): string | undefined {
  const { repository, from, to, movedTag } = change;
  if (movedTag !== undefined) return `locked ${movedTag.from}, now ${movedTag.to}`;
  if (from === undefined) return moved.requirers.get(repository)?.[0]?.text;
  if (to === undefined) return whyRemoved(repository, moved);
  if (moved.unlock === 'all' || moved.unlock?.has(repository) === true) return 'asked for';
  const old = moved.before!.packages.find((locked) => locked.repository === repository)!;
  return (
    ruledOut(old, moved) ??
    unsuited(old, moved) ??
    `\`${from}\` no longer fits the rest, or is no longer to be had`
  );
}

function whyRemoved(repository: Repository, { problem }: Moved): string {
  const successor = effectiveRepository(problem, repository);
  return successor === repository ? 'nothing requires it any more' : `replaced by ${successor}`;
}

/** Who no longer admits the old version. */
function ruledOut(
  { repository, version }: LockedPackage,
  { problem, requirers, target }: Moved,
): string | undefined {
  const meets = (selector: Selector) => meetsSelector(version, selector, target);
  const override = problem.overrides.get(repository);
  if (override !== undefined) {
    return meets(override.selector) ? undefined : `overridden: ${ruleText(override)}`;
  }
  const excluded = problem.exclude.get(repository)?.find(({ selector }) => meets(selector));
  if (excluded !== undefined) return `\`${version}\` is excluded: ${ruleText(excluded)}`;
  return requirers
    .get(repository)
    ?.find(({ selector }) => selector !== undefined && !meets(selector))?.text;
}

function ruleText({ selector, origin }: Rule): string {
  return `\`${selectorText(selector)}\` (${formatOrigin(origin)})`;
}

/** What the old version itself does not get along with. */
function unsuited(old: LockedPackage, { after, problem, target }: Moved): string | undefined {
  const { repository, version, crossplane } = old;
  if (crossplane !== undefined && !problem.anyCrossplane.has(repository)) {
    const constraint = parseConstraint(crossplane, target.rules.dialect);
    if (constraint.invalid || !constraint.admits(versionOf(target))) {
      return `${version} needs Crossplane \`${crossplane}\``;
    }
  }
  const others = after.packages.filter((locked) => locked.repository !== repository);
  const owned = new Set(old.owns.map(ownershipKey));
  for (const other of others) {
    const shared = other.owns.find((object) => owned.has(ownershipKey(object)));
    if (shared === undefined) continue;
    return `${version} owns ${shared.kind} ${shared.name}, as does ${other.repository} ${other.version}`;
  }
  for (const requirement of old.requirements) {
    if (requirement.requires !== 'package') continue;
    const on = effectiveRepository(problem, requirement.repository);
    const there = others.find((other) => other.repository === on);
    if (there === undefined || problem.overrides.has(on)) continue;
    if (meetsSelector(there.version, selectorOf(requirement.constraint), target)) continue;
    return `${version} requires ${on} \`${requirement.constraint}\`, which is now at ${there.version}`;
  }
  return undefined;
}
