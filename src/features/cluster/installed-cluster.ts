import { byCodePoint, getOrCreate } from '../../base/collections.js';
import type { Digest } from '../../base/digest.js';
import { shellWord } from '../../base/escape.js';
import type {
  ClusterDump,
  DumpedPackage,
  DumpedRevision,
  DumpedRow,
} from '../../crossplane/package-manager/cluster-dump.js';
import { friendlyId, revisionName } from '../../crossplane/packages/object-names.js';
import {
  byKindAndName,
  ownedKindOf,
  type OwnedObject,
} from '../../crossplane/packages/owned-objects.js';
import type { Repository } from '../../crossplane/packages/package.js';
import { splitPackageReference, splitTag } from '../../crossplane/packages/reference.js';
import type { PackageManagerRules } from '../../crossplane/releases/release-facts.js';
import { type Target, targetFor } from '../../crossplane/releases/target.js';
import type { LintFinding } from '../lint/linted-project.js';

type RevisionNames = PackageManagerRules['revisionNames'];

/** A dumped cluster; each package has its revisions and Lock rows. */
export interface InstalledCluster {
  readonly dump: ClusterDump;
  /** The release that the comparison is for. */
  readonly target: Target;
  /** How the cluster names revisions; undefined if the dump does not show it. */
  readonly revisionNames: RevisionNames | undefined;
  /** Empty without a Lock. */
  readonly rows: readonly DumpedRow[];
  /** Sorted by repository, then by name. */
  readonly packages: readonly InstalledPackage[];
  /** Objects whose `spec.package` is not a valid reference. */
  readonly unreadable: readonly DumpedPackage[];
  /** By repository, the dependencies on it in Lock rows, in the order of the Lock. */
  readonly requirers: ReadonlyMap<Repository, readonly RowEdge[]>;
}

export interface InstalledPackage extends DumpedPackage {
  readonly repository: Repository;
  /** The digest if the reference has one, else the tag. */
  readonly version: string;
  /** The name in Lock rows; for `repo:tag@digest`, it includes the tag. */
  readonly source: string;
  readonly revisions: readonly DumpedRevision[];
  /** undefined: no revision is active, or the dump has no revisions. */
  readonly active: DumpedRevision | undefined;
  readonly rows: readonly DumpedRow[];
}

/** A dependency in a Lock row. */
interface RowEdge {
  readonly from: DumpedRow;
  readonly constraint: string;
}

/** `digestOf` returns the locked digest of a package, if there is one. */
export function installedCluster(
  dump: ClusterDump,
  target: Target,
  digestOf: (repository: Repository) => Digest | undefined = () => undefined,
): InstalledCluster {
  const rows = dump.lock?.rows ?? [];
  const requirers = new Map<Repository, RowEdge[]>();
  for (const from of rows) {
    for (const { repository, constraint } of from.dependencies) {
      getOrCreate(requirers, repository, () => []).push({ from, constraint });
    }
  }
  const packages: InstalledPackage[] = [];
  const unreadable: DumpedPackage[] = [];
  for (const dumped of dump.packages) {
    const installed = installedPackage(dumped, dump);
    if (installed === undefined) unreadable.push(dumped);
    else packages.push(installed);
  }
  packages.sort((a, b) => byCodePoint(a.repository, b.repository) || byCodePoint(a.name, b.name));
  const revisionNames = namesOf(dump, packages, digestOf);
  return { dump, target, revisionNames, rows, packages, unreadable, requirers };
}

function installedPackage(
  dumped: DumpedPackage,
  { revisions, lock }: ClusterDump,
): InstalledPackage | undefined {
  const reference = splitPackageReference(dumped.reference);
  if (reference === undefined || dumped.name === '') return undefined;
  const { source, version } = reference;
  const repository = splitTag(source).name;
  const own = revisions.filter((revision) => isRevisionOf(revision, dumped));
  const active = own.filter(({ isActive }) => isActive);
  return {
    ...dumped,
    repository,
    version,
    source,
    revisions: own,
    active: active.find(({ name }) => name === dumped.currentRevision) ?? active[0],
    rows: (lock?.rows ?? []).filter((row) => row.source === source || row.source === repository),
  };
}

function isRevisionOf({ kind, packageName, name }: DumpedRevision, dumped: DumpedPackage): boolean {
  if (kind !== dumped.kind) return false;
  return packageName === undefined ? name === dumped.currentRevision : packageName === dumped.name;
}

/**
 * Returns how a cluster names revisions: as the release that the dump states; without one, in the
 * way in which some revision is named after the digest that is locked for its package.
 */
function namesOf(
  { crossplane }: ClusterDump,
  packages: readonly InstalledPackage[],
  digestOf: (repository: Repository) => Digest | undefined,
): RevisionNames | undefined {
  const running = targetFor(crossplane?.version ?? '');
  if (running !== undefined) return running.packageManager.revisionNames;
  return (['digest', 'digest-and-generation'] as const).find((names) =>
    packages.some((each) => {
      const digest = digestOf(each.repository);
      return digest !== undefined && isNamedAfter(each, digest, names);
    }),
  );
}

/** Objects with more generations are not checked: every generation may have named the revision. */
const MAX_GENERATION = 1000;

function isNamedAfter(
  { active, name, generation = 0 }: InstalledPackage,
  digest: Digest,
  names: RevisionNames,
): boolean {
  const last = names === 'digest' ? 1 : Math.min(generation, MAX_GENERATION);
  return Array.from({ length: last }, (_, i) => ({ name, generation: i + 1 })).some(
    (object) => revisionName(object, digest, names) === active?.name,
  );
}

/**
 * Returns whether the active revision of a package was made of an image, by its name. Undefined if
 * the name does not show that: packages that are never pulled have another suffix, and since v2.4
 * the suffix is a hash of digest and generation, which a dump may not state.
 */
export function isMadeOf(
  installed: InstalledPackage,
  digest: Digest,
  { revisionNames }: InstalledCluster,
): boolean | undefined {
  const { active, name, generation } = installed;
  const digits = /-([0-9a-f]{12})$/.exec(active?.name ?? '')?.[1];
  if (digits === undefined || friendlyId(name, digits) !== active!.name) return undefined;
  // A cluster that was just upgraded to v2.4 may still have a revision with a name of v2.3.
  if (isNamedAfter(installed, digest, 'digest')) return true;
  if (isNamedAfter(installed, digest, 'digest-and-generation')) return true;
  if (revisionNames === undefined) return undefined;
  const isGenerationKnown = generation !== undefined && generation <= MAX_GENERATION;
  return revisionNames === 'digest' || isGenerationKnown ? false : undefined;
}

/** Whether the package skips dependency resolution, so that the Lock does not list it. */
export function skipsResolution({ spec }: DumpedPackage): boolean {
  return spec['skipDependencyResolution'] === true;
}

/** Returns the argument of a kubectl command that names an object, quoted for a shell. */
export function kubectlName({ kind, name }: Record<'kind' | 'name', string>): string {
  return shellWord(`${kind.toLowerCase()}.pkg.crossplane.io/${name}`);
}

/**
 * Returns the objects that the active revision of a package lists, sorted by kind, then name.
 *
 * Newer releases create an MRD for each CRD of a provider. Such an MRD is returned as the CRD.
 */
export function installedObjects(
  { active, kind }: InstalledPackage,
  claims: ClusterDump['claims'] = new Map(),
): readonly OwnedObject[] {
  const owned = new Map<string, OwnedObject>();
  for (const reference of active?.objects ?? []) {
    const [group] = reference.apiVersion.split('/');
    const listed = ownedKindOf(reference.kind, group);
    if (listed === undefined) continue;
    const { name } = reference;
    const as = listed === 'MRD' && kind === 'Provider' ? 'CRD' : listed;
    owned.set(`${as} ${name}`, { kind: as, name });
    const claim = as === 'XRD' ? claims.get(name) : undefined;
    if (claim !== undefined) owned.set(`claim ${claim}`, { kind: 'claim', name: claim });
  }
  return [...owned.values()].sort(byKindAndName);
}

/** Returns the kind and the name of an object, as in messages. */
export function objectLabel({ kind, name }: Record<'kind' | 'name', string>): string {
  return `${kind} \`${name}\``;
}

/** A present or future problem in a cluster, its place in the dump, and a fix. */
export type ClusterFinding = LintFinding;

export type ClusterRule = (cluster: InstalledCluster) => readonly ClusterFinding[];

type Severity = ClusterFinding['severity'];

/** Returns a rule whose findings have a name and a severity. */
export function clusterRule(
  rule: string,
  severity: Severity,
  find: (cluster: InstalledCluster) => readonly Omit<ClusterFinding, 'rule' | 'severity'>[],
): ClusterRule {
  return (cluster) => find(cluster).map((found) => ({ rule, severity, ...found }));
}

/** Returns a rule that finds at most one problem of each package, by default at its place. */
export function packageRule(
  rule: string,
  severity: Severity,
  find: (
    each: InstalledPackage,
    cluster: InstalledCluster,
  ) => (Pick<ClusterFinding, 'text' | 'fix'> & Partial<ClusterFinding>) | undefined,
): ClusterRule {
  return clusterRule(rule, severity, (cluster) =>
    cluster.packages.flatMap((each) => {
      const found = find(each, cluster);
      return found === undefined ? [] : { origin: each.origin, ...found };
    }),
  );
}

/** The command that prints a complete dump. */
export const DUMP_COMMAND =
  'kubectl get providers,configurations,functions,providerrevisions,configurationrevisions,functionrevisions,locks,imageconfigs,deploymentruntimeconfigs -o yaml';
