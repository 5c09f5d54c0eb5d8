import type { LockRow } from '../lock/lock-row.js';
import type { PackageKind } from '../model/package.js';
import type { ImagePin } from './image-pin.js';

/**
 * What a cluster knows of packages: their objects, the revisions made of them, the Lock, and who
 * controls what packages brought. Plain data; every change makes a new state.
 */
export interface ClusterState {
  /** In the order in which they came to be. */
  readonly objects: readonly ClusterObject[];
  readonly revisions: readonly ClusterRevision[];
  readonly rows: readonly LockRow[];
  /** The condition `Resolved` of the Lock; undefined: it has none. */
  readonly resolved: ClusterCondition | undefined;
  /** Who controls an object that packages install, by `controlKey`. */
  readonly controllers: ReadonlyMap<string, string>;
  /** CRDs that an XRD or MRD could not make, which shows on no package. */
  readonly hidden: readonly HiddenClash[];
  /** What its ImageConfigs rewrite to a digest. */
  readonly pins: readonly ImagePin[];
}

/** A `pkg.crossplane.io` object: what it asks for, and what became of that. */
export interface ClusterObject extends WantedObject {
  /** Of its current revision; undefined: it has none. */
  readonly revision: string | undefined;
  /** Why it has no revision; undefined: it has one, or was not looked at yet. */
  readonly problem: string | undefined;
}

/** A `pkg.crossplane.io` object as it is applied. */
export interface WantedObject {
  readonly kind: PackageKind;
  readonly name: string;
  /** `spec.package`. */
  readonly reference: string;
  readonly skipDependencyResolution: boolean;
  readonly ignoreCrossplaneConstraints: boolean;
  /** `revisionActivationPolicy: Manual`: its revisions wait to be activated by hand. */
  readonly manual: boolean;
}

export interface ClusterRevision {
  readonly kind: PackageKind;
  readonly name: string;
  /** Name of the object that it is a revision of. */
  readonly of: string;
  readonly reference: string;
  readonly active: boolean;
  readonly health: ClusterCondition;
}

export interface ClusterCondition {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly message: string | undefined;
}

export interface HiddenClash {
  /** The revision that brought the XRD or MRD. */
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
export const NOT_KNOWN: ClusterCondition = { status: 'Unknown', message: undefined };

/** What an object or a revision goes by: names are unique for each kind. */
interface Named {
  readonly kind: PackageKind;
  readonly name: string;
}

export function isSameNamed(a: Named, b: Named): boolean {
  return a.kind === b.kind && a.name === b.name;
}

/** The list with one of its members replaced, or added at its end; the same list if nothing changes. */
export function withMember<T extends Named>(list: readonly T[], member: T): readonly T[] {
  const at = list.findIndex((each) => isSameNamed(each, member));
  if (at < 0) return [...list, member];
  return isSame(list[at]!, member) ? list : list.with(at, member);
}

/** Whether two members of plain data say the same, field by field. */
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

export function withResolved(state: ClusterState, resolved: ClusterCondition): ClusterState {
  const isKnown = state.resolved !== undefined && isSame(state.resolved, resolved);
  return isKnown ? state : { ...state, resolved };
}
