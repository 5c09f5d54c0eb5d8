import { isList, isMapping, type JsonValue } from '../text/json.js';
import { mustBe } from './identity.js';

/** A type that Go decodes a value into; null is taken for each of them. */
type Shape =
  | 'string'
  | 'boolean'
  | 'integer'
  | 'time'
  | 'anything'
  | { readonly listOf: Shape }
  | { readonly mappingOf: Shape }
  | { readonly fields: Readonly<Record<string, Shape>> };

const OWNER_REFERENCE: Shape = {
  fields: {
    apiVersion: 'string',
    kind: 'string',
    name: 'string',
    uid: 'string',
    controller: 'boolean',
    blockOwnerDeletion: 'boolean',
  },
};

const MANAGED_FIELDS: Shape = {
  fields: {
    manager: 'string',
    operation: 'string',
    apiVersion: 'string',
    time: 'time',
    fieldsType: 'string',
    fieldsV1: 'anything',
    subresource: 'string',
  },
};

/** `ObjectMeta` of k8s.io/apimachinery. Keys that are not in it are passed over. */
const OBJECT_META: Shape = {
  fields: {
    name: 'string',
    generateName: 'string',
    namespace: 'string',
    selfLink: 'string',
    uid: 'string',
    resourceVersion: 'string',
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

/** Says what Go would not decode in the `metadata` of an object; undefined: nothing. */
export function objectMetaProblem(metadata: JsonValue | undefined): string | undefined {
  return problemIn(metadata ?? null, OBJECT_META, 'metadata');
}

function problemIn(value: JsonValue, shape: Shape, path: string): string | undefined {
  if (value === null || shape === 'anything') return undefined;
  if (typeof shape === 'string') {
    if (SCALARS[shape](value)) return undefined;
    const remedy = shape === 'string' && typeof value !== 'object' ? '; put it in quotes' : '';
    return `${mustBe(`${shape === 'integer' ? 'an' : 'a'} ${shape}`, path, value)}${remedy}`;
  }
  if ('listOf' in shape) {
    if (!isList(value)) return mustBe('a list', path, value);
    return first(value.entries(), ([i, item]) => problemIn(item, shape.listOf, `${path}[${i}]`));
  }
  if (!isMapping(value)) return mustBe('a mapping', path, value);
  const fields = 'fields' in shape ? new Map(Object.entries(shape.fields)) : undefined;
  return first(Object.entries(value), ([key, item]) => {
    const inner = 'mappingOf' in shape ? shape.mappingOf : fields?.get(key);
    return inner && problemIn(item, inner, `${path}.${key}`);
  });
}

const SCALARS = {
  string: (value: JsonValue) => typeof value === 'string',
  boolean: (value: JsonValue) => typeof value === 'boolean',
  integer: (value: JsonValue) => Number.isSafeInteger(value),
  time: (value: JsonValue) => typeof value === 'string' && isTime(value),
};

/** As Kubernetes writes it; Go reads some more. */
function isTime(text: string): boolean {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$/.test(text)) return false;
  const time = new Date(text);
  return !Number.isNaN(time.getTime()) && time.toISOString() === text.replace('Z', '.000Z');
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
