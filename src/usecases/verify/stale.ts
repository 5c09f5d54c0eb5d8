import type { Lockfile } from '../../lock/lockfile.js';
import { formatOrigin } from '../../model/input-error.js';
import type { Target } from '../../model/target.js';
import type { PackageDemand, Problem } from '../../solver/problem.js';
import { meetsWant } from '../resolve/wants.js';
import { wantText } from '../../model/want.js';

/** Why a lockfile does not answer what is asked, as far as can be told from the two alone. */
export function staleness(lockfile: Lockfile, problem: Problem, target: Target): string[] {
  const locked = new Map(lockfile.packages.map((one) => [one.repository, one]));
  const demands = problem.demands.filter((d): d is PackageDemand => d.demand === 'package');
  return demands.flatMap((demand) => {
    const repository = problem.replace.get(demand.repository) ?? demand.repository;
    const want = problem.overrides.get(repository)?.want ?? demand.want;
    const place = formatOrigin(demand.origin);
    const there = locked.get(repository);
    if (there === undefined) return [`${repository} (${place}) is not in the lockfile`];
    if (meetsWant(there.version, want, target)) return [];
    return [
      `${repository} is locked at ${there.version}, and ${place} asks for \`${wantText(want)}\``,
    ];
  });
}
