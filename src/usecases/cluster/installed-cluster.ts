import type {
  ClusterDump,
  DumpedPackage,
  DumpedRevision,
  DumpedRow,
} from '../../model/cluster/cluster-dump.js';
import type { Repository } from '../../model/package.js';
import { friendlyId } from '../../model/name.js';
import { splitPackageReference, splitTag } from '../../model/reference.js';
import type { Target } from '../../model/target/target.js';
import { byCodePoint } from '../../text/code-point-order.js';

/** The packages of a cluster, each with what the cluster made of it. */
export interface InstalledCluster {
  readonly dump: ClusterDump;
  readonly target: Target;
  /** By repository, then by name: however a dump is ordered, the same is told. */
  readonly packages: readonly InstalledPackage[];
  /** Objects whose `spec.package` is no reference. */
  readonly unreadable: readonly DumpedPackage[];
  /** Who depends on a repository, by Lock rows; in the order of the Lock. */
  readonly requirersOf: (repository: Repository) => readonly RowEdge[];
}

export interface InstalledPackage extends DumpedPackage {
  readonly repository: Repository;
  /** Tag, or digest where the reference has one. */
  readonly version: string;
  /** As a Lock row has it: the tag of `repo:tag@digest` stays in it. */
  readonly source: string;
  readonly revisions: readonly DumpedRevision[];
  /** The one that runs; undefined: none does, or the dump has no revisions. */
  readonly active: DumpedRevision | undefined;
  readonly rows: readonly DumpedRow[];
}

/** A dependency that a Lock row states. */
export interface RowEdge {
  readonly from: DumpedRow;
  readonly constraint: string;
}

export function installedCluster(dump: ClusterDump, target: Target): InstalledCluster {
  const packages = dump.packages.flatMap((dumped) => installedPackage(dumped, dump));
  const edges = new Map<Repository, RowEdge[]>();
  for (const from of dump.lock?.rows ?? []) {
    for (const { repository, constraint } of from.dependencies) {
      edges.set(repository, [...(edges.get(repository) ?? []), { from, constraint }]);
    }
  }
  return {
    dump,
    target,
    packages: packages.sort(
      (a, b) => byCodePoint(a.repository, b.repository) || byCodePoint(a.name, b.name),
    ),
    unreadable: dump.packages.filter((dumped) => installedPackage(dumped, dump).length === 0),
    requirersOf: (repository) => edges.get(repository) ?? [],
  };
}

function installedPackage(
  dumped: DumpedPackage,
  { revisions, lock }: ClusterDump,
): readonly InstalledPackage[] {
  const reference = splitPackageReference(dumped.reference);
  if (reference === undefined || dumped.name === '') return [];
  const { source, version } = reference;
  const repository = splitTag(source).name;
  const own = revisions.filter((revision) => isOf(revision, dumped));
  const active = own.filter(({ isActive }) => isActive);
  return [
    {
      ...dumped,
      repository,
      version,
      source,
      revisions: own,
      active: active.find(({ name }) => name === dumped.currentRevision) ?? active[0],
      rows: (lock?.rows ?? []).filter((row) => row.source === source || row.source === repository),
    },
  ];
}

function isOf({ kind, packageName, name }: DumpedRevision, dumped: DumpedPackage): boolean {
  if (kind !== dumped.kind) return false;
  return packageName === undefined ? name === dumped.currentRevision : packageName === dumped.name;
}

/**
 * The first digits of the digest that a revision was made of, by which it is named.
 *
 * undefined: it is named after something else, as packages that are never pulled are.
 */
export function digestDigits({ active, name }: InstalledPackage): string | undefined {
  const digits = /-([0-9a-f]{12})$/.exec(active?.name ?? '')?.[1];
  return digits !== undefined && friendlyId(name, digits) === active!.name ? digits : undefined;
}

/** Whether the package takes no part in dependency resolution, and so is in no Lock. */
export function skipsResolution({ spec }: DumpedPackage): boolean {
  return spec['skipDependencyResolution'] === true;
}

/** How kubectl is told of an object. */
export function kubectlName({
  kind,
  name,
}: {
  readonly kind: string;
  readonly name: string;
}): string {
  return `${kind.toLowerCase()}.pkg.crossplane.io/${name}`;
}
