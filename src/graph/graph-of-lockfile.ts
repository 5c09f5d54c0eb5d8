import { shortNames } from '../explain/short/short-names.js';
import { lockGraph } from '../lock/lock-graph.js';
import type { LockedPackage, Lockfile } from '../lock/lockfile.js';
import type { PackageRequirement } from '../model/package-meta.js';
import type { Repository } from '../model/package.js';
import { targetFor } from '../model/target/target.js';
import { byCodePoint } from '../text/code-point-order.js';
import { isMet, lockClashes } from './lock-clashes.js';
import type { GraphEdge, GraphNode, PackageGraph } from './package-graph.js';

/** What is locked; a requirement that no locked package answers to leads to a node without version. */
export function graphOfLockfile(lockfile: Lockfile): PackageGraph {
  const missing = unlocked(lockfile);
  const repositories = [...lockfile.packages, ...missing].map(({ repository }) => repository);
  const { name } = shortNames(repositories);
  const nodes = [
    ...lockfile.packages.map((locked) => nodeOf(locked, name)),
    ...missing.map(({ repository, kind }): GraphNode => {
      const rest = { version: undefined, direct: false, owns: [] };
      return { id: repository, kind, name: name(repository), ...rest };
    }),
  ];
  return {
    of: 'lockfile',
    crossplane: lockfile.crossplane,
    story: [],
    hints: [],
    nodes: nodes.sort((a, b) => byCodePoint(a.id, b.id)),
    edges: edgesOf(lockfile),
    clashes: lockClashes(lockfile, name),
  };
}

function nodeOf(locked: LockedPackage, name: (repository: Repository) => string): GraphNode {
  const { repository, kind, version, direct, digest, crossplane, owns } = locked;
  return {
    id: repository,
    kind,
    name: name(repository),
    version,
    direct,
    digest,
    crossplane,
    owns,
  };
}

function edgesOf(lockfile: Lockfile): GraphEdge[] {
  const target = targetFor(lockfile.crossplane);
  const graph = lockGraph(lockfile);
  const edges = new Map<string, GraphEdge>();
  const add = (from: Repository, to: Repository, constraint: string, isUnmet: boolean) => {
    const known = edges.get(`${from} ${to}`);
    edges.set(`${from} ${to}`, {
      from,
      to,
      constraints: [...new Set([...(known?.constraints ?? []), constraint])],
      isUnmet: isUnmet || known?.isUnmet === true,
    });
  };
  for (const locked of lockfile.packages) {
    for (const { to, requirement, constraint } of graph.requirementsOf(locked.repository)) {
      const isUnmet = target !== undefined && !isMet(requirement, to, target);
      add(locked.repository, to.repository, constraint, isUnmet);
    }
    for (const { repository, constraint } of unlocked(lockfile, locked)) {
      add(locked.repository, repository, constraint, false);
    }
  }
  return [...edges.values()].sort((a, b) => byCodePoint(a.from, b.from) || byCodePoint(a.to, b.to));
}

/**
 * Required, and not locked: something else is locked in its place, or requirements are not followed.
 * Each once; `of`: what this package requires.
 */
function unlocked({ packages }: Lockfile, of?: LockedPackage): readonly PackageRequirement[] {
  const locked = new Set(packages.map(({ repository }) => repository));
  const requirements = (of === undefined ? packages : [of])
    .flatMap((each) => each.requirements)
    .filter((each) => each.requires === 'package' && !locked.has(each.repository));
  const each = new Map(
    requirements.flatMap((requirement) =>
      requirement.requires === 'package' ? [[requirement.repository, requirement]] : [],
    ),
  );
  return [...each.values()];
}
