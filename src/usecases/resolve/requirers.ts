import type { Lockfile } from '../../lock/lockfile.js';
import { crdDemandText, type CrdDemand } from '../../model/crd-demand.js';
import { formatOrigin } from '../../model/input-error.js';
import type { Repository } from '../../model/package.js';
import { effectiveRepository } from '../../solver/effective.js';
import type { Problem } from '../../solver/problem.js';
import { selectorOf, selectorText, type Selector } from '../../model/selector.js';

/** Somebody who asks for a package. */
export interface Requirer {
  /** Who, and with which words. */
  readonly text: string;
  /** undefined: as the owner of an API, at whichever version. */
  readonly selector: Selector | undefined;
}

/** Who asks for each package: the user first, then locked packages. */
export type Requirers = ReadonlyMap<Repository, readonly Requirer[]>;

export function requirersIn(lockfile: Lockfile, problem: Problem): Requirers {
  const requirers = new Map<Repository, Requirer[]>();
  const add = (repository: Repository, requirer: Requirer) => {
    const sofar = requirers.get(repository);
    if (sofar === undefined) requirers.set(repository, [requirer]);
    else sofar.push(requirer);
  };
  for (const root of problem.roots) {
    const place = formatOrigin(root.origin);
    if (root.requires === 'package') {
      const { repository, selector } = root;
      add(effectiveRepository(problem, repository), {
        text: `${place} asks for \`${selectorText(selector)}\``,
        selector,
      });
    } else if (root.requires === 'api') {
      const owner = ownerOf(root.crd, lockfile);
      const text = `${place} asks for the API ${crdDemandText(root.crd)}`;
      if (owner !== undefined) add(owner, { text, selector: undefined });
    }
  }
  for (const by of lockfile.packages) {
    const who = `${by.repository} ${by.version}`;
    for (const requirement of by.requirements) {
      if (requirement.requires === 'package') {
        const { repository, constraint } = requirement;
        const text = `${who} requires \`${constraint}\``;
        add(effectiveRepository(problem, repository), { text, selector: selectorOf(constraint) });
        continue;
      }
      const { demand, text } = requirement;
      const owner = ownerOf(demand, lockfile);
      if (owner !== undefined)
        add(owner, { text: `${who} requires the API ${text}`, selector: undefined });
    }
  }
  return requirers;
}

/** undefined: none, or it is not named but described, and a lockfile knows names alone. */
function ownerOf(demand: CrdDemand, { packages }: Lockfile): Repository | undefined {
  if (!('crd' in demand)) return undefined;
  return packages.find(({ owns }) => owns.some(({ name }) => name === demand.crd))?.repository;
}
