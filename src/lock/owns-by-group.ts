import { byCodePoint } from '../text/code-point-order.js';
import type { OwnedKind, OwnedObject } from '../model/owned-object.js';

const OF_KIND: Readonly<Record<OwnedKind, string | undefined>> = {
  CRD: undefined,
  XRD: undefined,
  claim: undefined,
  MRD: undefined,
  Composition: 'apiextensions.crossplane.io',
  MRAP: 'apiextensions.crossplane.io',
  Operation: 'ops.crossplane.io',
  CronOperation: 'ops.crossplane.io',
  WatchOperation: 'ops.crossplane.io',
};

export function isOwnedKind(text: string): text is OwnedKind {
  return Object.hasOwn(OF_KIND, text);
}

/** API group: of the resource an object defines, `<plural>.<group>` by name, or else its own. */
export function groupOf({ kind, name }: OwnedObject): string {
  return OF_KIND[kind] ?? name.slice(name.indexOf('.') + 1);
}

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

export function byKindAndName(a: OwnedObject, b: OwnedObject): number {
  return byCodePoint(a.kind, b.kind) || byCodePoint(a.name, b.name);
}
