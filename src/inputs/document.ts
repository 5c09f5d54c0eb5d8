import {
  CORE_SCHEMA,
  EVENT_ID,
  YAMLException,
  constructFromEvents,
  defineMappingTag,
  parseEvents,
  type Event,
} from 'js-yaml';
import { InputError } from '../model/input-error.js';
import type { Origin } from '../model/package.js';
import type { JsonValue } from '../text/json.js';
import { conflictMarkerLine } from '../text/conflict-markers.js';
import { lineAt, lineFinder } from '../text/line-finder.js';
import { beginningOf, findPlace, placesOf, type Place } from '../text/yaml/places.js';
import type { Path } from '../text/yaml/path.js';

/** One document of a user's file, which knows the line of everything in it. */
export interface InputDocument {
  /** Its place in the stream, from 0; empty documents count. */
  readonly number: number;
  readonly value: JsonValue;
  /** The line of the key, or of the list item, that a path ends at. */
  originOf(path: Path): Origin;
  /** The scalar a path ends at, spelled as in the file: `1.20` where the value is 1.2. */
  spellingOf(path: Path): string | undefined;
}

/** Nesting, as written or by way of aliases, beyond which a file is refused. */
const MAX_DEPTH = 100;
/** Values in a document once every alias is written out. */
const MAX_VALUES = 1_000_000;

function isCollection(key: unknown): boolean {
  return typeof key === 'object' && key !== null;
}

/** Mappings without a prototype, so that `__proto__` and `constructor` are keys like any other. */
const mappings = defineMappingTag<Record<string, unknown>>('tag:yaml.org,2002:map', {
  create: () => Object.create(null) as Record<string, unknown>,
  addPair: (carrier, key, value) => {
    if (isCollection(key)) return 'a key must be a scalar';
    carrier[String(key)] = value;
    return '';
  },
  has: (carrier, key) => !isCollection(key) && String(key) in carrier,
  keys: (result) => Object.keys(result),
  get: (result, key) => result[String(key)],
  identify: () => false,
});
const SCHEMA = CORE_SCHEMA.withTags(mappings);

/**
 * Reads a stream of YAML 1.2 or JSON documents; empty ones are left out.
 *
 * Stricter than a package.yaml is read: duplicate keys, custom tags and numbers that JSON cannot
 * hold are errors, and so are aliases that stand for more than a million values. `firstLine` is the
 * line of the file that the text begins at.
 */
export function parseDocuments(
  text: string,
  file: string,
  firstLine = 1,
): readonly InputDocument[] {
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text;
  return explained({ source, file, firstLine }, () => {
    const events = parseEvents(source, { maxDepth: MAX_DEPTH });
    const values = constructFromEvents(events, { source, schema: SCHEMA });
    const lineWithin = lineFinder(source);
    const lineOf = (offset: number) => lineWithin(offset) + firstLine - 1;
    return splitEvents(events)
      .map((own, i) => document({ source, file, lineOf, events: own, value: values[i], number: i }))
      .filter((found) => found.value !== null);
  });
}

interface RawDocument {
  readonly number: number;
  readonly source: string;
  readonly file: string;
  readonly lineOf: (offset: number) => number;
  readonly events: readonly Event[];
  readonly value: unknown;
}

function document({ number, source, file, lineOf, events, value }: RawDocument): InputDocument {
  let places: Place | undefined;
  const find = (path: Path) => {
    places ??= placesOf(source, events);
    return places === undefined ? undefined : findPlace(places, path);
  };
  const originOf = (path: Path) => {
    // Every document is asked where it begins, and that needs no tree of places.
    const offset = path.length === 0 ? beginningOf(events) : (find(path)?.offset ?? -1);
    const line = offset < 0 ? undefined : lineOf(offset);
    return { file, line, document: number, path };
  };
  assertJson(value, () => originOf([]));
  return {
    number,
    value,
    originOf,
    spellingOf: (path) => find(path)?.place?.spelling,
  };
}

/** No line of a file that holds a Secret is shown in a message: it may be the secret. */
const HOLDS_SECRET = /\bkind["']?[ \t]*:[ \t]*["']?Secret\b/;

/** The library's errors, as `file:line: what`. */
function explained<T>(
  { source, file, firstLine }: { source: string; file: string; firstLine: number },
  read: () => T,
): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const merging = conflictMarkerLine(source);
    if (merging !== undefined) {
      throw new InputError('has the conflict markers of a merge', {
        origin: { file, line: merging + firstLine - 1 },
        hint: 'finish the merge first: keep what is wanted and remove the marked lines',
        cause: error,
      });
    }
    const { mark } = error;
    if (mark === undefined) throw new InputError(error.reason, { origin: { file }, cause: error });
    const origin = { file, line: lineAt(source, mark.position) + firstLine - 1 };
    const shown = HOLDS_SECRET.test(source) ? '' : `: ${excerpt(source, mark.position)}`;
    const what = `${error.reason}, at column ${mark.column + 1}${shown}`;
    throw new InputError(what, { origin, cause: error });
  }
}

/** The line of an offset, fit to be shown. */
function excerpt(source: string, offset: number): string {
  const start = source.lastIndexOf('\n', offset - 1) + 1;
  const line = source.slice(start, start + 200).split('\n')[0]!;
  return `\`${line.replaceAll(/\p{C}/gu, ' ').trim().slice(0, 100)}\``;
}

function splitEvents(events: readonly Event[]): readonly (readonly Event[])[] {
  const starts = events.flatMap((event, i) => (event.type === EVENT_ID.DOCUMENT ? [i] : []));
  return starts.map((start, i) => events.slice(start, starts[i + 1]));
}

/** Aliases make one object stand in many places: what it stands for is counted, not visited. */
function assertJson(value: unknown, where: () => Origin): asserts value is JsonValue {
  const sizes = new Map<object, { count: number; depth: number } | undefined>();
  const size = (node: unknown): { count: number; depth: number } => {
    if (typeof node === 'number' && !Number.isFinite(node)) {
      throw new InputError(`\`${node}\` is not a number that JSON can hold`, { origin: where() });
    }
    if (node === null || typeof node !== 'object') return { count: 1, depth: 0 };
    if (sizes.has(node)) {
      const known = sizes.get(node);
      if (known === undefined) throw new InputError('an alias holds itself', { origin: where() });
      return known;
    }
    sizes.set(node, undefined);
    const total = { count: 1, depth: 0 };
    for (const child of Object.values(node)) {
      const { count, depth } = size(child);
      total.count += count;
      total.depth = Math.max(total.depth, depth + 1);
    }
    if (total.count > MAX_VALUES || total.depth > MAX_DEPTH) {
      throw new InputError('its aliases, written out, are too large or too deep', {
        origin: where(),
      });
    }
    sizes.set(node, total);
    return total;
  };
  size(value);
}
