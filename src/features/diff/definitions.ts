import {
  atMost,
  type DiffSeverity,
  type DocumentFinding,
  type RuleResult,
  sameValue,
  shownValue,
  subtract,
} from './findings.js';
import { fieldsIn, type RuleFinding, SCHEMA_RULES, type SchemaPair } from './schema-rules.js';
import { byCodePoint } from '../../base/collections.js';
import {
  isMapping,
  type JsonObject,
  type JsonValue,
  listOf,
  mappingOf,
  type Path,
  stringOf,
} from '../../base/json.js';

/** The parts of a CRD, XRD or MRD that matter to the objects of its kind. */
interface ApiDefinition {
  readonly spec: JsonObject;
  readonly scope: string;
  /** `None` or `Webhook`. */
  readonly conversion: string;
  readonly versions: readonly ApiVersion[];
}

interface ApiVersion {
  readonly name: string;
  readonly served: boolean;
  /** Whether objects are stored in this version. */
  readonly stored: boolean;
  readonly written: JsonObject;
  readonly schema: PlacedSchema;
  readonly at: Path;
}

function apiDefinition(document: JsonValue): ApiDefinition {
  const root = mappingOf(document) ?? {};
  const spec = mappingOf(root['spec']) ?? {};
  const listed = (listOf(spec['versions']) ?? []).map((version) => mappingOf(version) ?? {});
  // Before v1, a CRD could have one schema for all versions, and one version outside of a list.
  const shared = mappingOf(spec['validation']) && { schema: spec['validation']! };
  const single = stringOf(spec['version']);
  const versions = listed.map((written, i) => apiVersion({ ...shared, ...written }, i, written));
  return {
    spec,
    scope: stringOf(spec['scope']) ?? defaultScope(root),
    conversion: stringOf(mappingOf(spec['conversion'])?.['strategy']) ?? 'None',
    versions:
      versions.length > 0 || single === undefined
        ? versions
        : [apiVersion({ ...shared, name: single, served: true, storage: true }, 0, {})],
  };
}

function apiVersion(version: JsonObject, index: number, written: JsonObject): ApiVersion {
  const hasOwnSchema = written['schema'] !== undefined || version['schema'] === undefined;
  const at = hasOwnSchema ? ['spec', 'versions', index] : ['spec'];
  return {
    name: stringOf(version['name']) ?? '',
    served: version['served'] === true,
    stored: version['storage'] === true || version['referenceable'] === true,
    written: version,
    schema: {
      // Without a schema, any value is accepted.
      schema: mappingOf(mappingOf(version['schema'])?.['openAPIV3Schema']) ?? {},
      at: [...at, hasOwnSchema ? 'schema' : 'validation', 'openAPIV3Schema'],
    },
    at,
  };
}

/** Returns the scope of a definition that does not state it: of an XRD, by its API version. */
function defaultScope({ apiVersion, kind }: JsonObject): string {
  if (kind !== 'CompositeResourceDefinition') return '';
  return apiVersion === 'apiextensions.crossplane.io/v2' ? 'Namespaced' : 'LegacyCluster';
}

/** A finding about a definition as a whole. */
interface DefinitionFinding extends RuleResult {
  /** Empty or undefined: all versions. */
  readonly version?: string | undefined;
  /** Path in the old document, whether the value exists there or not. */
  readonly at: Path;
  /** Path in the new document; undefined: the same path. */
  readonly after?: Path | undefined;
}

type DefinitionRule = (old: ApiDefinition, newer: ApiDefinition) => Iterable<DefinitionFinding>;

/** Scope and names, by which objects are addressed. */
const findNameChanges: DefinitionRule = function* (old, newer) {
  if (old.scope !== newer.scope) {
    const text = `scope changed from ${shownValue(old.scope)} to ${shownValue(newer.scope)}: no API server takes that for a CRD that exists`;
    yield { rule: 'scope-changed', severity: 'stored', text, at: ['spec', 'scope'] };
  }
  for (const names of ['names', 'claimNames']) {
    const [before, after] = [mappingOf(old.spec[names]), mappingOf(newer.spec[names])];
    if (before === undefined || after === undefined) continue;
    for (const [name, severity] of SINGLE_NAMES) {
      const [from, to] = [stringOf(before[name]), stringOf(after[name])];
      if (from === to) continue;
      const text = `${names}.${name} changed from ${shownValue(from)} to ${shownValue(to)}`;
      yield { rule: 'name-changed', severity, text, at: ['spec', names, name] };
    }
    for (const name of ['shortNames', 'categories']) {
      const [from, to] = [listOf(before[name]) ?? [], listOf(after[name]) ?? []];
      const removed = subtract(from, to);
      const added = subtract(to, from);
      const at = ['spec', names, name];
      if (removed.length > 0) {
        const text = `${names}.${name} is without ${shownValue(removed)} now`;
        yield { rule: 'name-removed', severity: 'readers', text, at };
      }
      if (added.length > 0) {
        const text = `${names}.${name} has ${shownValue(added)} too`;
        yield { rule: 'name-added', severity: 'harmless', text, at };
      }
    }
  }
};

const SINGLE_NAMES = [
  ['plural', 'stored'],
  ['kind', 'stored'],
  ['listKind', 'readers'],
  ['singular', 'readers'],
] as const;

/** Conversion, unknown fields, and settings of single versions. */
const findSettingChanges: DefinitionRule = function* (old, newer) {
  if (old.conversion !== newer.conversion) {
    const isNone = newer.conversion === 'None';
    const effect = isNone
      ? 'fields that versions do not share are dropped'
      : 'objects are out of reach while the webhook is';
    const text = `conversion changed from ${old.conversion} to ${newer.conversion}: ${effect}`;
    const severity = isNone ? 'stored' : 'writers';
    yield { rule: 'conversion-changed', severity, text, at: ['spec', 'conversion'] };
  }
  const [keptBefore, keepsNow] = [old, newer].map(
    ({ spec }) => spec['preserveUnknownFields'] === true,
  );
  const at = ['spec', 'preserveUnknownFields'];
  if (keepsNow && !keptBefore) {
    const text = 'fields that no schema names are kept, and were dropped';
    yield { rule: 'unknown-fields-kept', severity: 'readers', text, at };
  } else if (keptBefore && !keepsNow) {
    const text = 'fields that no schema names are dropped from objects, and were kept';
    yield { rule: 'unknown-fields-dropped', severity: 'stored', text, at };
  }
  for (const before of old.versions) {
    const after = newer.versions.find(({ name }) => name === before.name);
    if (after !== undefined) yield* findVersionSettings(before, after);
  }
};

/** Subresources, selectable fields and printer columns of a version. */
function* findVersionSettings(before: ApiVersion, after: ApiVersion): Iterable<DefinitionFinding> {
  const place = (...steps: readonly string[]) => ({
    version: before.name,
    at: [...before.at, ...steps],
    after: [...after.at, ...steps],
  });
  const [from, to] = [before, after].map(({ written }) => mappingOf(written['subresources']) ?? {});
  for (const name of new Set([...Object.keys(from!), ...Object.keys(to!)])) {
    if (sameValue(from![name], to![name])) continue;
    const change =
      to![name] === undefined
        ? 'removed: what writes to it fails'
        : from![name] === undefined
          ? 'added: what is written there otherwise is ignored'
          : 'changed';
    const at = { text: `the subresource ${name} ${change}`, ...place('subresources', name) };
    yield { rule: 'subresource-changed', severity: 'writers', ...at };
  }
  if (!sameValue(before.written['selectableFields'], after.written['selectableFields'])) {
    const text = 'fields that objects can be selected by changed';
    yield { rule: 'selectable-fields', severity: 'readers', text, ...place('selectableFields') };
  }
  const columns = 'additionalPrinterColumns';
  if (!sameValue(before.written[columns], after.written[columns])) {
    const text = 'columns of `kubectl get` changed';
    yield { rule: 'columns-changed', severity: 'harmless', text, ...place(columns) };
  }
}

/** Added, removed and changed versions, and the storage version. */
const findVersionChanges: DefinitionRule = function* (old, newer) {
  const newVersions = byName(newer);
  for (const before of old.versions) {
    const after = newVersions.get(before.name);
    if (after === undefined) yield removalFinding(before);
    else yield* findServingChanges(before, after);
  }
  const oldVersions = byName(old);
  for (const version of newer.versions) {
    if (oldVersions.has(version.name)) continue;
    const text = `version ${version.name} added`;
    const after = [...version.at, 'name'];
    const at = { version: version.name, at: ['spec', 'versions'], after };
    yield { rule: 'version-added', severity: 'harmless', text, ...at };
  }
  yield* findStorageChange(old, newer);
};

function byName({ versions }: ApiDefinition): ReadonlyMap<string, ApiVersion> {
  return new Map(versions.map((version) => [version.name, version]));
}

/** Returns the paths of the names: the name is the only field that every version has. */
function versionPlaces(before: ApiVersion, after: ApiVersion) {
  return { version: before.name, at: [...before.at, 'name'], after: [...after.at, 'name'] };
}

function removalFinding({ name: version, stored, served, at }: ApiVersion): DefinitionFinding {
  const text = stored
    ? `version ${version} removed, in which objects are stored: they must be rewritten in another first, and status.storedVersions no longer name it`
    : `version ${version} removed; status.storedVersions must not name it`;
  const severity = stored ? 'stored' : served ? 'writers' : 'harmless';
  const places = { at: [...at, 'name'], after: ['spec', 'versions'] };
  return { rule: 'version-removed', severity, text, version, ...places };
}

function* findServingChanges(before: ApiVersion, after: ApiVersion): Iterable<DefinitionFinding> {
  const places = versionPlaces(before, after);
  if (before.served && !after.served) {
    const text = `version ${before.name} is no longer served: what names it is refused`;
    yield { rule: 'version-unserved', severity: 'writers', text, ...places };
  } else if (after.served && !before.served) {
    const text = `version ${before.name} is served again`;
    yield { rule: 'version-served', severity: 'harmless', text, ...places };
  }
  if (after.written['deprecated'] === true && before.written['deprecated'] !== true) {
    const text = `version ${before.name} is deprecated now`;
    yield { rule: 'version-deprecated', severity: 'harmless', text, ...places };
  }
}

function* findStorageChange(old: ApiDefinition, newer: ApiDefinition): Iterable<DefinitionFinding> {
  const [before, after] = [old, newer].map(({ versions }) => versions.find(({ stored }) => stored));
  if (before === undefined || after === undefined || before.name === after.name) return;
  const moved = `objects are stored as ${after.name}, and were as ${before.name}`;
  const places = { rule: 'storage-changed', ...versionPlaces(before, after), version: after.name };
  if (newer.conversion === 'None') {
    const text = `${moved}: fields that ${after.name} does not have are dropped`;
    yield { severity: 'stored', text, ...places };
  } else {
    const text = `${moved}; the way back needs the ${shownValue(newer.conversion)} conversion`;
    yield { severity: 'writers', text, ...places };
  }
}

/** Maximum number of served versions that are compared with each other, each pair of them. */
const MAX_SERVED = 8;

/**
 * Returns new differences between served versions without a conversion: an object written in one
 * version is then read and stored as if it were written in the other.
 */
function newDifferenceFindings(old: ApiDefinition, newer: ApiDefinition): DocumentFinding[] {
  if (newer.conversion !== 'None') return [];
  const known = new Set(versionDifferenceFindings(old).map(findingKey));
  return versionDifferenceFindings(newer).filter((found) => !known.has(findingKey(found)));
}

function findingKey({ version, path, rule, text }: DocumentFinding): string {
  return JSON.stringify([version, path, rule, text]);
}

function versionDifferenceFindings({ versions }: ApiDefinition): DocumentFinding[] {
  const served = versions
    .filter((version) => version.served)
    .sort((a, b) => byKubeVersion(a.name, b.name))
    .slice(-MAX_SERVED);
  return served.flatMap((one, i) =>
    served
      .slice(i + 1)
      .flatMap((other) => compareSchemas(one.schema, other.schema, `${one.name} -> ${other.name}`)),
  );
}

const KUBE_VERSION = /^v(\d+)(?:(alpha|beta)(\d+))?$/;
const STAGES = ['alpha', 'beta', ''];

/** Compares API versions by maturity: v1alpha1, v1beta1, v1. Other names come first. */
export function byKubeVersion(a: string, b: string): number {
  const [left, right] = [KUBE_VERSION.exec(a), KUBE_VERSION.exec(b)];
  if (left === null || right === null) {
    return Number(left !== null) - Number(right !== null) || byCodePoint(a, b);
  }
  return (
    STAGES.indexOf(left[2] ?? '') - STAGES.indexOf(right[2] ?? '') ||
    Number(left[1]) - Number(right[1]) ||
    Number(left[3] ?? 0) - Number(right[3] ?? 0)
  );
}

const RULES: readonly DefinitionRule[] = [findNameChanges, findVersionChanges, findSettingChanges];

/** Returns the effects of a changed CRD, XRD or MRD on the objects of its kind. */
export function compareDefinitions(before: JsonValue, after: JsonValue): DocumentFinding[] {
  const [old, newer] = [apiDefinition(before), apiDefinition(after)];
  const newVersions = byName(newer);
  return [
    ...RULES.flatMap((rule) => Array.from(rule(old, newer))).map(
      ({ version = '', at, after: newPath = at, ...finding }): DocumentFinding => ({
        ...finding,
        version,
        path: '',
        before: at,
        after: newPath,
      }),
    ),
    ...old.versions.flatMap(({ name, schema }) => {
      const version = newVersions.get(name);
      return version === undefined ? [] : compareSchemas(schema, version.schema, name);
    }),
    ...newDifferenceFindings(old, newer),
  ];
}

/** A schema, and its path in the document. */
interface PlacedSchema {
  readonly schema: JsonObject;
  readonly at: Path;
}

/** Returns the effects of a schema change, by field. `version` is the API version. */
export function compareSchemas(
  before: PlacedSchema,
  after: PlacedSchema,
  version: string,
): DocumentFinding[] {
  const found: DocumentFinding[] = [];
  compareNode({ before, after, path: '', limit: 'stored' });
  return found;

  function compareNode(node: Node): void {
    const pair = { before: node.before.schema, after: node.after.schema };
    if (sameValue(pair.before, pair.after)) return;
    for (const finding of findingsAt(pair)) found.push(findingAt(finding, node, version));
    for (const child of childrenOf(node)) compareNode(child);
  }
}

interface Node {
  readonly before: PlacedSchema;
  readonly after: PlacedSchema;
  readonly path: string;
  /** The worst severity that a change can have here. */
  readonly limit: DiffSeverity;
}

/** Returns the nodes below a node that both schemas have. */
function* childrenOf(node: Node): Iterable<Node> {
  const newFields = fieldsIn(node.after.schema);
  for (const [name, before] of fieldsIn(node.before.schema)) {
    const after = newFields.get(name);
    if (after === undefined) continue;
    const path = fieldPath(node.path, name);
    yield childAt(node, { before, after }, ['properties', name], path);
  }
  for (const [keyword, suffix] of [
    ['items', '[]'],
    ['additionalProperties', '.*'],
  ] as const) {
    const [before, after] = [node.before.schema[keyword], node.after.schema[keyword]];
    if (!isMapping(before) || !isMapping(after)) continue;
    yield childAt(node, { before, after }, [keyword], `${node.path}${suffix}`);
  }
}

function childAt(node: Node, { before, after }: SchemaPair, steps: Path, path: string): Node {
  return {
    before: { schema: before, at: [...node.before.at, ...steps] },
    after: { schema: after, at: [...node.after.at, ...steps] },
    path,
    limit: limitAt(path, node),
  };
}

/** Controllers rewrite the status, so changes there lose no user data. */
function limitAt(path: string, node: Node): DiffSeverity {
  return path === 'status' ? 'readers' : node.limit;
}

/** Appends a field to a path. Names that are not plain words are quoted. */
function fieldPath(path: string, name: string): string {
  if (!/^[\w-]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}

function* findingsAt(pair: SchemaPair): Iterable<RuleFinding> {
  const { before, after } = pair;
  const covered = new Set(STRUCTURAL);
  for (const family of SCHEMA_RULES) {
    const findings = [...family.find(pair)];
    if (findings.length > 0) for (const keyword of family.keywords) covered.add(keyword);
    yield* findings;
  }
  // Changes that no rule reports: other orders, and unknown keywords.
  for (const keyword of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (covered.has(keyword) || sameValue(before[keyword], after[keyword])) continue;
    const text = `${keyword} changed`;
    yield { rule: 'keyword-changed', severity: 'harmless', text, keyword };
  }
}

/** Keywords that contain other nodes. */
const STRUCTURAL = ['properties', 'items', 'additionalProperties'];

function findingAt(finding: RuleFinding, node: Node, version: string): DocumentFinding {
  const { rule, severity, text, keyword, field } = finding;
  const step = field === undefined ? [keyword] : ['properties', field];
  const path = field === undefined ? node.path : fieldPath(node.path, field);
  return {
    rule,
    severity: atMost(severity, limitAt(path, node)),
    version,
    path,
    text,
    before: [...node.before.at, ...step],
    after: [...node.after.at, ...step],
  };
}
