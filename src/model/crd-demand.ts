import type { JsonValue } from './package.js';
import type { PackageObject } from './package-contents.js';
import type { CrdDemand } from './package-source.js';

const DEFINING = new Set([
  'CustomResourceDefinition',
  'CompositeResourceDefinition',
  'ManagedResourceDefinition',
]);

/** Whether the object brings about what is demanded: its CRD, or the CRD of its claim. */
export function meetsDemand(object: PackageObject, demand: CrdDemand): boolean {
  if (!DEFINING.has(object.kind)) return false;
  if ('crd' in demand) return object.name === demand.crd || object.claimCrd === demand.crd;
  const { defines } = object;
  return (
    defines !== undefined &&
    defines.kind === demand.kind &&
    (demand.group === '*' || defines.group === demand.group) &&
    (demand.version === undefined || defines.versions.includes(demand.version))
  );
}

const GROUP = /^(?:\*|[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)$/;
const VERSION = /^v[0-9][a-z0-9]*$/;
const KIND = /^[A-Z][A-Za-z0-9]*$/;

/**
 * What an entry's `crd` asks for; undefined: it is none of the forms.
 *
 * A CRD's name, `buckets.s3.aws.upbound.io`, which the oldest design documents follow with
 * `/v1beta1` (the name alone says who owns it); or what it defines, as `{group, version, kind}`,
 * `group/version/Kind`, `group/Kind` or `Kind.version.group`.
 */
export function parseCrdDemand(written: JsonValue | undefined): CrdDemand | undefined {
  if (typeof written === 'string') return parseText(written);
  if (typeof written !== 'object' || written === null || !('kind' in written)) return undefined;
  return definition(written['group'], written['version'], written['kind']);
}

/** As it is written in the shortest form that `parseCrdDemand` reads back. */
export function formatCrdDemand(demand: CrdDemand): string {
  if ('crd' in demand) return demand.crd;
  return [demand.group, demand.version, demand.kind].filter((part) => part !== undefined).join('/');
}

function parseText(text: string): CrdDemand | undefined {
  const [first = '', second, third, ...more] = text.split('/');
  if (more.length > 0) return undefined;
  if (third !== undefined) return definition(first, second, third);
  if (second !== undefined && !VERSION.test(second)) return definition(first, undefined, second);
  const [kind, version, ...group] = first.split('.');
  if (second === undefined && KIND.test(kind!)) return definition(group.join('.'), version, kind);
  // A CRD's name is its plural, a dot, and its group.
  return first !== '*' && first.includes('.') && GROUP.test(first) ? { crd: first } : undefined;
}

function definition(
  group: JsonValue | undefined,
  version: JsonValue | undefined,
  kind: JsonValue | undefined,
): CrdDemand | undefined {
  if (typeof group !== 'string' || !GROUP.test(group)) return undefined;
  if (typeof kind !== 'string' || !KIND.test(kind)) return undefined;
  if (version === undefined) return { group, version, kind };
  return typeof version === 'string' && VERSION.test(version)
    ? { group, version, kind }
    : undefined;
}
