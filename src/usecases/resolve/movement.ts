import { rulingText } from '../../explain/sentences/ruling-text.js';
import type { LockedPackage, Lockfile } from '../../lock/lockfile.js';
import type { Repository } from '../../model/package.js';
import type { Target } from '../../model/target/target.js';
import { effectiveRepository } from '../../solver/effective.js';
import type { Problem } from '../../solver/problem.js';
import type { Requirers } from './requirers.js';
import { changesBetween, type Change } from '../../lock/changes.js';
import { misfitOf } from './misfit.js';
import { ruledOut, ruleText } from './ruled-out.js';

/** A change, and what brought it about. */
export interface Movement extends Change {
  /** undefined: neither the lockfiles nor the request say. */
  readonly reason: string | undefined;
}

interface Moved {
  readonly before: Lockfile | undefined;
  readonly after: Lockfile;
  /** What was asked, as `target` reads it. */
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
    whyRuledOut(old, moved) ??
    whyUnsuited(old, moved) ??
    `\`${from}\` no longer fits the rest, or is no longer to be had`
  );
}

function whyRemoved(repository: Repository, { problem }: Moved): string {
  const successor = effectiveRepository(problem, repository);
  return successor === repository ? 'nothing requires it any more' : `replaced by ${successor}`;
}

/** What no longer admits the old version. */
function whyRuledOut({ repository, version }: LockedPackage, moved: Moved): string | undefined {
  const found = ruledOut(repository, version, moved);
  switch (found?.by) {
    case 'override':
      return `overridden: ${ruleText(found.rule)}`;
    case 'exclusion':
      return `\`${version}\` is excluded: ${ruleText(found.rule)}`;
    case 'policy':
      return `\`${version}\` ${rulingText(found.ruling, false)}`;
    case 'requirer':
      return found.requirer.text;
    case undefined:
      return undefined;
  }
}

/** What the old version itself does not get along with. */
function whyUnsuited(old: LockedPackage, moved: Moved): string | undefined {
  const { repository, version } = old;
  const others = moved.after.packages.filter((locked) => locked.repository !== repository);
  const found = misfitOf({ repository, said: old }, others, moved);
  switch (found?.because) {
    case 'crossplane':
      return `${version} needs Crossplane \`${found.constraint}\``;
    case 'owns': {
      const { other, object } = found;
      return `${version} owns ${object.kind} ${object.name}, as does ${other.repository} ${other.version}`;
    }
    case 'requires': {
      const { other, requirement } = found;
      return `${version} requires ${other.repository} \`${requirement.constraint}\`, which is now at ${other.version}`;
    }
    case undefined:
      return undefined;
  }
}
