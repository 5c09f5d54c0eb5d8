import { type DocumentEvent, type Event, EVENT_ID, getScalarValue, type PopEvent } from 'js-yaml';
import { getOrCreate } from '../collections.js';
import type { Path } from '../json.js';

/** The position of a node in the text of a YAML document, with the positions of its children. */
export interface Place {
  /** Offset in the text; -1 if nothing is written there, as after `key:`. */
  readonly offset: number;
  /** Source text of a scalar, without quotes. */
  readonly spelling?: string | undefined;
  /** Entries of a mapping in source order, including duplicates. Keys are scalars. */
  readonly entries: readonly PlacedEntry[];
  /** Items of a sequence. */
  readonly items: readonly Place[];
}

interface PlacedEntry {
  readonly key: string;
  /** Offset of the key. */
  readonly offset: number;
  readonly value: Place;
}

/** Shared by all places without members: most places are scalars. */
const NONE: readonly never[] = [];

/** Returns the offset of the first document, or -1 if it is empty. */
export function documentOffset(events: readonly Event[]): number {
  const root = events[startOf(events)];
  return root === undefined || root.type === EVENT_ID.POP ? -1 : offsetOf(root as NodeEvent);
}

/** Returns the position of the first document, or undefined if it is empty. */
export function placesOf(source: string, events: readonly Event[]): Place | undefined {
  let next = startOf(events);
  const ended = () => events[next] === undefined || events[next]!.type === EVENT_ID.POP;

  function node(): Place {
    const event = events[next++] as NodeEvent;
    const offset = offsetOf(event);
    if (event.type === EVENT_ID.MAPPING) return { offset, entries: readEntries(), items: NONE };
    if (event.type === EVENT_ID.SEQUENCE) return { offset, entries: NONE, items: readItems() };
    const isWritten = event.type === EVENT_ID.SCALAR && offset >= 0;
    const spelling = isWritten ? source.slice(offset, event.valueEnd) : undefined;
    return { offset, spelling, entries: NONE, items: NONE };
  }

  function readEntries(): readonly PlacedEntry[] {
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

  function readItems(): readonly Place[] {
    const items: Place[] = [];
    while (!ended()) items.push(node());
    next++;
    return items;
  }

  return ended() ? undefined : node();
}

/** Returns the entry of a key. Of duplicates, the last one: readers use that. */
function entryAt(place: Place | undefined, key: string): PlacedEntry | undefined {
  if (place === undefined) return undefined;
  const { entries } = place;
  if (entries.length < LONG_MAPPING) return entries.findLast((entry) => entry.key === key);
  const byKey = () => new Map(entries.map((entry) => [entry.key, entry]));
  return getOrCreate(longMappings, place, byKey).get(key);
}

/** Mappings with this many keys get an index, because each may have an error to locate. */
const LONG_MAPPING = 50;
const longMappings = new WeakMap<Place, ReadonlyMap<string, PlacedEntry>>();

/** Returns the place at a path, if the text has it, and the offset of its key or item to show to a reader. */
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

/** An event at which a node begins. */
export type NodeEvent = Exclude<Event, DocumentEvent | PopEvent>;

/** Returns the offset at which a node begins; -1 if nothing is written there. */
export function offsetOf(event: NodeEvent): number {
  if (event.type === EVENT_ID.ALIAS) return event.anchorStart;
  return event.type === EVENT_ID.SCALAR ? event.valueStart : event.start;
}

/** Returns a function that finds 1-based lines of offsets. For many look-ups in one text. */
export function lineFinder(text: string): (offset: number) => number {
  const lineStarts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1))
    lineStarts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = lineStarts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (lineStarts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
}

/** Returns the positions in a document that begins at `line`, or undefined if it is empty. */
export function positionsIn(
  { source, events }: { readonly source: string; readonly events: readonly Event[] },
  line: number,
): { readonly root: Place; readonly lineOf: (offset: number) => number } | undefined {
  const root = placesOf(source, events);
  const lineIn = lineFinder(source);
  return root && { root, lineOf: (offset) => line + lineIn(offset) - 1 };
}

/** Returns the 1-based line of one offset. Does not read the text after it. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** Returns the first `limit` duplicate keys of mappings that `descend` selects. */
export function duplicateKeys(
  root: Place,
  descend: (path: readonly string[]) => boolean,
  limit: number,
): readonly { readonly path: string; readonly offset: number }[] {
  const found: { path: string; offset: number }[] = [];
  const visit = (place: Place, path: readonly string[]) => {
    const seen = new Set<string>();
    for (const { key, offset, value } of place.entries) {
      if (found.length >= limit) return;
      const childPath = [...path, key];
      if (seen.has(key)) found.push({ path: childPath.join('.'), offset });
      seen.add(key);
      if (descend(childPath)) visit(value, childPath);
    }
    for (const item of place.items) if (descend(path)) visit(item, path);
  };
  visit(root, []);
  return found;
}

/** The lines that git writes around a merge conflict, each with seven marks. */
const MARKER = /^(?:<{7}|>{7}|\|{7}) |^={7}$/;

/** Returns the 1-based line of the first merge conflict marker, if any. */
export function conflictMarkerLine(text: string): number | undefined {
  if (!text.includes('<<<<<<< ')) return undefined;
  const line = text.split(/\r?\n/).findIndex((each) => MARKER.test(each));
  return line < 0 ? undefined : line + 1;
}
