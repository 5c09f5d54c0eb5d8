import { ownershipKey, type OwnedKind, type OwnedObject } from '../../model/owned-object.js';
import type { Encoder } from '../../solver/encoder/encoder.js';
import type { Term } from '../../solver/incompatibility.js';

/** An object that two packages would own, and as what each of them would. */
export interface SharedObject {
  readonly name: string;
  readonly kinds: readonly [OwnedKind, OwnedKind];
}

/** Part of step 3: what some of these versions and some of those would both own, by name. */
export function sharedObjects(one: Term, other: Term, encoder: Encoder): SharedObject[] {
  const [as, asOther] = [kindsOf(one, encoder), kindsOf(other, encoder)];
  return encoder.ownership.shared(one, other).map((key) => ({
    name: key.slice(key.indexOf(':') + 1),
    kinds: [as.get(key)!, asOther.get(key)!],
  }));
}

/** As what these versions would own each object. */
function kindsOf({ variable, values }: Term, encoder: Encoder): Map<string, OwnedKind> {
  const kinds = new Map<string, OwnedKind>();
  for (const owned of new Set(ownedLists(variable, values, encoder))) {
    for (const object of owned) {
      const key = ownershipKey(object);
      if (!kinds.has(key)) kinds.set(key, object.kind);
    }
  }
  return kinds;
}

function ownedLists(
  variable: Term['variable'],
  values: Term['values'],
  encoder: Encoder,
): (readonly OwnedObject[])[] {
  const subject = encoder.subject(variable);
  if (subject.about === 'local') return [subject.root.objects];
  if (subject.about !== 'package') return [];
  return [...subject.metas].flatMap(([value, meta]) => (values.has(value) ? [meta.owns] : []));
}
