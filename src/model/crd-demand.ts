import { DNS_SUBDOMAIN } from '../text/dns-name.js';
import { isMapping, type JsonObject, type JsonValue } from '../text/json.js';
import { definesResources } from './definition.js';
import type { Repository } from './package.js';
import type { PackageObject } from './package-contents.js';

/**
 * A CRD by its name, or by what it defines; a `*` group or kind matches any, and an absent version
 * leaves the version open.
 */
export type CrdDemand = (
  | { readonly crd: string; readonly version?: string | undefined }
  | { readonly group: string; readonly version: string | undefined; readonly kind: string }
) & {
  /** Where its owner must be published; undefined: anywhere. */
  readonly registry?: string | undefined;
};

/** Whether a package may be the owner, going by where it is published. */
export function isPublishedAt(repository: Repository, { registry }: CrdDemand): boolean {
  return registry === undefined || repository.startsWith(`${registry}/`);
}

/** Whether the object brings about what is demanded: its CRD, or the CRD of its claim. */
export function meetsDemand(object: PackageObject, demand: CrdDemand): boolean {
  if (!definesResources(object.kind)) return false;
  const { defines, claimKind } = object;
  if ('crd' in demand) {
    const named = object.name === demand.crd || object.claimCrd === demand.crd;
    return named && serves(defines, demand.version);
  }
  return (
    defines !== undefined &&
    (demand.kind === '*' || defines.kind === demand.kind || claimKind === demand.kind) &&
    (demand.group === '*' || defines.group === demand.group) &&
    serves(defines, demand.version)
  );
}

/** Where versions are not known, since an index need not say them, any is taken to be served. */
function serves(defines: PackageObject['defines'], version: string | undefined): boolean {
  return version === undefined || defines === undefined || defines.versions.includes(version);
}

const VERSION = 'v[0-9][a-z0-9]*';
/** A version after a slash; none, or `*`: any will do. */
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
 * A CRD as the design documents name it; undefined: not a way to name one.
 *
 * `buckets.s3.example.org`, `buckets.s3.example.org/v1beta1`, `*.s3.example.org/v1beta1`, `/*` for
 * any version, and a
 * GVK: `s3.example.org/v1beta1, Kind=Bucket`, `s3.example.org/v1beta1/Bucket`,
 * `s3.example.org/Bucket`, `Bucket.v1beta1.s3.example.org`, or a mapping of `apiVersion` (or `group`
 * and `version`) and `kind`.
 */
export function parseCrdDemand(value: JsonValue): CrdDemand | undefined {
  if (typeof value === 'string') return fromText(value);
  return isMapping(value) ? fromMapping(value) : undefined;
}

function fromText(text: string): CrdDemand | undefined {
  const any = ANY_OF_GROUP.exec(text)?.groups;
  if (any !== undefined) return { group: any['group']!, version: any['version'], kind: '*' };
  const forms = [GROUP_VERSION_KIND, GROUP_KIND, KIND_VERSION_GROUP];
  const gvk = forms.map((form) => form.exec(text)?.groups).find((found) => found !== undefined);
  if (gvk !== undefined) {
    return { group: gvk['group']!, version: gvk['version'], kind: gvk['kind']! };
  }
  const named = CRD_NAME.exec(text)?.groups;
  if (named === undefined || !named['crd']!.includes('.')) return undefined;
  const { crd, version } = named;
  return version === undefined ? { crd: crd! } : { crd: crd!, version };
}

function fromMapping(value: JsonObject): CrdDemand | undefined {
  const kind = text(value['kind']);
  if (kind === undefined) return undefined;
  const apiVersion = text(value['apiVersion']);
  if (apiVersion !== undefined) {
    const [group, version, ...rest] = apiVersion.split('/');
    if (group === '' || version === undefined || rest.length > 0) return undefined;
    return { group: group!, version, kind };
  }
  const group = text(value['group']);
  return group === undefined ? undefined : { group, version: text(value['version']), kind };
}

function text(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** As a person would write it: `buckets.s3.aws.upbound.io`, `s3.aws.upbound.io/v1beta1 Bucket`. */
export function crdDemandText(demand: CrdDemand): string {
  const version = demand.version === undefined ? '' : `/${demand.version}`;
  const at = demand.registry === undefined ? '' : ` at ${demand.registry}`;
  const named =
    'crd' in demand ? `${demand.crd}${version}` : `${demand.group}${version} ${demand.kind}`;
  return `${named}${at}`;
}
