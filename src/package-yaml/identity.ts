import {
  isList,
  listOf,
  mappingOf,
  stringOf,
  type JsonObject,
  type JsonValue,
} from '../text/json.js';
import type { PackageObject } from '../model/package-contents.js';

/** What an object is, read off its document; `undefined` is absent or null. */
export interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string | undefined;
  /** `spec.group`, `spec.names.kind`, and names of versions, of what defines a kind of resource. */
  readonly group: string | undefined;
  readonly definedKind: string | undefined;
  readonly versions: readonly string[];
  /** `spec.claimNames`. */
  readonly claimPlural: string | undefined;
  readonly claimKind: string | undefined;
}

const DEFINING = new Set([
  'CustomResourceDefinition',
  'CompositeResourceDefinition',
  'ManagedResourceDefinition',
]);

/** The object a package holds, by its identity. */
export function objectOf(identity: Identity, line: number): PackageObject {
  const { apiVersion, kind, name, group } = identity;
  const object = {
    apiVersion: detached(apiVersion),
    kind: detached(kind),
    name: detached(name ?? ''),
    line,
  };
  if (!DEFINING.has(kind) || group === undefined) return object;
  const { definedKind, claimPlural, claimKind } = identity;
  const offersClaim = kind === 'CompositeResourceDefinition' && claimPlural !== undefined;
  return {
    ...object,
    ...(definedKind === undefined
      ? {}
      : {
          defines: {
            group: detached(group),
            kind: detached(definedKind),
            versions: [...new Set(identity.versions)].map(detached),
          },
        }),
    ...(offersClaim ? { claimCrd: detached(`${claimPlural}.${group}`) } : {}),
    ...(offersClaim && claimKind !== undefined ? { claimKind: detached(claimKind) } : {}),
  };
}

/** No API server takes a name a quarter as long, nor a kind with a tenth as many versions. */
const MAX_NAME = 1_024;
const MAX_VERSIONS = 1_000;

/** Says what of an identity is larger than anything honest; undefined: nothing is. */
export function oversized({ versions, ...names }: Identity): string | undefined {
  if (versions.length > MAX_VERSIONS)
    return `the ${short(names.kind)} has over ${MAX_VERSIONS} versions`;
  const long = [...Object.values(names), ...versions].find(
    (name) => (name?.length ?? 0) > MAX_NAME,
  );
  if (long === undefined) return undefined;
  return `a name is longer than ${MAX_NAME} characters, more than any API server takes (\`${short(long)}\`)`;
}

function short(name: string): string {
  return name.length > 40 ? `${name.slice(0, 40)}…` : name;
}

/** Reads the identity off a parsed document; `problem`: Go could not decode it. */
export function identityOf(document: JsonValue): Identity | { readonly problem: string } {
  const root = mappingOf(document);
  if (root === undefined) {
    return { problem: `the document is not a mapping (Crossplane: Object 'Kind' is missing)` };
  }
  const { apiVersion, kind } = root;
  const typed = typeProblem(root);
  if (typed !== undefined) return { problem: typed };
  if (typeof kind !== 'string' || kind === '') {
    return { problem: "the document has no `kind` (Crossplane: Object 'Kind' is missing)" };
  }
  if (typeof apiVersion !== 'string' || apiVersion === '') {
    const quote = "(Crossplane: Object 'apiVersion' is missing)";
    return { problem: `the ${kind} has no \`apiVersion\` ${quote}` };
  }
  const spec = mappingOf(root['spec']) ?? {};
  const names = mappingOf(spec['names']) ?? {};
  const claimNames = mappingOf(spec['claimNames']) ?? {};
  return {
    apiVersion,
    kind,
    name: stringOf(mappingOf(root['metadata'])?.['name']),
    group: stringOf(spec['group']),
    definedKind: stringOf(names['kind']),
    versions: versionsOf(spec),
    claimPlural: stringOf(claimNames['plural']),
    claimKind: stringOf(claimNames['kind']),
  };
}

function typeProblem(root: JsonObject): string | undefined {
  for (const key of ['apiVersion', 'kind']) {
    if (!isStringOrAbsent(root[key])) return mustBe('a string', key, root[key]);
  }
  const metadata = root['metadata'] ?? null;
  if (metadata === null) return undefined;
  const fields = mappingOf(metadata);
  if (fields === undefined) return mustBe('a mapping', 'metadata', metadata);
  const { name } = fields;
  return isStringOrAbsent(name) ? undefined : mustBe('a string', 'metadata.name', name);
}

/** Says what Go's typed decoder would trip over. */
export function mustBe(type: string, path: string, value: JsonValue | undefined): string {
  const scalar = typeof value !== 'object' ? ` ${String(value)}` : '';
  const found = isList(value) ? 'list' : typeof value === 'object' ? 'mapping' : typeof value;
  return `\`${path}\` must be ${type}, not the ${found}${scalar}`;
}

/** `spec.version` is how v1beta1 CRDs with one version say it. */
function versionsOf(spec: JsonObject): string[] {
  const listed = listOf(spec['versions']) ?? [];
  return [spec['version'], ...listed.map((version) => mappingOf(version)?.['name'])].filter(
    (name): name is string => typeof name === 'string',
  );
}

export function isStringOrAbsent(value: JsonValue | undefined): value is string | null | undefined {
  return value === undefined || value === null || typeof value === 'string';
}

/** A copy: V8 keeps the whole document alive for as long as a slice of it is. */
function detached(text: string): string {
  return Buffer.from(text).toString();
}
