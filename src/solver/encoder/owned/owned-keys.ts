import { ownershipKey, type OwnedObject } from '../../../model/owned-object.js';

/** Keys of a list from which on it is long. */
const MANY_KEYS = 32;

/** What one list of owned objects claims; made once for each list, whatever searches come upon it. */
export class OwnedKeys {
  /** Lists are not changed once they are made, so what is found of one stays true. */
  static readonly #ofLists = new WeakMap<readonly OwnedObject[], OwnedKeys>();

  readonly keys: ReadonlySet<string>;
  /** The ends of all keys after their first dot: lists that overlap have one in common. */
  readonly ends: ReadonlySet<string>;
  /** What is found of a long list is quicker to remember than to look for again. */
  readonly isLong: boolean;
  #firstShared: WeakMap<OwnedKeys, number> | undefined;

  constructor(owned: readonly OwnedObject[]) {
    this.keys = new Set(owned.map(ownershipKey));
    this.ends = new Set(Array.from(this.keys, (key) => key.slice(key.indexOf('.') + 1)));
    this.isLong = this.keys.size >= MANY_KEYS;
  }

  static of(owned: readonly OwnedObject[]): OwnedKeys {
    let keys = OwnedKeys.#ofLists.get(owned);
    if (keys === undefined) OwnedKeys.#ofLists.set(owned, (keys = new OwnedKeys(owned)));
    return keys;
  }

  /** The place of the first end that keys of the other have too. */
  firstSharedEnd(other: OwnedKeys): number {
    return placeOfFirst(this.ends, other.ends);
  }

  /** The place of the first key that the other claims too; Infinity: there is none. */
  firstShared(other: OwnedKeys): number {
    if (!this.isLong) return placeOfFirst(this.keys, other.keys);
    this.#firstShared ??= new WeakMap();
    let place = this.#firstShared.get(other);
    if (place === undefined) {
      place = placeOfFirst(this.keys, other.keys);
      this.#firstShared.set(other, place);
    }
    return place;
  }
}

function placeOfFirst(keys: ReadonlySet<string>, others: ReadonlySet<string>): number {
  let place = 0;
  for (const key of keys) {
    if (others.has(key)) return place;
    place++;
  }
  return Infinity;
}
