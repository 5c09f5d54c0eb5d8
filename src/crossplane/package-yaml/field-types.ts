import { typeMessage } from './object-identity.js';
import { isList, isMapping, type JsonObject, type JsonValue } from '../../base/json.js';
import type { ReleaseField } from '../packages/package-contents.js';

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
    return first(value.entries(), ([i, item]) => shapeProblem(item, shape.listOf, `${path}[${i}]`));
  }
  if (!isMapping(value)) return typeMessage('a mapping', path, value);
  const fields = 'fields' in shape ? new Map(Object.entries(shape.fields)) : undefined;
  return first(Object.entries(value), ([key, item]) => {
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

/** `1.0` and `1e3` are integers too: Go decodes the JSON of a number. */
function isInt64(value: number): boolean {
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
}

function first<T>(
  items: Iterable<T>,
  problem: (item: T) => string | undefined,
): string | undefined {
  for (const item of items) {
    const found = problem(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

const strings = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, 'string' as const]));

const OWNER_REFERENCE: Shape = {
  fields: {
    ...strings('apiVersion', 'kind', 'name', 'uid'),
    controller: 'boolean',
    blockOwnerDeletion: 'boolean',
  },
};

const MANAGED_FIELDS: Shape = {
  fields: {
    ...strings('manager', 'operation', 'apiVersion', 'fieldsType', 'subresource'),
    time: 'time',
    fieldsV1: 'anything',
  },
};

/** `ObjectMeta` of k8s.io/apimachinery. */
const OBJECT_META: Shape = {
  fields: {
    ...strings('name', 'generateName', 'namespace', 'selfLink', 'uid', 'resourceVersion'),
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

const POLICY_RULE: Shape = {
  fields: {
    verbs: TEXTS,
    apiGroups: TEXTS,
    resources: TEXTS,
    resourceNames: TEXTS,
    nonResourceURLs: TEXTS,
  },
};

/** Fields of `spec` that only some releases have; `capabilities` came with v2. */
const RELEASE_FIELDS: Readonly<Record<ReleaseField, Shape>> = {
  controller: { fields: { image: 'string', permissionRequests: { listOf: POLICY_RULE } } },
  image: 'string',
  capabilities: TEXTS,
};

/** Returns what releases that have these fields could not decode, or undefined. */
export function releaseFieldErrors(
  spec: JsonObject,
): Readonly<Partial<Record<ReleaseField, string>>> | undefined {
  const found = (Object.entries(RELEASE_FIELDS) as [ReleaseField, Shape][]).flatMap(
    ([field, shape]) => {
      const problem = shapeProblem(spec[field] ?? null, shape, `spec.${field}`);
      return problem === undefined ? [] : [[field, problem] as const];
    },
  );
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

const RFC_3339 =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{1,2}):([0-9]{2}):([0-9]{2})(?:[.,][0-9]+)?(?:Z|[-+]([0-9]{2}):([0-9]{2}))$/;

/** Whether Go parses a text as a time. Unlike RFC 3339, it accepts hours of one digit. */
function isGoTime(text: string): boolean {
  const found = RFC_3339.exec(text);
  if (found === null) return false;
  const [year, month, day, hour, minute, second, hours, minutes] = found
    .slice(1)
    .map((digits) => Number(digits ?? 0)) as [number, number, number, ...number[]];
  const limits: readonly (readonly [number | undefined, number])[] = [
    [hour, 23],
    [minute, 59],
    [second, 59],
    [hours, 24],
    [minutes, 60],
  ];
  const isDay = month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
  return isDay && limits.every(([value = 0, most]) => value <= most);
}

function daysIn(year: number, month: number): number {
  const first = new Date(0);
  // `new Date(year, …)` takes years below 100 for the last century.
  first.setUTCFullYear(year, month, 0);
  return first.getUTCDate();
}
