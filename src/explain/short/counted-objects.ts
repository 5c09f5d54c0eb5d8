import { groupOf } from '../../model/owned-object.js';
import { objectText } from '../sentences/ownership-text.js';
import type { SharedObject } from '../sentences/shared-objects.js';
import { andList } from '../sentences/word-list.js';

/** How many objects are named; of more, only how many there are. */
const MAX_OBJECTS_NAMED = 2;
/** How many API groups are named; of more, one object for all. */
const MAX_GROUPS_NAMED = 2;

/** `CRD a.example.org`; `104 CRDs`; `3 XRDs and 1 Composition`. */
export function countedObjects(objects: readonly SharedObject[]): string {
  if (objects.length === 1) return objectText(objects[0]!);
  const counts = new Map<string, number>();
  for (const { kinds } of objects) {
    const kind = kinds[0] === kinds[1] ? kinds[0] : 'CRD';
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return andList(
    Array.from(counts, ([kind, count]) => `${count} ${kind}${count === 1 ? '' : 's'}`),
  );
}

/** By name, if they are few; else counted, and the groups that they are of: `104 CRDs of a.example.org`. */
export function namedObjects(objects: readonly SharedObject[]): string {
  if (objects.length <= MAX_OBJECTS_NAMED) return andList(objects.map(objectText));
  const groups = new Set(objects.map(({ name, kinds }) => groupOf({ name, kind: kinds[0] })));
  const example = `${objectText(objects[0]!)} is one`;
  const where = groups.size > MAX_GROUPS_NAMED ? `(${example})` : `of ${andList([...groups])}`;
  return `${countedObjects(objects)} ${where}`;
}
