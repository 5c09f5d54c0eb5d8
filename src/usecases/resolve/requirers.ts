import type { Lockfile } from '../../lock/lockfile.js';
import { crdDemandText, type CrdDemand } from '../../model/crd-demand.js';
import { formatOrigin } from '../../model/input-error.js';
import type { Repository } from '../../model/package.js';
import type { Problem } from '../../solver/problem.js';
import { wantOf, wantText, type Want } from '../../model/want.js';

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
    const place = formatOrigin(demand.origin);
    if (demand.demand === 'package') {
      const { repository, want } = demand;
      add(effective(repository), { text: `${place} asks for \`${wantText(want)}\``, want });
    } else if (demand.demand === 'api') {
      const owner = ownerOf(demand.crd, lockfile);
      const text = `${place} asks for the API ${crdDemandText(demand.crd)}`;
      if (owner !== undefined) add(owner, { text, want: undefined });
    }
  }
  for (const by of lockfile.packages) {
    const who = `${by.repository} ${by.version}`;
    for (const requirement of by.requirements) {
      if (requirement.requires === 'package') {
        const { repository, constraint } = requirement;
        const text = `${who} requires \`${constraint}\``;
        add(effective(repository), { text, want: wantOf(constraint) });
        continue;
      }
      const { demand, text } = requirement;
      const owner = ownerOf(demand, lockfile);
      if (owner !== undefined)
        add(owner, { text: `${who} requires the API ${text}`, want: undefined });
    }
  }
  return askers;
}

/** undefined: none, or it is not named but described, and a lockfile knows names alone. */
function ownerOf(demand: CrdDemand, { packages }: Lockfile): Repository | undefined {
  if (!('crd' in demand)) return undefined;
  return packages.find(({ owns }) => owns.some(({ name }) => name === demand.crd))?.repository;
}
