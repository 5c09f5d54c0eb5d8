import { EVENT_ID, getScalarValue, type Event } from 'js-yaml';
import type { Path } from './path.js';

/** Where a node of a YAML document is written, and where the nodes inside it are. */
export interface Place {
  /** Into the text; -1: nothing is written there, as after `key:`. */
  readonly offset: number;
  /** Of a scalar: its source text, quotes aside. */
  readonly spelling?: string | undefined;
  /** Of a mapping, in the order written, duplicates included; keys that are collections left out. */
  readonly entries: readonly PlacedEntry[];
  /** Of a sequence. */
  readonly items: readonly Place[];
}

export interface PlacedEntry {
  readonly key: string;
  /** Of the key. */
  readonly offset: number;
  readonly value: Place;
}

/** Where the first document of some events begins; -1: it is empty. */
export function beginningOf(events: readonly Event[]): number {
  const root = events[startOf(events)];
  return root === undefined ? -1 : offsetOf(root);
}

/** The place of the root of the first document; undefined: the document is empty. */
export function placesOf(source: string, events: readonly Event[]): Place | undefined {
  let next = startOf(events);
  const ended = () => events[next] === undefined || events[next]!.type === EVENT_ID.POP;

  function node(): Place {
    const event = events[next++]!;
    const offset = offsetOf(event);
    switch (event.type) {
      case EVENT_ID.MAPPING:
        return { offset, entries: entriesIn(), items: [] };
      case EVENT_ID.SEQUENCE:
        return { offset, entries: [], items: itemsIn() };
      case EVENT_ID.SCALAR: {
        const spelling = offset < 0 ? undefined : source.slice(offset, event.valueEnd);
        return { offset, spelling, entries: [], items: [] };
      }
      case EVENT_ID.ALIAS:
      case EVENT_ID.DOCUMENT:
      case EVENT_ID.POP:
        return { offset, entries: [], items: [] };
    }
  }

  function entriesIn(): readonly PlacedEntry[] {
    const entries: PlacedEntry[] = [];
    while (!ended()) {
      const event = events[next]!;
      const { offset } = node();
      const value = node();
      if (event.type !== EVENT_ID.SCALAR) continue;
      entries.push({ key: getScalarValue(source, event), offset, value });
    }
    next++;
    return entries;
  }

  function itemsIn(): readonly Place[] {
    const items: Place[] = [];
    while (!ended()) items.push(node());
    next++;
    return items;
  }

  return ended() ? undefined : node();
}

/** An entry of a mapping; the last, should a key be written twice, as readers take that one. */
function entryAt(place: Place | undefined, key: string): PlacedEntry | undefined {
  return place?.entries.findLast((entry) => entry.key === key);
}

/**
 * Where a path leads: the place, if the text has it, and the offset to show to a reader, which is
 * that of the key or the list item, or else of the last one on the way that is written.
 */
export function findPlace(
  root: Place,
  path: Path,
): { readonly place: Place | undefined; readonly offset: number } {
  let place: Place | undefined = root;
  let { offset } = root;
  for (const step of path) {
    const entry: PlacedEntry | undefined =
      typeof step === 'string' ? entryAt(place, step) : undefined;
    place = typeof step === 'string' ? entry?.value : place.items[step];
    const found = entry?.offset ?? place?.offset ?? -1;
    if (found >= 0) offset = found;
    if (place === undefined) break;
  }
  return { place, offset };
}

function startOf(events: readonly Event[]): number {
  return events.findIndex((event) => event.type === EVENT_ID.DOCUMENT) + 1;
}

function offsetOf(event: Event): number {
  switch (event.type) {
    case EVENT_ID.MAPPING:
    case EVENT_ID.SEQUENCE:
      return event.start;
    case EVENT_ID.SCALAR:
      return event.valueStart;
    case EVENT_ID.ALIAS:
      return event.anchorStart;
    case EVENT_ID.DOCUMENT:
    case EVENT_ID.POP:
      return -1;
  }
}
