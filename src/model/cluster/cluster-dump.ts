import type { JsonObject } from '../../text/json.js';
import type { Origin, PackageKind, Repository } from '../package.js';
import type { KeptObject } from '../request.js';

/**
 * The packages of a cluster, as `kubectl get … -o yaml` tells of them.
 *
 * Holds what is named here and nothing else of the dump: no managed fields, no copy of what was
 * last applied, and nothing of a Secret.
 */
export interface ClusterDump {
  /** In the order of the dump, as all that follow. */
  readonly packages: readonly DumpedPackage[];
  readonly revisions: readonly DumpedRevision[];
  /** undefined: the dump has none. */
  readonly lock: DumpedLock | undefined;
  /** ImageConfigs and DeploymentRuntimeConfigs. */
  readonly kept: readonly KeptObject[];
  readonly activations: readonly DumpedActivation[];
  /** The release that the Deployment of Crossplane runs; undefined: the dump does not have it. */
  readonly crossplane: { readonly version: string; readonly origin: Origin } | undefined;
  /** Claims that XRDs of the cluster offer, by the name of the XRD. */
  readonly claims: ReadonlyMap<string, string>;
  /** How many objects were passed over, by kind. */
  readonly passedOver: ReadonlyMap<string, number>;
}

/** A Provider, Configuration or Function object. */
export interface DumpedPackage {
  readonly kind: PackageKind;
  readonly apiVersion: string;
  readonly name: string;
  /** `spec.package`, as written. */
  readonly reference: string;
  /** Labels and annotations, but for the copy of what was last applied. */
  readonly metadata: JsonObject;
  /** `spec` without the package. */
  readonly spec: JsonObject;
  /** Whether anything shows that a person or a tool of theirs made it, not Crossplane's resolver. */
  readonly isUsers: boolean;
  readonly isPaused: boolean;
  readonly isBeingDeleted: boolean;
  /** `status.currentRevision`. */
  readonly currentRevision: string | undefined;
  readonly conditions: readonly DumpedCondition[];
  readonly origin: Origin;
}

/** A ProviderRevision, ConfigurationRevision or FunctionRevision. */
export interface DumpedRevision {
  /** Of the package. */
  readonly kind: PackageKind;
  readonly name: string;
  /** Name of the package object; undefined: nothing in the revision tells. */
  readonly packageName: string | undefined;
  /** `spec.image`, as written. */
  readonly image: string;
  readonly isActive: boolean;
  /** `spec.revision`; later ones are greater. */
  readonly number: number;
  readonly conditions: readonly DumpedCondition[];
  /** `status.objectRefs`: what it installed. */
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
  /** Name of a revision. */
  readonly name: string;
  /** undefined: the row names none that packages have. */
  readonly kind: PackageKind | undefined;
  /** The row says `type`, as releases before v1.19 do. */
  readonly hasType: boolean;
  readonly source: Repository;
  readonly version: string;
  readonly dependencies: readonly DumpedDependency[];
  readonly origin: Origin;
}

export interface DumpedDependency {
  readonly repository: Repository;
  /** undefined: of no kind that packages have. */
  readonly kind: PackageKind | undefined;
  /** Set where the row names it in place of a type. */
  readonly apiVersion: string | undefined;
  readonly constraint: string;
}

/** A ManagedResourceActivationPolicy. */
export interface DumpedActivation {
  readonly name: string;
  /** Names of resources, or `*.` and a part of one. */
  readonly patterns: readonly string[];
  /** Resources that it activated. */
  readonly activated: readonly string[];
  readonly origin: Origin;
}
