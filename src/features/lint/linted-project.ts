import { lockGraph, type LockGraph } from '../../project/lockfile/lock-graph.js';
import type { Lockfile } from '../../project/lockfile/lockfile.js';
import { byCodePoint } from '../../base/collections.js';
import { formatOrigin, type Origin } from '../../base/errors.js';
import type { Repository } from '../../crossplane/packages/package.js';
import type { PackageContents } from '../../crossplane/packages/package-contents.js';
import { replacedRepository, type Request } from '../../project/inputs/request.js';
import type { Target } from '../../crossplane/releases/target.js';

/** A resolved package set with the contents of its packages, as input for rules. */
export interface LintedProject {
  readonly request: Request;
  readonly lockfile: Lockfile;
  readonly target: Target;
  readonly graph: LockGraph;
  /** Returns undefined if no source has the package any more. */
  readonly contentsOf: (repository: Repository) => PackageContents | undefined;
  /** Returns the position of the root that requires a package, directly or not. */
  readonly originOf: (repository: Repository) => Origin;
}

/** A problem of a package set, with its position in the inputs and a fix. */
export interface LintFinding {
  /** Stable, kebab-case. */
  readonly rule: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly origin: Origin;
  readonly text: string;
  readonly fix?: string | undefined;
}

/** A rule: returns its findings for a package set. */
export type LintRule = (set: LintedProject) => readonly LintFinding[];

/** Compares findings by file and line, then by rule. */
export function byPlace(a: LintFinding, b: LintFinding): number {
  return (
    byCodePoint(a.origin.file, b.origin.file) ||
    (a.origin.line ?? 0) - (b.origin.line ?? 0) ||
    byCodePoint(a.rule, b.rule) ||
    byCodePoint(`${formatOrigin(a.origin)} ${a.text}`, `${formatOrigin(b.origin)} ${b.text}`)
  );
}

/** Returns a finding that states that a rule could not be checked, and why. */
export function uncheckedFinding(
  { request }: LintedProject,
  rule: string,
  finding: Pick<LintFinding, 'text' | 'fix'>,
): LintFinding {
  return { rule, severity: 'info', origin: firstOrigin(request), ...finding };
}

/** The fix if a source, such as an old index, does not state what a rule needs. */
export const READ_OR_REBUILD =
  'read the packages themselves, or an index that `xpkg-resolve index` has rebuilt';

function firstOrigin({ roots }: Request): Origin {
  return roots[0]?.origin ?? { file: 'xpkg.yaml' };
}

export function lintedProject(
  resolved: Pick<LintedProject, 'request' | 'lockfile' | 'target'>,
  contents: ReadonlyMap<Repository, PackageContents>,
): LintedProject {
  const { request, lockfile } = resolved;
  const graph = lockGraph(lockfile, (named) => replacedRepository(request, named));
  const origins = originsOf(request, lockfile, graph);
  return {
    ...resolved,
    graph,
    contentsOf: (repository) => contents.get(repository),
    originOf: (repository) => origins.get(repository) ?? firstOrigin(request),
  };
}

/** Returns the position of the first root that requires each package, directly or not. */
function originsOf(
  request: Request,
  { packages }: Lockfile,
  graph: LockGraph,
): ReadonlyMap<Repository, Origin> {
  const locked = new Set(packages.map(({ repository }) => repository));
  const roots = request.roots.flatMap((root): [Repository, Origin][] =>
    root.root === 'package' ? [[replacedRepository(request, root.repository), root.origin]] : [],
  );
  const origins = new Map(roots.toReversed()); // the first root of a package wins
  for (const [root, origin] of roots) {
    const queue = locked.has(root) ? [root] : [];
    // Breadth first: the loop also visits repositories that are added on the way.
    for (const repository of queue) {
      for (const { to } of graph.requirementsOf(repository)) {
        if (origins.has(to.repository)) continue;
        origins.set(to.repository, origin);
        queue.push(to.repository);
      }
    }
  }
  return origins;
}
