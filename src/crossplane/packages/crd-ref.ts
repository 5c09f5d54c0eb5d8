import { DNS_SUBDOMAIN } from '../../base/dns-name.js';
import { isMapping, type JsonObject, type JsonValue } from '../../base/json.js';
import { definesResources, type PackageObject } from './package-contents.js';
import type { Repository } from './package.js';

/** A CRD by its name, or by what it defines. `*` and an undefined version match any. */
export type CrdRef = (
  | { readonly crd: string; readonly version?: string | undefined }
  | { readonly group: string; readonly version: string | undefined; readonly kind: string }
) & {
  /** Registry of its owner; undefined for any. */
  readonly registry?: string | undefined;
};

/** Whether the owner may be a package of this repository, given the registry of the reference. */
export function isInRegistry(repository: Repository, { registry }: CrdRef): boolean {
  return registry === undefined || repository.startsWith(`${registry}/`);
}

/** Whether the object creates the referenced CRD, or defines it as the CRD of its claim. */
export function definesCrd(object: PackageObject, crdRef: CrdRef): boolean {
  if (!definesResources(object.kind)) return false;
  const { defines, claimKind } = object;
  if ('crd' in crdRef) {
    const named = object.name === crdRef.crd || object.claimCrd === crdRef.crd;
    return named && serves(defines, crdRef.version);
  }
  return (
    defines !== undefined &&
    (crdRef.kind === '*' || defines.kind === crdRef.kind || claimKind === crdRef.kind) &&
    (crdRef.group === '*' || defines.group === crdRef.group) &&
    serves(defines, crdRef.version)
  );
}

/** Whether a version is served. An index may lack the versions; then any counts as served. */
function serves(defines: PackageObject['defines'], version: string | undefined): boolean {
  return version === undefined || defines === undefined || defines.versions.includes(version);
}

const VERSION = 'v[0-9][a-z0-9]*';
/** A version after a slash. Nothing, or `*`, matches any. */
const AT_VERSION = `(?:/(?:(?<version>${VERSION})|\\*))?`;
const CRD_NAME = new RegExp(`^(?<crd>${DNS_SUBDOMAIN})${AT_VERSION}$`);
const ANY_OF_GROUP = new RegExp(`^\\*\\.(?<group>${DNS_SUBDOMAIN})${AT_VERSION}$`);
const GROUP_VERSION_KIND = new RegExp(
  `^(?<group>\\*|${DNS_SUBDOMAIN})/(?<version>${VERSION})(?:, Kind=|/)(?<kind>[A-Z][A-Za-z0-9]*)$`,
);
const GROUP_KIND = new RegExp(`^(?<group>\\*|${DNS_SUBDOMAIN})/(?<kind>[A-Z][A-Za-z0-9]*)$`);
const KIND_VERSION_GROUP = new RegExp(
  `^(?<kind>[A-Z][A-Za-z0-9]*)\\.(?<version>${VERSION})\\.(?<group>\\*|${DNS_SUBDOMAIN})$`,
);

/**
 * Parses a CRD reference of the design documents. Returns undefined if it is invalid.
 *
 * Accepts `buckets.s3.example.org`, `buckets.s3.example.org/v1beta1`, `*.s3.example.org/v1beta1`,
 * `/*` for any version, and a GVK: `s3.example.org/v1beta1, Kind=Bucket`,
 * `s3.example.org/v1beta1/Bucket`, `s3.example.org/Bucket`, `Bucket.v1beta1.s3.example.org`, or a
 * mapping of `apiVersion` (or `group` and `version`) and `kind`.
 */
export function parseCrdRef(value: JsonValue): CrdRef | undefined {
  if (typeof value === 'string') return parseText(value);
  return isMapping(value) ? parseMapping(value) : undefined;
}

function parseText(text: string): CrdRef | undefined {
  const forms = [ANY_OF_GROUP, GROUP_VERSION_KIND, GROUP_KIND, KIND_VERSION_GROUP];
  const gvk = forms.map((form) => form.exec(text)?.groups).find((found) => found !== undefined);
  if (gvk !== undefined) {
    const { group, version, kind = '*' } = gvk;
    return { group: group!, version, kind };
  }
  const named = CRD_NAME.exec(text)?.groups;
  if (named === undefined || !named['crd']!.includes('.')) return undefined;
  const { crd, version } = named;
  return version === undefined ? { crd: crd! } : { crd: crd!, version };
}

function parseMapping(value: JsonObject): CrdRef | undefined {
  const kind = nonEmptyString(value['kind']);
  if (kind === undefined) return undefined;
  const apiVersion = nonEmptyString(value['apiVersion']);
  if (apiVersion !== undefined) {
    const [group, version, ...rest] = apiVersion.split('/');
    if (group === '' || version === undefined || rest.length > 0) return undefined;
    return { group: group!, version, kind };
  }
  const group = nonEmptyString(value['group']);
  return group === undefined
    ? undefined
    : { group, version: nonEmptyString(value['version']), kind };
}

function nonEmptyString(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Formats a reference: `buckets.s3.aws.upbound.io`, `s3.aws.upbound.io/v1beta1 Bucket`. */
export function formatCrdRef(crdRef: CrdRef): string {
  const version = crdRef.version === undefined ? '' : `/${crdRef.version}`;
  const at = crdRef.registry === undefined ? '' : ` at ${crdRef.registry}`;
  if ('crd' in crdRef) return `${crdRef.crd}${version}${at}`;
  return `${crdRef.group}${version} ${crdRef.kind}${at}`;
}
