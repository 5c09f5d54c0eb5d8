import { identityOf, typeMessage } from './object-identity.js';
import {
  hasExcessiveAliases,
  isList,
  isMapping,
  type JsonObject,
  type JsonValue,
  listOf,
  mappingOf,
} from '../../base/json.js';
import type { GoDocument } from '../../base/yaml/go-yaml.js';
import { findPlace, positionsIn } from '../../base/yaml/positions.js';
import type { MetaDocument, ReleaseField, StreamProblem } from '../packages/package-contents.js';
import { isPackageKind } from '../packages/package.js';
import { OBJECT_FIELDS, unknownFieldText, unknownMetaFields } from '../releases/package-fields.js';

/** Whether an API version belongs to a group of package metadata, of any vendor. */
export function isMeta(apiVersion: string): boolean {
  return /^meta\.pkg\.[^/]*\//.test(apiVersion);
}

/** Reads the metadata document of a package. `line` is that of the document. */
export function metaDocument(
  document: GoDocument,
  line: number,
): MetaDocument | { problem: string } {
  const identity = identityOf(document.value);
  if ('problem' in identity) return identity;
  if (hasExcessiveAliases(document.value)) {
    return {
      problem: 'aliases blow the document up (Crossplane: document contains excessive aliasing)',
    };
  }
  const root = mappingOf(document.value) ?? {};
  const metadata = mappingOf(root['metadata']) ?? {};
  const spec = mappingOf(root['spec']) ?? {};
  const list = (key: string) => listOf(spec[key]) ?? [];
  return {
    apiVersion: identity.apiVersion,
    kind: identity.kind,
    name: identity.name ?? '',
    labels: strings(metadata['labels']),
    annotations: strings(metadata['annotations']),
    crossplane: spec['crossplane'],
    dependsOn: list('dependsOn'),
    capabilities: list('capabilities').filter((item) => typeof item === 'string'),
    dependsOnLines: linesOf(document, ['spec', 'dependsOn'], line),
    line,
    specKeys: Object.keys(spec),
    specLines: specLines(document, line),
    unknownFields: unknownFields(identity.kind, document, line),
    runtimeImage: runtimeImage(identity.kind, spec),
    ...(requestsPermissions(spec) && { requestsPermissions: true }),
    decodeError: decodeError(root),
    fieldErrors: releaseFieldErrors(spec),
  };
}

function unknownFields(
  kind: string,
  document: GoDocument,
  line: number,
): StreamProblem[] | undefined {
  if (!isPackageKind(kind)) return undefined;
  // A field of the object that installs the package has its own message.
  const unknown = unknownMetaFields(kind, document.value).filter(
    ({ path: [first, key, ...below] }) =>
      first !== 'spec' || below.length > 0 || !OBJECT_FIELDS.has(String(key)),
  );
  if (unknown.length === 0) return undefined;
  const positions = positionsIn(document, line);
  return unknown.map((field) => ({
    message: unknownFieldText(kind, field),
    line: positions?.lineOf(findPlace(positions.root, field.path).offset),
  }));
}

function requestsPermissions(spec: JsonObject): boolean {
  return (listOf(mappingOf(spec['controller'])?.['permissionRequests']) ?? []).length > 0;
}

/** Returns the image in the metadata. Only Providers have it below `controller`. */
function runtimeImage(kind: string, spec: JsonObject): string | undefined {
  const named = kind === 'Provider' ? mappingOf(spec['controller'])?.['image'] : spec['image'];
  return typeof named === 'string' && named !== '' ? named : undefined;
}

/** Returns the lines of the items of a list, or undefined if it is not written out as a list. */
export function linesOf(
  document: GoDocument,
  path: readonly string[],
  line: number,
): number[] | undefined {
  const positions = positionsIn(document, line);
  const list = positions && findPlace(positions.root, path);
  return list?.place?.items.map(({ offset }) => {
    return positions!.lineOf(offset < 0 ? list.offset : offset);
  });
}

function specLines(document: GoDocument, line: number): Record<string, number> | undefined {
  const positions = positionsIn(document, line);
  const entries = positions && findPlace(positions.root, ['spec']).place?.entries;
  const lines = entries?.map(({ key, offset }) => [key, positions!.lineOf(offset)] as const);
  return lines && Object.fromEntries(lines);
}

function decodeError(root: JsonObject): string | undefined {
  const spec = root['spec'] ?? null;
  if (spec !== null && mappingOf(spec) === undefined) return typeMessage('a mapping', 'spec', spec);
  const dependsOn = mappingOf(spec)?.['dependsOn'] ?? null;
  if (dependsOn !== null && !isList(dependsOn)) {
    return typeMessage('a list', 'spec.dependsOn', dependsOn);
  }
  return objectMetaProblem(root['metadata']);
}

/** Returns a mapping of strings. As in Go, null becomes an empty string. */
function strings(value: JsonValue | undefined): Readonly<Record<string, string>> {
  const entries = Object.entries(mappingOf(value) ?? {});
  return Object.fromEntries(
    entries.map(([key, text]) => [key, typeof text === 'string' ? text : '']),
  );
}

/** A type into which Go decodes a value. Each accepts null. */
type Shape =
  | 'string'
  | 'boolean'
  | 'integer'
  | 'time'
  | 'anything'
  | { readonly listOf: Shape }
  | { readonly mappingOf: Shape }
  /** Other keys are ignored. */
  | { readonly fields: Readonly<Record<string, Shape>> };

/** Returns what Go could not decode into that type, or undefined if it can decode the value. */
function shapeProblem(value: JsonValue, shape: Shape, path: string): string | undefined {
  if (value === null || shape === 'anything') return undefined;
  if (typeof shape === 'string') {
    if (SCALARS[shape](value)) return undefined;
    const remedy = shape === 'string' && typeof value !== 'object' ? '; put it in quotes' : '';
    return `${typeMessage(`${shape === 'integer' ? 'an' : 'a'} ${shape}`, path, value)}${remedy}`;
  }
  if ('listOf' in shape) {
    if (!isList(value)) return typeMessage('a list', path, value);
    return find(value.entries(), ([i, item]) => shapeProblem(item, shape.listOf, `${path}[${i}]`));
  }
  if (!isMapping(value)) return typeMessage('a mapping', path, value);
  const fields = 'fields' in shape ? new Map(Object.entries(shape.fields)) : undefined;
  return find(Object.entries(value), ([key, item]) => {
    const inner = 'mappingOf' in shape ? shape.mappingOf : fields?.get(key);
    return inner && shapeProblem(item, inner, `${path}.${key}`);
  });
}

const SCALARS = {
  string: (value: JsonValue) => typeof value === 'string',
  boolean: (value: JsonValue) => typeof value === 'boolean',
  integer: (value: JsonValue) => typeof value === 'number' && isInt64(value),
  time: (value: JsonValue) => typeof value === 'string' && isGoTime(value),
};

/** `1.0` and `1e3` are integers: Go converts YAML to JSON first, which has `1` and `1000`. */
function isInt64(value: number): boolean {
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
}

function find<T>(items: Iterable<T>, problem: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = problem(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

const stringFields = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, 'string' as const]));

const OWNER_REFERENCE: Shape = {
  fields: {
    ...stringFields('apiVersion', 'kind', 'name', 'uid'),
    controller: 'boolean',
    blockOwnerDeletion: 'boolean',
  },
};

const MANAGED_FIELDS: Shape = {
  fields: {
    ...stringFields('manager', 'operation', 'apiVersion', 'fieldsType', 'subresource'),
    time: 'time',
    fieldsV1: 'anything',
  },
};

/** `ObjectMeta` of k8s.io/apimachinery. */
const OBJECT_META: Shape = {
  fields: {
    ...stringFields('name', 'generateName', 'namespace', 'selfLink', 'uid', 'resourceVersion'),
    generation: 'integer',
    creationTimestamp: 'time',
    deletionTimestamp: 'time',
    deletionGracePeriodSeconds: 'integer',
    labels: { mappingOf: 'string' },
    annotations: { mappingOf: 'string' },
    ownerReferences: { listOf: OWNER_REFERENCE },
    finalizers: { listOf: 'string' },
    managedFields: { listOf: MANAGED_FIELDS },
  },
};

/** Returns what Go could not decode in the `metadata` of an object, or undefined. */
export function objectMetaProblem(metadata: JsonValue | undefined): string | undefined {
  return shapeProblem(metadata ?? null, OBJECT_META, 'metadata');
}

const TEXTS: Shape = { listOf: 'string' };
/** The fields of a policy rule; all of them are lists of texts. */
const POLICY_RULE: Shape = {
  fields: Object.fromEntries(
    ['verbs', 'apiGroups', 'resources', 'resourceNames', 'nonResourceURLs'].map((f) => [f, TEXTS]),
  ),
};

/** Fields of `spec` that only some releases have; `capabilities` came with v2. */
const RELEASE_FIELDS: Readonly<Record<ReleaseField, Shape>> = {
  controller: { fields: { image: 'string', permissionRequests: { listOf: POLICY_RULE } } },
  image: 'string',
  capabilities: TEXTS,
};

/** Returns what releases that have these fields could not decode, or undefined. */
function releaseFieldErrors(
  spec: JsonObject,
): Readonly<Partial<Record<ReleaseField, string>>> | undefined {
  const found = Object.entries(RELEASE_FIELDS).flatMap(([field, shape]) => {
    const problem = shapeProblem(spec[field] ?? null, shape, `spec.${field}`);
    return problem === undefined ? [] : [[field, problem] as const];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

const DATE = '([0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])';
const TIME = '(?:[01]?[0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:[.,][0-9]+)?';
const ZONE = '(?:Z|[-+](?:[01][0-9]|2[0-4]):(?:[0-5][0-9]|60))';
const GO_TIME = new RegExp(`^${DATE}T${TIME}${ZONE}$`);

/** Whether Go parses a text as a time. Unlike RFC 3339, it accepts hours of one digit. */
function isGoTime(text: string): boolean {
  const [, year, month, day] = GO_TIME.exec(text) ?? [];
  if (day === undefined) return false;
  const lastOfMonth = new Date(0);
  // `new Date(year, …)` takes years below 100 for the last century.
  lastOfMonth.setUTCFullYear(Number(year), Number(month), 0);
  return Number(day) <= lastOfMonth.getUTCDate();
}
