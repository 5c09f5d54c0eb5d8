import type { OwnedObject } from '../model/owned-object.js';

/** Makes equal lists of owned objects one list, so that what is found of one is known of the other. */
export class EqualLists {
  readonly #byText = new Map<string, readonly OwnedObject[]>();
  readonly #known = new WeakMap<readonly OwnedObject[], readonly OwnedObject[]>();

  /** The first list with these objects in this order. */
  first(list: readonly OwnedObject[]): readonly OwnedObject[] {
    const known = this.#known.get(list);
    if (known !== undefined) return known;
    const text = list.map(({ kind, name }) => `${kind} ${name}`).join('\n');
    const first = this.#byText.get(text) ?? list;
    this.#byText.set(text, first);
    this.#known.set(list, first);
    return first;
  }
}
