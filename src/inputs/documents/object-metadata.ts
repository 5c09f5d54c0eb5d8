import { formatOrigin } from '../../model/input-error.js';
import { didYouMean } from '../../text/did-you-mean.js';
import { isList, type JsonValue } from '../../text/json.js';
import type { InputDocument } from '../document.js';
import { errorAt, objectAt } from '../field.js';

/** Fields of `metadata` in every Kubernetes API. */
const METADATA_FIELDS = [
  'annotations',
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'finalizers',
  'generateName',
  'generation',
  'labels',
  'managedFields',
  'name',
  'namespace',
  'ownerReferences',
  'resourceVersion',
  'selfLink',
  'uid',
];

/**
 * Refuses a misspelled field of an object's metadata, which an API server would drop in silence.
 *
 * Of the others the bundle keeps labels and annotations: the rest, in a dump, is of one cluster.
 */
export function refuseUnknownMetadata(document: InputDocument): void {
  const unknown = Object.keys(objectAt(document, ['metadata'])).find(
    (field) => !METADATA_FIELDS.includes(field),
  );
  if (unknown === undefined) return;
  const meant = didYouMean(unknown, METADATA_FIELDS);
  throw errorAt(
    document,
    ['metadata', unknown],
    'is not a field of metadata',
    meant === undefined ? 'remove it' : `did you mean \`${meant}\`?`,
  );
}

/** Fields that people write, and that are true of one cluster alone. */
const DROPPED = ['finalizers', 'namespace', 'ownerReferences'];

/** What is said of fields that people write and the bundle does not keep. */
export function notesOnMetadata(document: InputDocument): readonly string[] {
  const metadata = objectAt(document, ['metadata']);
  // In a dump they say how the cluster is, and not what a person wants.
  if (metadata['uid'] !== undefined) return [];
  return DROPPED.filter((field) => isTold(metadata[field])).map((field) => {
    const place = formatOrigin(document.originOf(['metadata', field]));
    return `${place}: \`metadata.${field}\` is not kept: of metadata, the bundle has labels and annotations`;
  });
}

function isTold(value: JsonValue | undefined): boolean {
  return isList(value) ? value.length > 0 : (value ?? '') !== '';
}
