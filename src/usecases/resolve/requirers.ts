import { lockGraph, type LockEdge } from '../../lock/lock-graph.js';
import type { Lockfile } from '../../lock/lockfile.js';
import { crdDemandText } from '../../model/crd-demand.js';
import { formatOrigin } from '../../model/input-error.js';
import type { Repository } from '../../model/package.js';
import { effectiveRepository } from '../../solver/effective.js';
import type { Problem } from '../../solver/problem.js';
import { selectorOf, selectorText, type Selector } from '../../model/selector.js';

/** A root or locked package that asks for a package. */
export interface Requirer {
  /** Who asks, and for what, as a sentence. */
  readonly text: string;
  /** undefined: any version will do, for it is the API that is asked for. */
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
      const text = `${place} asks for the API ${crdDemandText(root.crd)}`;
      if (owner !== undefined) add(owner, { text, selector: undefined });
    }
  }
  for (const { repository } of lockfile.packages) {
    for (const edge of graph.requirersOf(repository)) add(repository, requirerOf(edge));
  }
  return requirers;
}

function requirerOf({ from, requirement, constraint }: LockEdge): Requirer {
  const by = `${from.repository} ${from.version} requires`;
  return requirement.requires === 'package'
    ? { text: `${by} \`${constraint}\``, selector: selectorOf(constraint) }
    : { text: `${by} the API ${constraint}`, selector: undefined };
}
