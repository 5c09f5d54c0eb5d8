import { EVENT_ID, getScalarValue, type Event } from 'js-yaml';
import type { GoDocument } from './go-yaml.js';

/** Where the nodes of a document stand: offsets into its text, in the shape of the document. */
export interface Place {
  readonly offset: number;
  /** Of a mapping, in order, duplicates included; keys that are no scalars are left out. */
  readonly entries: readonly KeyPlace[];
  /** Of a sequence. */
  readonly items: readonly Place[];
}

export interface KeyPlace {
  readonly key: string;
  readonly offset: number;
  readonly value: Place;
}

/** The place of the document's root; undefined: an empty document. */
export function placesOf({ source, events }: GoDocument): Place | undefined {
  let next = events.findIndex((event) => event.type === EVENT_ID.DOCUMENT) + 1;
  const ended = () => events[next] === undefined || events[next]!.type === EVENT_ID.POP;

  function place(): Place {
    const event = events[next++]!;
    const entries: KeyPlace[] = [];
    const items: Place[] = [];
    if (event.type === EVENT_ID.MAPPING) {
      for (; !ended();) {
        const key = keyText(events[next]!, source);
        const { offset } = place();
        const value = place();
        if (key !== undefined) entries.push({ key, offset, value });
      }
      next++;
    } else if (event.type === EVENT_ID.SEQUENCE) {
      while (!ended()) items.push(place());
      next++;
    }
    return { offset: offsetOf(event), entries, items };
  }

  return ended() ? undefined : place();
}

/** What stands under a key; the last, should there be several. */
export function under(place: Place | undefined, key: string): Place | undefined {
  return place?.entries.findLast((entry) => entry.key === key)?.value;
}

/** Keys written more than once in one mapping, at any depth at which `descend` goes on. */
export function duplicateKeys(
  root: Place,
  descend: (path: readonly string[]) => boolean,
): { readonly path: string; readonly offset: number }[] {
  const found: { path: string; offset: number }[] = [];
  const visit = (place: Place, path: readonly string[]) => {
    const seen = new Set<string>();
    for (const { key, offset, value } of place.entries) {
      const inner = [...path, key];
      if (seen.has(key)) found.push({ path: inner.join('.'), offset });
      seen.add(key);
      if (descend(inner)) visit(value, inner);
    }
    for (const item of place.items) if (descend(path)) visit(item, path);
  };
  visit(root, []);
  return found;
}

/** Tells how many newlines stand before an offset; made once per text, asked many times. */
export function lineCounter(source: string): (offset: number) => number {
  const newlines: number[] = [];
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) newlines.push(at);
  return (offset) => {
    let [low, high] = [0, newlines.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (newlines[middle]! < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

function keyText(event: Event, source: string): string | undefined {
  return event.type === EVENT_ID.SCALAR ? getScalarValue(source, event) : undefined;
}

function offsetOf(event: Event): number {
  if (event.type === EVENT_ID.SCALAR) return event.valueStart;
  if (event.type === EVENT_ID.ALIAS) return event.anchorStart;
  return 'start' in event ? event.start : 0;
}
