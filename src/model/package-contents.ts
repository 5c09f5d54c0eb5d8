import type { Definition } from './definition.js';
import type { JsonValue } from '../text/json.js';

/**
 * What a `package.yaml` stream says, before any Crossplane release is asked what it makes of it.
 *
 * Nothing here depends on the target; `admission/judge.ts` makes a `PackageMeta` of it for one.
 */
export interface PackageContents {
  readonly metas: readonly MetaDocument[];
  readonly objects: readonly PackageObject[];
  /** What stopped the stream from being read to its end; such a package is refused by every target. */
  readonly problems: readonly StreamProblem[];
  /** Duplicate keys and the like, which Go reads without an error. */
  readonly warnings: readonly StreamProblem[];
}

export interface StreamProblem {
  readonly message: string;
  readonly line?: number | undefined;
}

/** A document of a `meta.pkg…` group, parsed in full; fields are as written, not yet checked. */
export interface MetaDocument {
  /** undefined: not known (an index does not record it), so never a reason for refusal. */
  readonly apiVersion: string | undefined;
  readonly kind: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** `spec.crossplane`: `{version}`, a string in old design documents, undefined when absent. */
  readonly crossplane: JsonValue | undefined;
  /** `spec.dependsOn` entries, verbatim and in order. */
  readonly dependsOn: readonly JsonValue[];
  readonly capabilities: readonly string[];
  /** Where dependsOn entry i begins, where known. */
  readonly dependsOnLines?: readonly number[] | undefined;
  readonly line?: number | undefined;
  /** Keys of `spec`, where known: lint warns about those that have no effect in a package. */
  readonly specKeys?: readonly string[] | undefined;
  /** Where those keys stand, where known. */
  readonly specLines?: Readonly<Record<string, number>> | undefined;
  /** The image that runs instead of the package's own, on releases that honour it. */
  readonly runtimeImage?: string | undefined;
  /** A field whose type Go would refuse to decode; `crossplane` and `dependsOn` entries apart. */
  readonly decodeError?: string | undefined;
  /** The same, of fields of `spec` that some releases have and others pass over. */
  readonly fieldErrors?: Readonly<Partial<Record<ReleaseField, string>>> | undefined;
}

/** Fields of the `spec` of a meta that not every release knows. */
export type ReleaseField = 'controller' | 'image' | 'capabilities';

/** Any other document, read only as far as its identity goes. */
export interface PackageObject {
  /** undefined: not known (from an index), so never a reason for refusal. */
  readonly apiVersion: string | undefined;
  readonly kind: string;
  readonly name: string;
  /** CompositeResourceDefinition: name of the claim CRD it implies, `<claimNames.plural>.<group>`. */
  readonly claimCrd?: string | undefined;
  /** The kind of that claim, where known. */
  readonly claimKind?: string | undefined;
  /** CRD, XRD or MRD: the kind of resource it defines, where known (`crd:` by GVK asks for it). */
  readonly defines?: Definition | undefined;
  /** CompositeResourceDefinition: what decides whether an API server takes it, where known. */
  readonly composite?: CompositeDefinition | undefined;
  /** Composition: what it runs and composes, where known (an index does not record it). */
  readonly composes?: Composed | undefined;
  readonly line?: number | undefined;
}

/** Of the `spec` of an XRD, what the rules of its CRD speak of. */
export interface CompositeDefinition {
  readonly plural: string | undefined;
  readonly scope: string | undefined;
  readonly connectionSecretKeys: boolean;
  readonly claimNames: boolean;
}

/** What a Composition is for, which functions it runs, and which resources it composes. */
export interface Composed {
  /** `spec.compositeTypeRef`. */
  readonly composite: ResourceType | undefined;
  /** Names of Function objects, in the order of the pipeline. */
  readonly functions: readonly string[];
  readonly resources: readonly ResourceType[];
}

export interface ResourceType {
  readonly apiVersion: string;
  readonly kind: string;
}
