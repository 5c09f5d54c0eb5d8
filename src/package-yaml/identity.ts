import { isList, mappingOf, stringOf, type JsonObject, type JsonValue } from '../text/json.js';
import { definedBy, readDefiningSpec, type DefiningSpec } from '../model/definition.js';
import type { PackageObject } from '../model/package-contents.js';
import { isBareKind } from '../model/target/target.js';

/** What an object is, read off its document; `undefined` is absent or null. */
export interface Identity extends DefiningSpec {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string | undefined;
}

/** The object a package holds, by its identity. */
export function objectOf(identity: Identity, line: number): PackageObject {
  const { apiVersion, kind, name = '', ...spec } = detached(identity);
  return { apiVersion, kind, name, line, ...definedBy(kind, spec) };
}

/** A copy: V8 keeps the whole document alive for as long as a slice of it is. */
function detached(identity: Identity): Identity {
  return JSON.parse(JSON.stringify(identity)) as Identity; // of strings, lists of them, and undefined
}

/** Characters of a name or kind; API servers take 253. */
const MAX_TEXT_LENGTH = 1_024;
/** Versions of one kind; more than any API server could serve. */
const MAX_VERSIONS = 1_000;

/** Says why no target can take an object for what its identity says; undefined: one may. */
export function identityProblem(identity: Identity): string | undefined {
  return oversized(identity) ?? malformedApiVersion(identity);
}

/** `v1` or `group/v1`. */
function malformedApiVersion({ apiVersion, kind }: Identity): string | undefined {
  if (/^(?:[^/]+\/)?[^/]+$/.test(apiVersion)) return undefined;
  return `the ${short(kind)} has the \`apiVersion\` \`${short(apiVersion)}\` (Crossplane: unexpected GroupVersion string); write \`group/version\``;
}

/** Says what of an identity is over those limits; undefined: nothing is. */
function oversized({ versions, shortNames, ...names }: Identity): string | undefined {
  if (versions.length > MAX_VERSIONS)
    return `the ${short(names.kind)} has over ${MAX_VERSIONS} versions`;
  if (shortNames.length > MAX_VERSIONS)
    return `the ${short(names.kind)} has over ${MAX_VERSIONS} short names`;
  const long = [...Object.values(names), ...versions, ...shortNames].find(
    (name) => (name?.length ?? 0) > MAX_TEXT_LENGTH,
  );
  if (long === undefined) return undefined;
  return `a name is longer than ${MAX_TEXT_LENGTH} characters, more than any API server takes (\`${short(long)}\`)`;
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
  const ambiguous = Object.keys(root).find(isTwinOfTypeKey);
  if (ambiguous !== undefined) return { problem: twinProblem(ambiguous) };
  const isBare = typeof kind === 'string' && isBareKind(kind);
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

/**
 * Whether a key of a document is `apiVersion` or `kind` but for the case of its letters.
 *
 * Go looks for the two without regard to it, U+212A KELVIN SIGN included, and takes the last one.
 */
export function isTwinOfTypeKey(key: string): boolean {
  return key !== 'apiVersion' && key !== 'kind' && /^(?:apiVersion|kind)$/iu.test(key);
}

function twinProblem(key: string): string {
  const meant = key.length > 'kind'.length ? 'apiVersion' : 'kind';
  return `the document has a key \`${key}\`, which Crossplane may take for its \`${meant}\`; remove it`;
}

function typeProblem(root: JsonObject): string | undefined {
  for (const key of ['apiVersion', 'kind']) {
    if (!isStringOrAbsent(root[key])) return mustBe('a string', key, root[key]);
  }
  return undefined;
}

function metadataProblem(root: JsonObject): string | undefined {
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

export function isStringOrAbsent(value: JsonValue | undefined): value is string | null | undefined {
  return value === undefined || value === null || typeof value === 'string';
}
