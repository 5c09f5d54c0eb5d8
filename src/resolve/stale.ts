import type { Lockfile } from '../lock/lockfile.js';
import { parseConstraint } from '../model/constraint.js';
import { formatOrigin } from '../model/input-error.js';
import type { Request } from '../model/request.js';
import type { Target } from '../model/target.js';
import { parseVersion } from '../model/version.js';
import type { PackageDemand, Want } from '../solver/problem.js';
import { wantText } from '../solver/sentences.js';
import { toProblem, type Wishes } from './to-problem.js';

/** Why a lockfile does not answer a request, as far as can be told from the two alone. */
export function staleness(
  lockfile: Lockfile,
  request: Request,
  target: Target,
  wishes: Wishes,
): string[] {
  const problem = toProblem(request, [target], wishes);
  const locked = new Map(lockfile.packages.map((one) => [one.repository, one]));
  const demands = problem.demands.filter((d): d is PackageDemand => d.demand === 'package');
  return demands.flatMap((demand) => {
    const repository = problem.replace.get(demand.repository) ?? demand.repository;
    const want = problem.overrides.get(repository)?.want ?? demand.want;
    const place = formatOrigin(demand.origin);
    const there = locked.get(repository);
    if (there === undefined) return [`${repository} (${place}) is not in the lockfile`];
    if (meets(there.version, want, target)) return [];
    return [
      `${repository} is locked at ${there.version}, and ${place} asks for \`${wantText(want)}\``,
    ];
  });
}

function meets(version: string, want: Want, { rules }: Target): boolean {
  if (want.form !== 'range') return version === wantText(want);
  const constraint = parseConstraint(want.text, rules.dialect);
  const parsed = parseVersion(version, rules.dialect);
  if (constraint.invalid || parsed === undefined) return false;
  // Whether prereleases were admitted when it was locked is not recorded: give it the benefit.
  return constraint.admits(parsed, { prereleases: true });
}
