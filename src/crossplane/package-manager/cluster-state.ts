import type {
  ClusterDump,
  DumpedCondition,
  DumpedPackage,
  DumpedRevision,
  DumpedRow,
} from './cluster-dump.js';
import type { ImpliedDependency, LockRow } from './dependency-graph.js';
import { type ImagePin, imagePins } from './image-config.js';
import { type JsonObject, mappingOf, stringOf } from '../../base/json.js';
import { type OwnedKind, ownedKindOf, type OwnedObject } from '../packages/owned-objects.js';
import { FIRST_GENERATION } from '../packages/object-names.js';
import { plainSpec } from '../packages/object-spec.js';
import { isPackageKind, type PackageKind, type Repository } from '../packages/package.js';
import type { Target } from '../releases/target.js';

/** The state of the packages of a cluster. Immutable: every change creates a new state. */
export interface ClusterState {
  readonly objects: readonly ClusterObject[];
  readonly revisions: readonly ClusterRevision[];
  readonly rows: readonly LockRow[];
  /** The condition `Resolved` of the Lock; undefined if it has none. */
  readonly resolved: ClusterCondition | undefined;
  /** Owners of the installed objects, by `controlKey`. */
  readonly controllers: ReadonlyMap<string, string>;
  /** Conflicts over CRDs of XRDs and MRDs, which no package reports. */
  readonly hidden: readonly HiddenConflict[];
  /** Tags that ImageConfigs rewrite to a digest. */
  readonly pins: readonly ImagePin[];
}

/** A `pkg.crossplane.io` object with its status. */
export interface ClusterObject extends WantedObject {
  /** `metadata.generation`: the number of specs that the object has had. */
  readonly generation: number;
  /** Name of its current revision; undefined if it has none. */
  readonly revision: string | undefined;
  /** The reason why it has no revision; undefined if it has one or was not reconciled yet. */
  readonly problem: string | undefined;
}

/** A `pkg.crossplane.io` object as the user applies it. */
export interface WantedObject {
  readonly kind: PackageKind;
  readonly name: string;
  /** `spec.package`. */
  readonly reference: string;
  readonly skipDependencyResolution: boolean;
  readonly ignoreCrossplaneConstraints: boolean;
  /** `revisionActivationPolicy: Manual`: users activate its revisions. */
  readonly manual: boolean;
  /** All fields of `spec` but `package`, without defaults, as JSON with sorted keys. */
  readonly settings: string;
}

export interface ClusterRevision {
  readonly kind: PackageKind;
  readonly name: string;
  readonly of: string;
  readonly reference: string;
  readonly active: boolean;
  readonly health: ClusterCondition;
}

export interface ClusterCondition {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly message: string | undefined;
}

export interface HiddenConflict {
  readonly revision: string;
  readonly crd: string;
  readonly controller: string;
}

export const EMPTY_CLUSTER: ClusterState = {
  objects: [],
  revisions: [],
  rows: [],
  resolved: undefined,
  controllers: new Map(),
  hidden: [],
  pins: [],
};

export const HEALTHY: ClusterCondition = { status: 'True', message: undefined };
export const UNKNOWN: ClusterCondition = { status: 'Unknown', message: undefined };

export interface ClusterStep {
  readonly did: 'applied' | 'removed' | 'installed' | 'moved' | 'found another' | 'fail';
  /** undefined if the event is about the whole Lock. */
  readonly source: Repository | undefined;
  readonly version: string | undefined;
  /** The dependency that caused it; undefined for a change of the user or a check of a package. */
  readonly implied: ImpliedDependency | undefined;
  /** The message of a failure, the old version of a move, or the description of another object. */
  readonly message: string | undefined;
}

/** Identifies an object or a revision: names are unique for each kind. */
export interface ObjectKey {
  readonly kind: PackageKind;
  readonly name: string;
}

export function hasSameKey(a: ObjectKey, b: ObjectKey): boolean {
  return a.kind === b.kind && a.name === b.name;
}

/** Replaces a member of a list, or appends it. Returns the same list if nothing changes. */
function withMember<T extends ObjectKey>(list: readonly T[], member: T): readonly T[] {
  const at = list.findIndex((each) => hasSameKey(each, member));
  if (at < 0) return [...list, member];
  return isSame(list[at]!, member) ? list : list.with(at, member);
}

function isSame<T extends object>(a: T, b: T): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

export function withRevision(state: ClusterState, revision: ClusterRevision): ClusterState {
  const revisions = withMember(state.revisions, revision);
  return revisions === state.revisions ? state : { ...state, revisions };
}

export function withObject(state: ClusterState, object: ClusterObject): ClusterState {
  const objects = withMember(state.objects, object);
  return objects === state.objects ? state : { ...state, objects };
}

export function withResolvedCondition(
  state: ClusterState,
  resolved: ClusterCondition,
): ClusterState {
  const isKnown = state.resolved !== undefined && isSame(state.resolved, resolved);
  return isKnown ? state : { ...state, resolved };
}

/** Defaults that the CRD sets for an object that states only its package. */
export const DEFAULT_SETTINGS = {
  skipDependencyResolution: false,
  ignoreCrossplaneConstraints: false,
  manual: false,
  settings: '{}',
} as const;

/** Returns an object as it is once it was created. */
export function newObject(wanted: WantedObject): ClusterObject {
  return { ...wanted, generation: FIRST_GENERATION, revision: undefined, problem: undefined };
}

/** Reads a `pkg.crossplane.io` object. Returns undefined if it is not a package. */
export function wantedObject(object: JsonObject): WantedObject | undefined {
  const apiVersion = stringOf(object['apiVersion']) ?? '';
  const kind = stringOf(object['kind']) ?? '';
  if (!apiVersion.startsWith('pkg.crossplane.io/') || !isPackageKind(kind)) return undefined;
  const { package: reference, ...spec } = mappingOf(object['spec']) ?? {};
  return {
    kind,
    name: stringOf(mappingOf(object['metadata'])?.['name']) ?? '',
    reference: stringOf(reference) ?? '',
    skipDependencyResolution: spec['skipDependencyResolution'] === true,
    ignoreCrossplaneConstraints: spec['ignoreCrossplaneConstraints'] === true,
    manual: spec['revisionActivationPolicy'] === 'Manual',
    settings: JSON.stringify(plainSpec(spec)),
  };
}

export interface PackageConditions {
  readonly kind: PackageKind;
  readonly name: string;
  /** `spec.package`. */
  readonly reference: string;
  readonly installed: ClusterCondition;
  readonly healthy: ClusterCondition;
}

export function packageConditions(state: ClusterState, target: Target): PackageConditions[] {
  return state.objects.map((object) => conditionsOf(state, object, target));
}

export function isHealthy(state: ClusterState, target: Target): boolean {
  return packageConditions(state, target).every(
    ({ installed, healthy }) => installed.status === 'True' && healthy.status === 'True',
  );
}

function conditionsOf(
  { revisions }: ClusterState,
  object: ClusterObject,
  target: Target,
): PackageConditions {
  const { kind, name, reference, problem } = object;
  const revision = revisions.find((each) => each.kind === kind && each.name === object.revision);
  const health = revision === undefined ? UNKNOWN : quotedHealth(revision.health, target);
  if (problem === undefined && revision?.active === true) {
    return { kind, name, reference, installed: HEALTHY, healthy: health };
  }
  const hasFailed = problem !== undefined || revision === undefined;
  const message = hasFailed ? problem : 'Package is inactive';
  const installed: ClusterCondition = { status: 'False', message };
  // Earlier releases report the failure to read an image apart from the health of the revision.
  const isShared = hasFailed && target.packageManager.readsBeforeRevision;
  return { kind, name, reference, installed, healthy: isShared ? installed : health };
}

/** Returns the health of a revision as its package reports it. */
function quotedHealth(health: ClusterCondition, target: Target): ClusterCondition {
  const { status, message } = health;
  if (status === 'True' || !target.packageManager.quotesRevisionHealth) return health;
  const withMessage = message === undefined ? '' : ` with message: ${message}`;
  return { status: 'False', message: `Package revision health is "${status}"${withMessage}` };
}

/** Returns a key for the owner of an object, as an owner reference names it: kind and name. */
export function controlKey({ kind, name }: OwnedObject): string {
  return `${CONTROLLER_KINDS[kind] ?? kind} ${name}`;
}

const CONTROLLER_KINDS: Partial<Record<OwnedKind, string>> = {
  XRD: 'CompositeResourceDefinition',
  MRD: 'ManagedResourceDefinition',
};

export function controllerName({ kind, name }: ObjectKey): string {
  return `${kind}Revision ${name}`;
}

export function dumpedState(
  { packages, revisions, lock, extraManifests: kept }: ClusterDump,
  target: Target,
): ClusterState {
  const known = revisions.map(revisionOf);
  return {
    objects: packages.map(objectOf),
    revisions: known,
    rows: (lock?.rows ?? []).flatMap(rowOf),
    resolved: dumpedCondition(lock?.conditions ?? [], ['Resolved']),
    controllers: new Map(
      revisions
        .filter(({ isActive }) => isActive)
        .flatMap((revision) =>
          controlledBy(revision).map((key) => [key, controllerName(revision)]),
        ),
    ),
    hidden: [],
    pins: imagePins(kept, target),
  };
}

function objectOf(dumped: DumpedPackage): ClusterObject {
  const { apiVersion, kind, name, reference, spec, generation, currentRevision } = dumped;
  const wanted = wantedObject({
    apiVersion,
    kind,
    metadata: { name },
    spec: { ...spec, package: reference },
  });
  return { ...newObject(wanted!), ...(generation && { generation }), revision: currentRevision };
}

function revisionOf(dumped: DumpedRevision): ClusterRevision {
  const { kind, name, packageName = '', image, isActive, conditions } = dumped;
  const health = dumpedCondition(conditions, ['Healthy', 'RevisionHealthy']) ?? UNKNOWN;
  return { kind, name, of: packageName, reference: image, active: isActive, health };
}

function rowOf({ name, kind, source, version, dependencies }: DumpedRow): LockRow[] {
  if (kind === undefined) return [];
  const needed = dependencies.map((each) => ({ ...each, kind: each.kind ?? '' }));
  return [{ name, kind, source, version, dependencies: needed }];
}

function dumpedCondition(
  conditions: readonly DumpedCondition[],
  types: readonly string[],
): ClusterCondition | undefined {
  const found = conditions.find(({ type }) => types.includes(type));
  if (found === undefined) return undefined;
  const status = found.status === 'True' || found.status === 'False' ? found.status : 'Unknown';
  return { status, message: found.message === '' ? undefined : found.message };
}

function controlledBy({ objects }: DumpedRevision): string[] {
  return objects.flatMap(({ apiVersion, kind, name }) => {
    const owned = ownedKindOf(kind, apiVersion.split('/')[0]);
    return owned === undefined ? [] : [controlKey({ kind: owned, name })];
  });
}
