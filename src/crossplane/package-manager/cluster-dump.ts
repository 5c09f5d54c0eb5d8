import type { JsonObject } from '../../base/json.js';
import type { Origin } from '../../base/errors.js';
import type { PackageKind, Repository } from '../packages/package.js';
import type { KeptObject } from './image-config.js';

/** The packages of a cluster from the output of `kubectl get … -o yaml`. Contains no Secrets. */
export interface ClusterDump {
  /** All lists are in the order of the dump. */
  readonly packages: readonly DumpedPackage[];
  readonly revisions: readonly DumpedRevision[];
  readonly lock: DumpedLock | undefined;
  /** ImageConfigs, DeploymentRuntimeConfigs and ControllerConfigs. */
  readonly extraManifests: readonly KeptObject[];
  readonly activations: readonly DumpedActivation[];
  /** The release in the Deployment of Crossplane; undefined if the dump does not have it. */
  readonly crossplane: { readonly version: string; readonly origin: Origin } | undefined;
  /** Claims that XRDs of the cluster offer, by the name of the XRD. */
  readonly claims: ReadonlyMap<string, string>;
  /** Number of ignored objects, by kind. */
  readonly ignored: ReadonlyMap<string, number>;
}

export interface DumpedPackage {
  readonly kind: PackageKind;
  readonly apiVersion: string;
  readonly name: string;
  /** `spec.package`, as written. */
  readonly reference: string;
  /** Labels and annotations, without the last applied configuration. */
  readonly metadata: JsonObject;
  /** `spec` without the package. */
  readonly spec: JsonObject;
  /** Whether a user or a tool probably created it, and not Crossplane's resolver. */
  readonly isUserCreated: boolean;
  readonly isPaused: boolean;
  readonly isBeingDeleted: boolean;
  /** `metadata.generation`; undefined if the dump does not state it. */
  readonly generation?: number | undefined;
  /** `status.currentRevision`. */
  readonly currentRevision: string | undefined;
  readonly conditions: readonly DumpedCondition[];
  readonly origin: Origin;
}

export interface DumpedRevision {
  readonly kind: PackageKind;
  readonly name: string;
  /** Name of the package object; undefined if the revision does not state it. */
  readonly packageName: string | undefined;
  /** `spec.image`, as written. */
  readonly image: string;
  readonly isActive: boolean;
  /** `spec.revision`; later ones are greater. */
  readonly number: number;
  readonly conditions: readonly DumpedCondition[];
  /** `status.objectRefs`: the installed objects. */
  readonly objects: readonly DumpedReference[];
  readonly origin: Origin;
}

export interface DumpedReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

export interface DumpedCondition {
  readonly type: string;
  /** `True`, `False` or `Unknown`. */
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** The Lock of the cluster's package manager. */
export interface DumpedLock {
  readonly rows: readonly DumpedRow[];
  readonly conditions: readonly DumpedCondition[];
  readonly origin: Origin;
}

export interface DumpedRow {
  readonly name: string;
  /** undefined if the row has no kind that packages have. */
  readonly kind: PackageKind | undefined;
  /** The row has `type`, as releases before v1.19 write it. */
  readonly hasType: boolean;
  readonly source: Repository;
  readonly version: string;
  readonly dependencies: readonly DumpedDependency[];
  readonly origin: Origin;
}

export interface DumpedDependency {
  readonly repository: Repository;
  /** undefined if it is not a kind that packages have. */
  readonly kind: PackageKind | undefined;
  /** Set if the row has `apiVersion` and `kind` instead of a type. */
  readonly apiVersion: string | undefined;
  readonly constraint: string;
}

export interface DumpedActivation {
  readonly name: string;
  /** Names of resources, or patterns that begin with `*.`. */
  readonly patterns: readonly string[];
  readonly activated: readonly string[];
  readonly origin: Origin;
}
