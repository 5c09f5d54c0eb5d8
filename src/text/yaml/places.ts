import { EVENT_ID, getScalarValue, type Event } from 'js-yaml';

/** Where a value begins in its text, and where the values inside it do. */
export interface Place {
  /** Of the key, for a value in a mapping; -1: nothing is written there. */
  readonly offset: number;
  /** Of a scalar: its source text, quotes aside. */
  readonly spelling?: string | undefined;
  readonly inside: ReadonlyMap<string | number, Place>;
}

const NOTHING: ReadonlyMap<string | number, Place> = new Map();

/** Where one document's events begin; -1: it is empty. */
export function beginningOf(events: readonly Event[]): number {
  const [, root] = events;
  return root === undefined ? -1 : offsetOf(root);
}

/** The places of one document's events. */
export function placesOf(source: string, events: readonly Event[]): Place {
  let next = 1;
  const read = (keyOffset?: number): Place => {
    const event = events[next]!;
    next += 1;
    const offset = keyOffset ?? offsetOf(event);
    if (event.type === EVENT_ID.SEQUENCE) return { offset, inside: items(offset) };
    if (event.type === EVENT_ID.MAPPING) return { offset, inside: entries(offset) };
    const spelling =
      event.type === EVENT_ID.SCALAR && event.valueStart >= 0
        ? source.slice(event.valueStart, event.valueEnd)
        : undefined;
    return { offset, spelling, inside: NOTHING };
  };
  const items = (fallback: number) => {
    const inside = new Map<number, Place>();
    while (events[next]!.type !== EVENT_ID.POP) inside.set(inside.size, orAt(fallback, read()));
    next += 1;
    return inside;
  };
  const entries = (fallback: number) => {
    const inside = new Map<string, Place>();
    while (events[next]!.type !== EVENT_ID.POP) {
      const key = events[next]!;
      const { offset } = orAt(fallback, read());
      const value = read(offset);
      if (key.type === EVENT_ID.SCALAR) inside.set(getScalarValue(source, key), value);
    }
    next += 1;
    return inside;
  };
  return read();
}

/** The place a path leads to, and the last one on the way that the text has. */
export function findPlace(
  root: Place,
  path: readonly (string | number)[],
): { readonly exact: Place | undefined; readonly nearest: Place } {
  let nearest = root;
  for (const step of path) {
    const next = nearest.inside.get(step);
    if (next === undefined) return { exact: undefined, nearest };
    nearest = next;
  }
  return { exact: nearest, nearest };
}

function orAt(fallback: number, place: Place): Place {
  return place.offset >= 0 ? place : { ...place, offset: fallback };
}

function offsetOf(event: Event): number {
  if (event.type === EVENT_ID.SEQUENCE || event.type === EVENT_ID.MAPPING) return event.start;
  if (event.type === EVENT_ID.SCALAR) return event.valueStart;
  return event.type === EVENT_ID.ALIAS ? event.anchorStart : -1;
}
