import type { Lockfile } from '../lock/lockfile.js';
import { formatOrigin } from '../model/input-error.js';
import type { Repository } from '../model/package.js';
import type { Problem, Want } from '../solver/problem.js';
import { wantText } from '../solver/sentences.js';
import { constraintWant } from './wants.js';

/** Somebody who asks for a package. */
export interface Asker {
  /** Who, and with which words. */
  readonly text: string;
  /** undefined: as the owner of an API, at whichever version. */
  readonly want: Want | undefined;
}

/** Who asks for each package: the user first, then locked packages. */
export type Askers = ReadonlyMap<Repository, readonly Asker[]>;

export function askersIn(lockfile: Lockfile, problem: Problem): Askers {
  const askers = new Map<Repository, Asker[]>();
  const add = (repository: Repository, asker: Asker) => {
    const sofar = askers.get(repository);
    if (sofar === undefined) askers.set(repository, [asker]);
    else sofar.push(asker);
  };
  const effective = (named: Repository) => problem.replace.get(named) ?? named;
  for (const demand of problem.demands) {
    if (demand.demand !== 'package') continue;
    const { repository, want, origin } = demand;
    const text = `${formatOrigin(origin)} asks for \`${wantText(want)}\``;
    add(effective(repository), { text, want });
  }
  for (const by of lockfile.packages) {
    const who = `${by.repository} ${by.version}`;
    for (const requirement of by.requirements) {
      if (requirement.requires === 'package') {
        const { repository, constraint } = requirement;
        const text = `${who} requires \`${constraint}\``;
        add(effective(repository), { text, want: constraintWant(constraint) });
        continue;
      }
      const { demand, text } = requirement;
      const owner = 'crd' in demand ? ownerOf(demand.crd, lockfile) : undefined;
      if (owner !== undefined)
        add(owner, { text: `${who} requires the API ${text}`, want: undefined });
    }
  }
  return askers;
}

function ownerOf(crd: string, { packages }: Lockfile): Repository | undefined {
  return packages.find(({ owns }) => owns.some(({ name }) => name === crd))?.repository;
}
