import { isList, type JsonObject, type JsonValue, mappingOf, stringOf } from '../../base/json.js';
import {
  IGNORED,
  type KeyRole,
  ROOT,
  scanBlocks,
  type ScannedScalar,
  TEXT,
} from '../../base/yaml/block-scanner.js';
import {
  definitionOf,
  type DefiningSpec,
  type DefiningVersion,
  hasVersionField,
  type PackageObject,
  readDefiningSpec,
  readVersions,
} from '../packages/package-contents.js';
import { hasNoMetadata } from '../releases/target.js';

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
  return oversized(identity) ?? malformedApiVersion(identity);
}

/** `v1` or `group/v1`. */
function malformedApiVersion({ apiVersion, kind }: Identity): string | undefined {
  if (/^(?:[^/]+\/)?[^/]+$/.test(apiVersion)) return undefined;
  return `the ${short(kind)} has the \`apiVersion\` \`${short(apiVersion)}\` (Crossplane: unexpected GroupVersion string); write \`group/version\``;
}

function oversized({
  versions,
  shortNames,
  unserved,
  deprecated,
  ...names
}: Identity): string | undefined {
  if (versions.length > MAX_VERSIONS)
    return `the ${short(names.kind)} has over ${MAX_VERSIONS} versions`;
  if (shortNames.length > MAX_VERSIONS)
    return `the ${short(names.kind)} has over ${MAX_VERSIONS} short names`;
  const listed = [...versions, ...shortNames, ...unserved, ...deprecated];
  const long = [...Object.values(names), ...listed].find(
    (name) => (name?.length ?? 0) > MAX_TEXT_LENGTH,
  );
  if (long === undefined) return undefined;
  return `a name is longer than ${MAX_TEXT_LENGTH} characters, more than any API server takes (\`${short(long)}\`)`;
}

function short(name: string): string {
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
  const isBare = typeof kind === 'string' && hasNoMetadata(kind);
  const typed = typeProblem(root) ?? (isBare ? undefined : metadataProblem(root));
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

const METADATA = 3;
const LABELS = 4;
/** Only null is accepted. Not part of the identity. */
const TIMESTAMP = 5;
const SPEC = 6;
const NAMES = 7;
const CLAIM_NAMES = 8;
const VERSIONS = 9;
const VERSION = 10;
const SHORT_NAMES = 11;
/** Flags such as `served: true`. Not part of the identity. */
const FLAGS = ['served', 'storage', 'referenceable', 'deprecated'] as const;
const FIRST_FLAG = SHORT_NAMES + 1;
const MAPPINGS: ReadonlySet<KeyRole> = new Set([
  ROOT,
  METADATA,
  LABELS,
  SPEC,
  NAMES,
  CLAIM_NAMES,
  VERSION,
]);

type Writable<T> = { -readonly [K in keyof T]: T[K] };

type Field =
  | Exclude<keyof Identity, 'versions' | 'storage' | 'unserved' | 'deprecated' | 'shortNames'>
  | 'version'
  | 'versionName'
  | 'shortName';
/** The role of a field is its index here plus `FIRST_FIELD`. */
const FIELDS: readonly Field[] = [
  'apiVersion',
  'kind',
  'name',
  'group',
  'definedKind',
  'claimPlural',
  'claimKind',
  'version',
  'versionName',
  'shortName',
];
const FIRST_FIELD = FIRST_FLAG + FLAGS.length;
const roleOf = (name: Field): KeyRole => FIRST_FIELD + FIELDS.indexOf(name);

const roles = (byKey: Readonly<Record<string, KeyRole>>) => new Map(Object.entries(byKey));

const ROLES: ReadonlyMap<KeyRole, ReadonlyMap<string, KeyRole>> = new Map([
  [
    ROOT,
    roles({
      apiVersion: roleOf('apiVersion'),
      kind: roleOf('kind'),
      metadata: METADATA,
      spec: SPEC,
    }),
  ],
  [
    METADATA,
    roles({
      name: roleOf('name'),
      labels: LABELS,
      annotations: LABELS,
      creationTimestamp: TIMESTAMP,
    }),
  ],
  [
    SPEC,
    roles({
      group: roleOf('group'),
      version: roleOf('version'),
      names: NAMES,
      claimNames: CLAIM_NAMES,
      versions: VERSIONS,
    }),
  ],
  [NAMES, roles({ kind: roleOf('definedKind'), shortNames: SHORT_NAMES })],
  [CLAIM_NAMES, roles({ plural: roleOf('claimPlural'), kind: roleOf('claimKind') })],
  [
    VERSION,
    new Map([
      ['name', roleOf('versionName')],
      ...FLAGS.map((flag, i) => [flag, FIRST_FLAG + i] as const),
    ]),
  ],
]);

const ITEMS: ReadonlyMap<KeyRole, KeyRole> = new Map([
  [VERSIONS, VERSION],
  [SHORT_NAMES, roleOf('shortName')],
]);

/** Returns the same as `identityOf`, without a parser; undefined if that is impossible. */
export function fastIdentity(text: string): Identity | undefined {
  const texts = new Map<Field, string>();
  const versions: Writable<DefiningVersion>[] = [];
  const shortNames: string[] = [];
  const isUnderstood = scanBlocks(text, {
    key: (role, key) => ROLES.get(role)?.get(key) ?? otherRole(role, key),
    item: (role) => {
      if (role === VERSIONS) versions.push({});
      return ITEMS.get(role);
    },
    mapping: (role) => MAPPINGS.has(role),
    scalar: (role, value) => store(role, value),
  });

  function store(role: KeyRole, value: ScannedScalar): boolean {
    if (value === null) return true;
    const flag = FLAGS[role - FIRST_FLAG];
    if (flag !== undefined) {
      versions.at(-1)![flag] = value;
      return true;
    }
    const name = FIELDS[role - FIRST_FIELD];
    if (name === undefined || typeof value !== 'string') return false;
    if (name === 'versionName') versions.at(-1)!.name = value;
    else if (name === 'shortName') shortNames.push(value);
    else texts.set(name, value);
    return true;
  }

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

/** Returns the role of other keys. Only keys that Go does not decode are ignored. */
function otherRole(role: KeyRole, key: string): KeyRole | undefined {
  if (role === LABELS) return TEXT;
  if (role === METADATA || (role === ROOT && differsInCase(key))) return undefined;
  return IGNORED;
}
