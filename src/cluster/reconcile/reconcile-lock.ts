import type { LockDependency, LockRow } from '../../lock/lock-row.js';
import { objectNameOf } from '../../model/name.js';
import { isPackageKind, type PackageKind, type Repository } from '../../model/package.js';
import {
  joinReference,
  parseReference,
  sameRepository,
  splitPackageReference,
  validPackageReference,
} from '../../model/reference.js';
import { packageManagerOf } from '../../model/target/package-manager.js';
import type { Target } from '../../model/target/target.js';
import { versionToInstall, versionToMoveTo, type Choice } from './choose-version.js';
import type { ClusterWork } from '../cluster-question.js';
import {
  HEALTHY,
  isSameNamed,
  withObject,
  withResolved,
  type ClusterObject,
  type ClusterState,
} from '../cluster-state.js';
import { pulledReference } from '../image-pin.js';
import { cyclicSource, dependencyGraph, type ImpliedDependency } from './dependency-graph.js';
import { constraintsOn, outdatedOrMissing, withoutOutdated } from './outdated-rows.js';

/** Flags of the package manager that let it move what is installed. */
export interface MoveFlags {
  readonly upgrades: boolean;
  readonly downgrades: boolean;
}

/** What the resolver did about the first dependency that called for work. */
export type Resolution =
  | { readonly did: 'nothing' }
  | {
      readonly did: 'installed' | 'moved' | 'found another';
      readonly implied: ImpliedDependency;
      readonly version: string;
      /** Of a move, the version before; of another object, what it is. */
      readonly message?: string | undefined;
    }
  | {
      readonly did: 'fail';
      /** undefined: it is about the Lock as a whole. */
      readonly implied: ImpliedDependency | undefined;
      readonly problem: string;
    };

interface ReconciledLock {
  readonly state: ClusterState;
  readonly resolution: Resolution;
}

/**
 * The Lock is looked at for what is missing, and the first of that is installed. The rest waits
 * until the new package has entered the Lock, and forever if the first cannot be installed.
 */
export function* reconcileLock(
  state: ClusterState,
  target: Target,
  flags: MoveFlags,
): ClusterWork<ReconciledLock> {
  if (state.rows.length === 0) {
    const cleared = state.resolved === undefined ? state : { ...state, resolved: undefined };
    return { state: cleared, resolution: { did: 'nothing' } };
  }
  const prunes = flags.upgrades && packageManagerOf(target).prunesOutdatedRows;
  const rows = prunes ? withoutOutdated(state.rows, target) : state.rows;
  const graph = dependencyGraph(rows);
  if (typeof graph === 'string') {
    return failed(state, undefined, `cannot build DAG: node ${graph} already exists`, target);
  }
  const cyclic = cyclicSource(graph);
  if (cyclic !== undefined) {
    return failed(state, undefined, `cannot sort DAG: detected cycle on: ${cyclic}`, target);
  }
  const [implied] = flags.upgrades ? outdatedOrMissing(rows, target) : graph.missing;
  if (implied === undefined) return succeeded(state, { did: 'nothing' }, target);
  const { repository } = implied.dependency;
  if (parseReference(repository) === undefined) {
    const what = `could not parse reference: ${repository}`;
    return failed(state, implied, `dependency package is not valid: ${what}`, target);
  }
  const installed = flags.upgrades ? installedObject(state, implied.dependency, target) : undefined;
  return installed === undefined
    ? yield* install(state, implied, target)
    : yield* move(state, { implied, installed, rows, flags }, target);
}

/** The object of a dependency, however its source is spelled; of several, the last by name. */
function installedObject(
  { objects }: ClusterState,
  { kind, repository }: LockDependency,
  target: Target,
): ClusterObject | undefined {
  return objects
    .filter((object) => object.kind === kind && sourceOf(object, target) !== undefined)
    .filter((object) => sameRepository(sourceOf(object, target)!, repository, target))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .at(-1);
}

function sourceOf({ reference }: ClusterObject, target: Target): Repository | undefined {
  return splitPackageReference(reference, target)?.source;
}

function* install(
  state: ClusterState,
  implied: ImpliedDependency,
  target: Target,
): ClusterWork<ReconciledLock> {
  const { repository, kind, apiVersion, constraint } = implied.dependency;
  const choice: Choice = yield* versionToInstall(repository, constraint, target);
  if ('problem' in choice) return failed(state, implied, choice.problem, target);
  if (!isPackageKind(kind) || !isServed(apiVersion, kind)) {
    const problem =
      kind === ''
        ? 'cannot construct dependency package: encountered an invalid dependency: package dependencies must specify either a valid type, or an explicit apiVersion, kind, and package'
        : `cannot create dependency package: no matches for kind "${kind}" in version "${apiVersion ?? ''}"`;
    return failed(state, implied, problem, target);
  }
  const { version } = choice;
  const object = newObject(kind, repository, version, target);
  const other = state.objects.find((each) => isSameNamed(each, object));
  if (other !== undefined) return existing(state, implied, { version, other }, target);
  const refused = refusedByServer(object, target);
  if (refused !== undefined) {
    return failed(state, implied, `cannot create dependency package: ${refused}`, target);
  }
  const created = { ...state, objects: [...state.objects, object] };
  return succeeded(created, { did: 'installed', implied, version }, target);
}

function isServed(apiVersion: string | undefined, kind: PackageKind): boolean {
  if (apiVersion === undefined || apiVersion === 'pkg.crossplane.io/v1') return true;
  return kind === 'Function' && apiVersion === 'pkg.crossplane.io/v1beta1';
}

/** All else of the object is as its CRD has it by default. */
function newObject(
  kind: PackageKind,
  repository: Repository,
  version: string,
  target: Target,
): ClusterObject {
  return {
    kind,
    name: objectNameOf(repository, target),
    reference: joinReference(repository, version),
    skipDependencyResolution: false,
    ignoreCrossplaneConstraints: false,
    manual: false,
    revision: undefined,
    problem: undefined,
  };
}

/** Why the API server does not take an object; undefined: it does. */
export function refusedByServer(
  { kind, name, reference }: Pick<ClusterObject, 'kind' | 'name' | 'reference'>,
  target: Target,
): string | undefined {
  if (!target.rules.strictReferences || validPackageReference(reference, target)) return undefined;
  const rule =
    'must be a fully qualified image name, including the registry, repository, and tag or digest';
  return `${kind}.pkg.crossplane.io "${name}" is invalid: spec.package: Invalid value: "${reference}": ${rule}`;
}

/** An object of that name is there: of this package, and about to enter the Lock, or of another. */
function existing(
  state: ClusterState,
  implied: ImpliedDependency,
  { version, other }: { readonly version: string; readonly other: ClusterObject },
  target: Target,
): ReconciledLock {
  if (!packageManagerOf(target).acceptsExistingObjects) {
    const { kind, name } = other;
    const what = `${kind.toLowerCase()}s.pkg.crossplane.io "${name}" already exists`;
    return failed(state, implied, `cannot create dependency package: ${what}`, target);
  }
  const isSame = sourceOf(other, target) === implied.dependency.repository;
  if (isSame) return succeeded(state, { did: 'nothing' }, target);
  const message = `${other.kind} ${other.name} is ${other.reference}`;
  return succeeded(state, { did: 'found another', implied, version, message }, target);
}

interface Move {
  readonly implied: ImpliedDependency;
  readonly installed: ClusterObject;
  readonly rows: readonly LockRow[];
  readonly flags: MoveFlags;
}

function* move(
  state: ClusterState,
  { implied, installed, rows, flags }: Move,
  target: Target,
): ClusterWork<ReconciledLock> {
  const { repository } = implied.dependency;
  const { movesFromPulledVersion } = packageManagerOf(target);
  const pulled = movesFromPulledVersion
    ? pulledReference(installed.reference, state.pins)
    : installed.reference;
  const from = splitPackageReference(pulled, target)?.version ?? pulled;
  const constraints = constraintsOn(repository, rows);
  const { downgrades } = flags;
  const moving = { from, constraints, downgrades };
  const choice: Choice = yield* versionToMoveTo(repository, moving, target);
  if ('problem' in choice) return failed(state, implied, choice.problem, target);
  const { version } = choice;
  const object = { ...installed, reference: joinReference(repository, version) };
  if (object.reference === installed.reference) {
    return succeeded(state, { did: 'nothing' }, target);
  }
  const moved = withObject(state, object);
  return succeeded(moved, { did: 'moved', implied, version, message: from }, target);
}

function succeeded(state: ClusterState, resolution: Resolution, target: Target): ReconciledLock {
  const { lockConditions } = packageManagerOf(target);
  return { state: lockConditions ? withResolved(state, HEALTHY) : state, resolution };
}

function failed(
  state: ClusterState,
  implied: ImpliedDependency | undefined,
  problem: string,
  target: Target,
): ReconciledLock {
  const resolution: Resolution = { did: 'fail', implied, problem };
  // A panic is recovered by the controller, and leaves no trace on the Lock.
  if (!packageManagerOf(target).lockConditions || problem.startsWith('panic: ')) {
    return { state, resolution };
  }
  const message = `Error occurred during dependency resolution ${problem}`;
  return { state: withResolved(state, { status: 'False', message }), resolution };
}
