import type { LockedPackage, Lockfile } from '../lock/lockfile.js';
import { formatOrigin } from '../model/input-error.js';
import type { Repository } from '../model/package.js';
import type { PackageDemand, Problem, Want } from '../solver/problem.js';
import { wantText } from '../solver/sentences.js';
import { constraintWant } from './wants.js';

/** Somebody who asks for a package. */
export interface Asker {
  /** Who, and with which words. */
  readonly text: string;
  /** undefined: as the owner of an API, at whichever version. */
  readonly want: Want | undefined;
}

/** Who asks for a package: the user first, then locked packages. */
export function askersOf(repository: Repository, lockfile: Lockfile, problem: Problem): Asker[] {
  const effective = (named: Repository) => problem.replace.get(named) ?? named;
  const demands = problem.demands.filter(
    (each): each is PackageDemand =>
      each.demand === 'package' && effective(each.repository) === repository,
  );
  const roots = demands.map(({ want, origin }) => ({
    text: `${formatOrigin(origin)} asks for \`${wantText(want)}\``,
    want,
  }));
  const owner = lockfile.packages.find((locked) => locked.repository === repository);
  const packages = lockfile.packages.flatMap((by) =>
    by.requirements.flatMap((requirement): Asker[] => {
      const requires = `${by.repository} ${by.version} requires`;
      if (requirement.requires === 'crd') {
        const { demand, text } = requirement;
        if (!('crd' in demand) || !owns(owner, demand.crd)) return [];
        return [{ text: `${requires} the API ${text}`, want: undefined }];
      }
      if (effective(requirement.repository) !== repository) return [];
      const { constraint } = requirement;
      return [{ text: `${requires} \`${constraint}\``, want: constraintWant(constraint) }];
    }),
  );
  return [...roots, ...packages];
}

function owns(locked: LockedPackage | undefined, crd: string): boolean {
  return locked?.owns.some(({ name }) => name === crd) ?? false;
}
