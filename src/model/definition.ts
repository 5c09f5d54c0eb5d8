import { listOf, mappingOf, stringOf, type JsonValue } from '../text/json.js';
import type { PackageObject } from './package-contents.js';

/** A kind of resource: what a CRD, XRD or MRD adds to the API. */
export interface Definition {
  readonly group: string;
  readonly kind: string;
  readonly versions: readonly string[];
  /** What `kubectl` may be told instead; left out where there are none, or none are known. */
  readonly shortNames?: readonly string[] | undefined;
}

/** What the `spec` of a CRD, XRD or MRD says; undefined: absent, or not a string. */
export interface DefiningSpec {
  /** `spec.group`. */
  readonly group: string | undefined;
  /** `spec.names.kind`. */
  readonly definedKind: string | undefined;
  /** `spec.version`, which CRDs of `v1beta1` may have, then the names in `spec.versions`. */
  readonly versions: readonly string[];
  /** `spec.names.shortNames`. */
  readonly shortNames: readonly string[];
  /** `spec.claimNames`. */
  readonly claimPlural: string | undefined;
  readonly claimKind: string | undefined;
}

const DEFINING: ReadonlySet<string> = new Set([
  'CustomResourceDefinition',
  'CompositeResourceDefinition',
  'ManagedResourceDefinition',
]);

/** Whether objects of this kind define a kind of resource. */
export function definesResources(kind: string): boolean {
  return DEFINING.has(kind);
}

/** How the API conventions of Kubernetes make the plural of a kind, in lower case. */
export function pluralsOf(kind: string): readonly string[] {
  return [`${kind}s`, `${kind}es`, kind.replace(/y$/, 'ies')];
}

/** Whether objects of this type may name one version by `spec.version`; for others it has no effect. */
export function hasSoleVersion(apiVersion: string): boolean {
  return apiVersion === 'apiextensions.k8s.io/v1beta1';
}

export function readDefiningSpec(apiVersion: string, written: JsonValue | undefined): DefiningSpec {
  const spec = mappingOf(written) ?? {};
  const claimNames = mappingOf(spec['claimNames']);
  const listed = (listOf(spec['versions']) ?? []).map((version) => mappingOf(version)?.['name']);
  return {
    group: stringOf(spec['group']),
    definedKind: stringOf(mappingOf(spec['names'])?.['kind']),
    versions: [...(hasSoleVersion(apiVersion) ? [spec['version']] : []), ...listed].filter(
      (name) => typeof name === 'string',
    ),
    shortNames: (listOf(mappingOf(spec['names'])?.['shortNames']) ?? []).filter(
      (name) => typeof name === 'string',
    ),
    claimPlural: stringOf(claimNames?.['plural']),
    claimKind: stringOf(claimNames?.['kind']),
  };
}

/** What an object of a kind defines by its spec, and the CRD of the claim that an XRD offers. */
export function definedBy(
  kind: string,
  { group, definedKind, versions, shortNames, claimPlural, claimKind }: DefiningSpec,
): Pick<PackageObject, 'defines' | 'claimCrd' | 'claimKind'> {
  // Go knows no difference between what is absent and what is empty.
  if (!definesResources(kind) || !group) return {};
  const offersClaim = kind === 'CompositeResourceDefinition' && !!claimPlural;
  return {
    ...(!definedKind
      ? {}
      : {
          defines: {
            group,
            kind: definedKind,
            versions: [...new Set(versions)],
            ...(shortNames.length > 0 && { shortNames }),
          },
        }),
    ...(offersClaim ? { claimCrd: `${claimPlural}.${group}` } : {}),
    ...(offersClaim && claimKind !== undefined ? { claimKind } : {}),
  };
}
