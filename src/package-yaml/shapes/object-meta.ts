import type { JsonValue } from '../../text/json.js';
import { shapeProblem, type Shape } from './shape.js';

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

/** `ObjectMeta` of k8s.io/apimachinery. */
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
  return shapeProblem(metadata ?? null, OBJECT_META, 'metadata');
}
