import { lockGraph, type LockGraph } from '../../lock/lock-graph.js';
import type { LockedPackage, Lockfile } from '../../lock/lockfile.js';
import type { Origin, Repository } from '../../model/package.js';
import type { PackageContents } from '../../model/package-contents.js';
import { replacedRepository, type Request, type Root } from '../../model/request.js';
import type { Target } from '../../model/target/target.js';

/** A set that was resolved, with what its packages say, for rules to look at. */
export interface LintedSet {
  readonly request: Request;
  readonly lockfile: Lockfile;
  readonly target: Target;
  readonly graph: LockGraph;
  /** undefined: no source has it any more. */
  readonly contentsOf: (repository: Repository) => PackageContents | undefined;
  /** Where the user asks for a package, or for the one that brings it in. */
  readonly originOf: (repository: Repository) => Origin;
}

/** Something in a set that hurts later, where it is asked for, and what to write instead. */
export interface SetFinding {
  /** Stable, kebab-case. */
  readonly rule: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly origin: Origin;
  readonly text: string;
  readonly fix?: string | undefined;
}

/** One rule, in a file of its own: what it finds in a set. */
export type SetRule = (set: LintedSet) => readonly SetFinding[];

export function lintedSet(
  given: Pick<LintedSet, 'request' | 'lockfile' | 'target'>,
  contents: ReadonlyMap<Repository, PackageContents>,
): LintedSet {
  const { request, lockfile } = given;
  const graph = lockGraph(lockfile, (named) => replacedRepository(request, named));
  const origins = originsOf(request, lockfile, graph);
  const first = request.roots[0]?.origin ?? { file: 'xpkg.yaml' };
  return {
    ...given,
    graph,
    contentsOf: (repository) => contents.get(repository),
    originOf: (repository) => origins.get(repository) ?? first,
  };
}

/** The root of each package: its own, or the first from which requirements lead to it. */
function originsOf(
  request: Request,
  { packages }: Lockfile,
  graph: LockGraph,
): ReadonlyMap<Repository, Origin> {
  const locked = new Map(packages.map((each) => [each.repository, each]));
  const origins = new Map<Repository, Origin>();
  const own = request.roots.flatMap((root) => rootsOf(root, request));
  for (const [repository, origin] of own) {
    if (!origins.has(repository)) origins.set(repository, origin);
  }
  for (const [repository, origin] of own) {
    const queue: (LockedPackage | undefined)[] = [locked.get(repository)];
    // Breadth first: iterating over a list also visits what is added to it on the way.
    for (const at of queue) {
      if (at === undefined) continue;
      for (const { to } of graph.requirementsOf(at.repository)) {
        if (origins.has(to.repository)) continue;
        origins.set(to.repository, origin);
        queue.push(to);
      }
    }
  }
  return origins;
}

function rootsOf(root: Root, request: Request): (readonly [Repository, Origin])[] {
  if (root.root !== 'package') return [];
  return [[replacedRepository(request, root.repository), root.origin]];
}
