import { lockGraph } from '../lock/lock-graph.js';
import type { LockedPackage, Lockfile } from '../lock/lockfile.js';
import { dependencyCycles } from '../lock/order.js';
import { ownershipKey, type OwnedObject } from '../model/owned-object.js';
import type { Requirement } from '../model/package-meta.js';
import type { Repository } from '../model/package.js';
import { selectorOf } from '../model/selector.js';
import { targetFor, type Target } from '../model/target/target.js';
import { meetsSelector } from '../usecases/resolve/meets-selector.js';
import type { GraphClash } from './package-graph.js';

/** What a cluster would not take of a lockfile that was merged or edited by hand, or overridden. */
export function lockClashes(
  lockfile: Lockfile,
  name: (repository: Repository) => string,
): GraphClash[] {
  const target = targetFor(lockfile.crossplane);
  return [
    ...ownershipClashes(lockfile, name),
    ...(target === undefined ? [] : unmetConstraints(lockfile, target, name)),
    ...(target === undefined ? [] : crossplaneClashes(lockfile, target, name)),
    ...dependencyCycles(lockfile.packages).map((nodes): GraphClash => {
      const text = `${nodes.map(name).join(', ')}: a cycle of requirements`;
      return { clash: 'cycle', text, nodes };
    }),
  ];
}

/** Whether what is locked is among the versions that a requirement asks for. */
export function isMet(requirement: Requirement, locked: LockedPackage, target: Target): boolean {
  if (requirement.requires === 'crd') return true;
  const selector = selectorOf(requirement.constraint);
  return (
    meetsSelector(locked.version, selector, target, 'all') ||
    (selector.form === 'digest' && selector.digest === locked.digest)
  );
}

function unmetConstraints(
  lockfile: Lockfile,
  target: Target,
  name: (repository: Repository) => string,
): GraphClash[] {
  const graph = lockGraph(lockfile);
  return lockfile.packages.flatMap(({ repository }) =>
    graph
      .requirementsOf(repository)
      .filter(({ requirement, to }) => !isMet(requirement, to, target))
      .map(({ to, constraint }): GraphClash => {
        const asks = `${name(repository)} requires ${name(to.repository)} \`${constraint}\``;
        const text = `${asks}, and ${to.version} is locked`;
        return { clash: 'versions', text, nodes: [repository, to.repository] };
      }),
  );
}

function crossplaneClashes(
  lockfile: Lockfile,
  target: Target,
  name: (repository: Repository) => string,
): GraphClash[] {
  return lockfile.packages.flatMap(({ repository, crossplane, object }): GraphClash[] => {
    if (crossplane === undefined || object.spec['ignoreCrossplaneConstraints'] === true) return [];
    if (meetsSelector(target.version, selectorOf(crossplane), target, 'named')) return [];
    const needs = `${name(repository)} needs Crossplane \`${crossplane}\``;
    const text = `${needs}, and the lockfile is for ${target.version}`;
    return [{ clash: 'crossplane', text, nodes: [repository] }];
  });
}

/** One clash for each two packages, however much they share. */
function ownershipClashes(
  { packages }: Lockfile,
  name: (repository: Repository) => string,
): GraphClash[] {
  const owners = new Map<string, Repository>();
  const shared = new Map<
    string,
    { nodes: readonly [Repository, Repository]; first: OwnedObject; count: number }
  >();
  for (const { repository, owns } of packages) {
    for (const owned of owns) {
      const owner = owners.get(ownershipKey(owned)) ?? repository;
      owners.set(ownershipKey(owned), owner);
      if (owner === repository) continue;
      const pair = `${owner} ${repository}`;
      const known = shared.get(pair) ?? { nodes: [owner, repository], first: owned, count: 0 };
      shared.set(pair, { ...known, count: known.count + 1 });
    }
  }
  return Array.from(shared.values(), ({ nodes, first, count }): GraphClash => {
    const more = count === 1 ? '' : ` and ${count - 1} more`;
    const both = `${name(nodes[0])} and ${name(nodes[1])} both own`;
    const text = `${both} ${first.kind} ${first.name}${more}, and only one package can`;
    return { clash: 'ownership', text, nodes };
  });
}
