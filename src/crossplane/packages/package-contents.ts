import { type JsonValue, listOf, mappingOf, stringOf } from '../../base/json.js';

/** The content of a `package.yaml` stream. `judge` derives a `PackageMeta` for a target. */
export interface PackageContents {
  readonly metas: readonly MetaDocument[];
  readonly objects: readonly PackageObject[];
  /** Problems that made the stream unreadable. Every target refuses such a package. */
  readonly problems: readonly StreamProblem[];
  /** Duplicate keys and similar problems, which Go accepts. */
  readonly warnings: readonly StreamProblem[];
}

export interface StreamProblem {
  readonly message: string;
  readonly line?: number | undefined;
}

/** A document of a `meta.pkg…` group, parsed in full; fields are as written, not yet checked. */
export interface MetaDocument {
  /** undefined if unknown, as in an index. Never a reason to refuse the package. */
  readonly apiVersion: string | undefined;
  readonly kind: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The source does not contain the labels; `labels` is then empty. */
  readonly hasUnknownLabels?: boolean | undefined;
  readonly annotations: Readonly<Record<string, string>>;
  /** `spec.crossplane`: `{version}`, a string in old design documents, undefined if absent. */
  readonly crossplane: JsonValue | undefined;
  /** `spec.dependsOn` entries, as written and in order. */
  readonly dependsOn: readonly JsonValue[];
  readonly capabilities: readonly string[];
  /** Line of each dependsOn entry, if known. */
  readonly dependsOnLines?: readonly number[] | undefined;
  readonly line?: number | undefined;
  /** Keys of `spec`, if known: lint warns about those that have no effect in a package. */
  readonly specKeys?: readonly string[] | undefined;
  readonly specLines?: Readonly<Record<string, number>> | undefined;
  /** Fields that no known release has, without those of the object that installs the package. */
  readonly unknownFields?: readonly StreamProblem[] | undefined;
  /** The image that runs instead of the package's own, on releases that support it. */
  readonly runtimeImage?: string | undefined;
  /** `spec.controller.permissionRequests` has entries. Only some releases grant them. */
  readonly requestsPermissions?: boolean | undefined;
  /** The problem of a field that Go cannot decode. Not for `crossplane` and `dependsOn`. */
  readonly decodeError?: string | undefined;
  /** The same for fields of `spec` that only some releases have. */
  readonly fieldErrors?: Readonly<Partial<Record<ReleaseField, string>>> | undefined;
}

/** Fields of `spec` that only some releases have. */
export type ReleaseField = 'controller' | 'image' | 'capabilities';

/** Any other document. Only its identity is read. */
export interface PackageObject {
  /** undefined if unknown, as in an index. Never a reason to refuse the package. */
  readonly apiVersion: string | undefined;
  readonly kind: string;
  readonly name: string;
  /** CompositeResourceDefinition: name of its claim CRD, `<claimNames.plural>.<group>`. */
  readonly claimCrd?: string | undefined;
  readonly claimKind?: string | undefined;
  /** CRD, XRD or MRD: the kind of resource that it defines, if known. */
  readonly defines?: Definition | undefined;
  /** CompositeResourceDefinition: fields that decide whether an API server accepts it, if known. */
  readonly composite?: CompositeDefinition | undefined;
  /** Composition: fields that decide whether an API server accepts it, if known. */
  readonly composition?: CompositionSpec | undefined;
  /** Composition: its functions and resources, if known. An index lacks them. */
  readonly composes?: Composed | undefined;
  readonly line?: number | undefined;
}

/** Fields of the `spec` of an XRD that the rules of its CRD check. */
export interface CompositeDefinition {
  readonly plural: string | undefined;
  readonly scope: string | undefined;
  readonly connectionSecretKeys: boolean;
  readonly claimNames: boolean;
}

/** The composite type, functions and resources of a Composition. */
export interface Composed {
  readonly composite: ResourceType | undefined;
  /** Names of Function objects, in the order of the pipeline. */
  readonly functions: readonly string[];
  readonly resources: readonly ResourceType[];
}

export interface ResourceType {
  readonly apiVersion: string;
  readonly kind: string;
}

/** A kind of resource: what a CRD, XRD or MRD adds to the API. */
export interface Definition {
  readonly group: string;
  readonly kind: string;
  readonly versions: readonly string[];
  /** Short names for `kubectl`; undefined if there are none or they are unknown. */
  readonly shortNames?: readonly string[] | undefined;
  /** The stored version; if undefined, `unserved` and `deprecated` are unknown, too. */
  readonly storage?: string | undefined;
  /** Versions that are not served; undefined if all are. */
  readonly unserved?: readonly string[] | undefined;
  /** Deprecated versions; undefined if there are none. */
  readonly deprecated?: readonly string[] | undefined;
}

/** Fields of the `spec` of a CRD, XRD or MRD. Undefined if absent or not a string. */
export interface DefiningSpec {
  readonly group: string | undefined;
  readonly definedKind: string | undefined;
  /** `spec.version`, which CRDs of `v1beta1` may have, then the names in `spec.versions`. */
  readonly versions: readonly string[];
  /** The stored version of `spec.versions`; for an XRD, the referenceable one. */
  readonly storage: string | undefined;
  /** Versions of `spec.versions` without `served: true`. */
  readonly unserved: readonly string[];
  /** Versions of `spec.versions` with `deprecated: true`. */
  readonly deprecated: readonly string[];
  readonly shortNames: readonly string[];
  readonly claimPlural: string | undefined;
  readonly claimKind: string | undefined;
}

const DEFINING_KINDS: ReadonlySet<string> = new Set([
  'CustomResourceDefinition',
  'CompositeResourceDefinition',
  'ManagedResourceDefinition',
]);

/** Whether objects of this kind define a kind of resource. */
export function definesResources(kind: string): boolean {
  return DEFINING_KINDS.has(kind);
}

/** Returns the plurals of a lower-case kind that follow the API conventions of Kubernetes. */
export function pluralsOf(kind: string): readonly string[] {
  return [`${kind}s`, `${kind}es`, kind.replace(/y$/, 'ies')];
}

/** Whether objects of this type may have `spec.version`. It has no effect on others. */
export function hasVersionField(apiVersion: string): boolean {
  return apiVersion === 'apiextensions.k8s.io/v1beta1';
}

/** Reads the entries of `spec.versions`, as written. As in Go, an absent flag is false. */
export function readVersions(
  entries: readonly Readonly<Record<string, unknown>>[],
  soleVersion: string | undefined,
): VersionFields {
  const names = (isNamed: (version: Readonly<Record<string, unknown>>) => boolean) =>
    entries.filter(isNamed).flatMap((version) => stringOf(version['name']) ?? []);
  return {
    versions: [...(soleVersion === undefined ? [] : [soleVersion]), ...names(() => true)],
    storage: names(({ storage, referenceable }) => storage === true || referenceable === true)[0],
    unserved: names(({ served }) => served !== true),
    deprecated: names(({ deprecated }) => deprecated === true),
  };
}

type VersionFields = Pick<DefiningSpec, 'versions' | 'storage' | 'unserved' | 'deprecated'>;

export function readDefiningSpec(apiVersion: string, written: JsonValue | undefined): DefiningSpec {
  const spec = mappingOf(written) ?? {};
  const claimNames = mappingOf(spec['claimNames']);
  const entries = (listOf(spec['versions']) ?? []).map((each) => mappingOf(each) ?? {});
  const sole = hasVersionField(apiVersion) ? stringOf(spec['version']) : undefined;
  return {
    group: stringOf(spec['group']),
    definedKind: stringOf(mappingOf(spec['names'])?.['kind']),
    ...readVersions(entries, sole),
    shortNames: (listOf(mappingOf(spec['names'])?.['shortNames']) ?? []).filter(
      (name) => typeof name === 'string',
    ),
    claimPlural: stringOf(claimNames?.['plural']),
    claimKind: stringOf(claimNames?.['kind']),
  };
}

/** Returns what an object defines by its spec, and the CRD of the claim that an XRD has. */
export function definitionOf(
  kind: string,
  { group, definedKind, versions, shortNames, claimPlural, claimKind, ...flags }: DefiningSpec,
): Pick<PackageObject, 'defines' | 'claimCrd' | 'claimKind'> {
  // Go does not distinguish absent and empty fields.
  if (!definesResources(kind) || !group) return {};
  const offersClaim = kind === 'CompositeResourceDefinition' && !!claimPlural;
  const defines = {
    group,
    kind: definedKind ?? '',
    versions: [...new Set(versions)],
    ...(shortNames.length > 0 && { shortNames }),
    ...versionFlags(flags),
  };
  return {
    ...(definedKind && { defines }),
    ...(offersClaim && { claimCrd: `${claimPlural}.${group}` }),
    ...(offersClaim && claimKind !== undefined && { claimKind }),
  };
}

/** Returns no flags without a stored version: API servers do not accept such a definition. */
function versionFlags({
  storage,
  unserved,
  deprecated,
}: Omit<VersionFields, 'versions'>): Partial<Definition> {
  if (storage === undefined) return {};
  return {
    storage,
    ...(unserved.length > 0 && { unserved: [...new Set(unserved)] }),
    ...(deprecated.length > 0 && { deprecated: [...new Set(deprecated)] }),
  };
}

/** The part of a Composition's `spec` that decides which releases accept it. */
export interface CompositionSpec {
  /** undefined for the default of the release: `Resources` on v1 and `Pipeline` on v2. */
  readonly mode?: string | undefined;
  /** Whether `pipeline` has at least one step. */
  readonly pipeline: boolean;
}

/** Reads the `spec` of a Composition. As in Go, an empty field is an absent one. */
export function readCompositionSpec(spec: JsonValue | undefined): CompositionSpec {
  const fields = mappingOf(spec);
  const mode = stringOf(fields?.['mode']);
  return { ...(mode && { mode }), pipeline: (listOf(fields?.['pipeline']) ?? []).length > 0 };
}
