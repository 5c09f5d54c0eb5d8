import { byCodePoint } from '../text/code-point-order.js';
import { byKindAndName, groupOf, type OwnedObject } from '../model/owned-object.js';

/** Names by group and kind, all in code-point order. */
export function ownsByGroup(
  owns: readonly OwnedObject[],
): Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> {
  const groups: Record<string, Record<string, string[]>> = Object.create(null);
  for (const owned of [...owns].sort(byKindAndName)) {
    const kinds = (groups[groupOf(owned)] ??= Object.create(null) as Record<string, string[]>);
    (kinds[owned.kind] ??= []).push(owned.name);
  }
  return Object.fromEntries(Object.entries(groups).sort(([a], [b]) => byCodePoint(a, b)));
}
