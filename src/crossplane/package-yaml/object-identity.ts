import { isList, type JsonObject, type JsonValue, mappingOf, stringOf } from '../../base/json.js';
import { IGNORED, type KeyRole, ROOT, scanBlocks, TEXT } from '../../base/yaml/block-scanner.js';
import {
  definitionOf,
  type DefiningSpec,
  hasVersionField,
  type PackageObject,
  readDefiningSpec,
  readVersions,
} from '../packages/package-contents.js';
import { hasNoMetadata } from '../releases/package-fields.js';

/** The identity of an object from its document. Fields are undefined if absent or null. */
export interface Identity extends DefiningSpec {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string | undefined;
}

export function objectOf(identity: Identity, line: number): PackageObject {
  // A copy, because a slice of a string keeps the whole document in memory.
  const copy = JSON.parse(JSON.stringify(identity)) as Identity; // strings, lists of them, undefined
  const { apiVersion, kind, name = '', ...spec } = copy;
  return { apiVersion, kind, name, line, ...definitionOf(kind, spec) };
}

/** Limit for names and kinds; API servers accept 253 characters. */
const MAX_TEXT_LENGTH = 1_024;
/** Limit for the versions of one kind, more than any API server can serve. */
const MAX_VERSIONS = 1_000;

/** Returns why every target refuses an object with this identity, or undefined. */
export function identityProblem(identity: Identity): string | undefined {
  const { versions, shortNames, unserved, deprecated, ...names } = identity;
  const { apiVersion, kind } = names;
  if (versions.length > MAX_VERSIONS)
    return `the ${shortenName(kind)} has over ${MAX_VERSIONS} versions`;
  if (shortNames.length > MAX_VERSIONS) {
    return `the ${shortenName(kind)} has over ${MAX_VERSIONS} short names`;
  }
  const listed = [...versions, ...shortNames, ...unserved, ...deprecated];
  const tooLong = [...Object.values(names), ...listed].find(
    (name) => (name?.length ?? 0) > MAX_TEXT_LENGTH,
  );
  if (tooLong !== undefined) {
    return `a name is longer than ${MAX_TEXT_LENGTH} characters, more than any API server takes (\`${shortenName(tooLong)}\`)`;
  }
  if (/^(?:[^/]+\/)?[^/]+$/.test(apiVersion)) return undefined;
  return `the ${shortenName(kind)} has the \`apiVersion\` \`${shortenName(apiVersion)}\` (Crossplane: unexpected GroupVersion string); write \`group/version\``;
}

function shortenName(name: string): string {
  return name.length > 40 ? `${name.slice(0, 40)}…` : name;
}

/** Reads the identity from a parsed document. Returns a problem if Go could not decode it. */
export function identityOf(document: JsonValue): Identity | { readonly problem: string } {
  const root = mappingOf(document);
  if (root === undefined) {
    return { problem: `the document is not a mapping (Crossplane: Object 'Kind' is missing)` };
  }
  const { apiVersion, kind } = root;
  const ambiguous = Object.keys(root).find(differsInCase);
  if (ambiguous !== undefined) return { problem: caseProblem(ambiguous) };
  const hasNoName = typeof kind === 'string' && hasNoMetadata(kind);
  const typed = typeProblem(root) ?? (hasNoName ? undefined : metadataProblem(root));
  if (typed !== undefined) return { problem: typed };
  if (typeof kind !== 'string' || kind === '') {
    return { problem: "the document has no `kind` (Crossplane: Object 'Kind' is missing)" };
  }
  if (typeof apiVersion !== 'string' || apiVersion === '') {
    const quote = "(Crossplane: Object 'apiVersion' is missing)";
    return { problem: `the ${kind} has no \`apiVersion\` ${quote}` };
  }
  return {
    apiVersion,
    kind,
    name: stringOf(mappingOf(root['metadata'])?.['name']),
    ...readDefiningSpec(apiVersion, root['spec']),
  };
}

/** Whether a key differs from `apiVersion` or `kind` only in case, which Go ignores. */
function differsInCase(key: string): boolean {
  return key !== 'apiVersion' && key !== 'kind' && /^(?:apiVersion|kind)$/iu.test(key);
}

function caseProblem(key: string): string {
  const meant = key.length > 'kind'.length ? 'apiVersion' : 'kind';
  return `the document has a key \`${key}\`, which Crossplane may take for its \`${meant}\`; remove it`;
}

function typeProblem(root: JsonObject): string | undefined {
  for (const key of ['apiVersion', 'kind']) {
    if (!isStringOrAbsent(root[key])) return typeMessage('a string', key, root[key]);
  }
  return undefined;
}

function metadataProblem(root: JsonObject): string | undefined {
  const metadata = root['metadata'] ?? null;
  if (metadata === null) return undefined;
  const fields = mappingOf(metadata);
  if (fields === undefined) return typeMessage('a mapping', 'metadata', metadata);
  const { name } = fields;
  return isStringOrAbsent(name) ? undefined : typeMessage('a string', 'metadata.name', name);
}

/** Returns a message about a value of a type that Go cannot decode. */
export function typeMessage(type: string, path: string, value: JsonValue | undefined): string {
  const scalar = typeof value !== 'object' ? ` ${String(value)}` : '';
  const found = isList(value) ? 'list' : typeof value === 'object' ? 'mapping' : typeof value;
  return `\`${path}\` must be ${type}, not the ${found}${scalar}`;
}

function isStringOrAbsent(value: JsonValue | undefined): value is string | null | undefined {
  return value === undefined || value === null || typeof value === 'string';
}

/** Roles of values by the role of their mapping and by key. The role of a text is its field. */
const ROLES = new Map<KeyRole, ReadonlyMap<string, KeyRole>>(
  Object.entries({
    [ROOT]: { apiVersion: 'apiVersion', kind: 'kind', metadata: 'metadata', spec: 'spec' },
    metadata: {
      name: 'name',
      labels: 'labels',
      annotations: 'labels',
      creationTimestamp: 'timestamp',
    },
    labels: {},
    spec: {
      group: 'group',
      version: 'version',
      names: 'names',
      claimNames: 'claimNames',
      versions: 'versions',
    },
    names: { kind: 'definedKind', shortNames: 'shortNames' },
    claimNames: { plural: 'claimPlural', kind: 'claimKind' },
    versionItem: {
      name: 'versionName',
      served: 'served',
      storage: 'storage',
      referenceable: 'referenceable',
      deprecated: 'deprecated',
    },
  }).map(([role, keys]) => [role, new Map(Object.entries(keys))]),
);
const ITEMS: ReadonlyMap<KeyRole, KeyRole> = new Map([
  ['versions', 'versionItem'],
  ['shortNames', 'shortName'],
]);
/** Flags such as `served: true`, of any type. */
const FLAGS: ReadonlySet<KeyRole> = new Set(['served', 'storage', 'referenceable', 'deprecated']);

/** Returns the same as `identityOf`, without a parser; undefined if that is impossible. */
export function fastIdentity(text: string): Identity | undefined {
  const texts = new Map<KeyRole, string>();
  const versions: Record<string, unknown>[] = [];
  const shortNames: string[] = [];
  const isUnderstood = scanBlocks(text, {
    key: (role, key) => ROLES.get(role)?.get(key) ?? otherRole(role, key),
    item: (role) => {
      if (role === 'versions') versions.push({});
      return ITEMS.get(role);
    },
    mapping: (role) => ROLES.has(role),
    scalar: (role, value) => {
      if (value === null) return true;
      if (FLAGS.has(role)) versions.at(-1)![role] = value;
      // Only a parser can tell whether Go decodes a text as a time.
      else if (typeof value !== 'string' || isCollection(role) || role === 'timestamp')
        return false;
      else if (role === 'versionName') versions.at(-1)!['name'] = value;
      else if (role === 'shortName') shortNames.push(value);
      else texts.set(role, value);
      return true;
    },
  });
  const apiVersion = texts.get('apiVersion');
  const kind = texts.get('kind');
  if (!isUnderstood || !apiVersion || !kind) return undefined;
  const version = hasVersionField(apiVersion) ? texts.get('version') : undefined;
  return {
    apiVersion,
    kind,
    name: texts.get('name'),
    group: texts.get('group'),
    definedKind: texts.get('definedKind'),
    ...readVersions(versions, version),
    shortNames,
    claimPlural: texts.get('claimPlural'),
    claimKind: texts.get('claimKind'),
  };
}

function isCollection(role: KeyRole): boolean {
  return ROLES.has(role) || ITEMS.has(role);
}

/** Returns the role of other keys. Only keys that Go does not decode are ignored. */
function otherRole(role: KeyRole, key: string): KeyRole | undefined {
  if (role === 'labels') return TEXT;
  if (role === 'metadata' || (role === ROOT && differsInCase(key))) return undefined;
  return IGNORED;
}
