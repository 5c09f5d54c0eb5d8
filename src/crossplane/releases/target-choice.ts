import { parseConstraint, type Constraint } from '../constraints/constraint.js';
import { INDEPENDENT_DIALECT } from '../constraints/dialects.js';
import { compareVersions, parseVersion, type Version } from '../constraints/version.js';
import { InputError, type Origin } from '../../base/errors.js';
import { knownReleases, sameRules, targetFor, type Target } from './target.js';

interface TargetChoice {
  /** Groups of releases with the same rules, most preferred first. */
  readonly groups: readonly (readonly Target[])[];
  readonly notes: readonly string[];
  readonly warnings: readonly string[];
}

/** A release or a range of releases, and where it is written. */
export interface ReleaseSelector {
  readonly text: string;
  readonly origin: Origin;
}

/** Returns the release of `--crossplane` or, without the flag, of the PackageSet. */
export function releaseSelector(
  request: { readonly crossplane?: ReleaseSelector | undefined },
  flag: string | undefined,
): ReleaseSelector | undefined {
  return flag === undefined ? request.crossplane : { text: flag, origin: { file: '--crossplane' } };
}

/** Returns the releases of a selector; by default the newest. `extra` are releases to add. */
export function chooseTargets(
  selector: ReleaseSelector | undefined,
  extra: readonly string[] = [],
): TargetChoice {
  const releases = allReleases(extra);
  if (selector === undefined) {
    const newest = releases[0]!;
    const note = `no --crossplane given: resolving for ${newest.version}, the newest release known`;
    return singleTargetChoice(newest, note);
  }
  const exact = targetFor(selector.text);
  if (exact !== undefined) return singleTargetChoice(exact);
  const constraint = rangeOf(selector);
  const admitted = releases.filter((target) => constraint.admits(versionOf(target)));
  if (admitted.length === 0) {
    const hint = `the newest release known is ${releases[0]!.version}; --crossplane-versions adds others`;
    const message = `no known release is in Crossplane \`${selector.text}\``;
    throw new InputError(message, { origin: selector.origin, hint });
  }
  return { groups: groupByRules(admitted), notes: [], warnings: [] };
}

export function isSelected(target: Target, selector: ReleaseSelector): boolean {
  const exact = targetFor(selector.text);
  if (exact === undefined) return rangeOf(selector).admits(versionOf(target));
  return compareVersions(versionOf(exact), versionOf(target)) === 0;
}

function rangeOf({ text, origin }: ReleaseSelector): Constraint {
  const constraint = parseConstraint(text, INDEPENDENT_DIALECT);
  if (!constraint.invalid) return constraint;
  const hint = 'write a release such as `v2.3.4`, or a range such as `>=v1.20.0`';
  const message = `Crossplane \`${text}\` is neither a version nor a range (${constraint.error})`;
  throw new InputError(message, { origin, hint });
}

/** Returns the version of a target, as Crossplane constraints of packages compare it. */
export function versionOf(target: Target): Version {
  return parseVersion(target.version, target.rules.dialect)!;
}

/** Returns known and extra stable releases, newest first. */
export function allReleases(extra: readonly string[]): Target[] {
  const targets = [...new Set([...knownReleases(), ...extra])].map((release) => {
    const target = targetFor(release);
    if (target !== undefined) return target;
    throw new InputError(`\`${release}\` in --crossplane-versions is not a release`, {
      hint: 'write full versions, separated by commas: `v2.5.0,v2.6.0`',
    });
  });
  return targets.sort((a, b) => compareVersions(versionOf(b), versionOf(a)));
}

/** Groups neighbors with the same rules. Keeps the order. */
export function groupByRules(targets: readonly Target[]): Target[][] {
  const groups: Target[][] = [];
  for (const target of targets) {
    const last = groups.at(-1);
    if (last !== undefined && sameRules(last[0]!, target)) last.push(target);
    else groups.push([target]);
  }
  return groups;
}

/** Returns the choice of a single release. */
function singleTargetChoice(target: Target, ...notes: readonly string[]): TargetChoice {
  const { warning } = target;
  return { groups: [[target]], notes, warnings: warning === undefined ? [] : [warning] };
}
