import {
  constructFromEvents,
  CORE_SCHEMA,
  defineMappingTag,
  type Event,
  EVENT_ID,
  parseEvents,
  YAMLException,
} from 'js-yaml';
import { formatOrigin, InputError, type Origin } from '../../base/errors.js';
import {
  formatPath,
  isList,
  isMapping,
  type JsonObject,
  type JsonValue,
  type Path,
  valueAtSteps,
} from '../../base/json.js';
import { checkYamlSize } from '../../base/size-limits.js';
import {
  documentOffset,
  conflictMarkerLine,
  findPlace,
  lineAt,
  lineFinder,
  type Place,
  placesOf,
} from '../../base/yaml/positions.js';

/** A YAML or JSON document of a user's file, with the positions of its values. */
export interface InputDocument {
  /** Position in the stream, from 0, including empty documents. */
  readonly number: number;
  readonly value: JsonValue;
  /** Returns the line of the key or list item at the end of a path. */
  originOf(path: Path): Origin;
  /** Returns the scalar at a path as written in the file: `1.20` for the value 1.2. */
  spellingOf(path: Path): string | undefined;
}

/** Maximum nesting, with aliases expanded. */
const MAX_DEPTH = 100;
/** Maximum number of values in a document, with aliases expanded. */
const MAX_VALUES = 1_000_000;

function isCollection(key: unknown): boolean {
  return typeof key === 'object' && key !== null;
}

/** Mappings without a prototype, in which `__proto__` and `constructor` are ordinary keys. */
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
 * Parses a stream of YAML 1.2 or JSON documents. Empty documents are left out. `firstLine` is the
 * line of the file where the text begins.
 *
 * Stricter than the parser for package.yaml: throws an `InputError` also for duplicate keys, custom
 * tags, numbers that JSON cannot represent, and aliases that expand to too many values.
 */
export function parseDocuments(
  text: string,
  file: string,
  firstLine = 1,
): readonly InputDocument[] {
  checkYamlSize(text, file);
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text;
  return convertErrors({ source, file, firstLine }, () => {
    const events = parseEvents(source, { maxDepth: MAX_DEPTH });
    const values = constructFromEvents(events, { source, schema: SCHEMA });
    const lineWithin = lineFinder(source);
    const lineOf = (offset: number) => lineWithin(offset) + firstLine - 1;
    const starts = events.flatMap((event, i) => (event.type === EVENT_ID.DOCUMENT ? [i] : []));
    return starts
      .map((start, number) => {
        const own = events.slice(start, starts[number + 1]);
        return document({ number, source, file, lineOf, events: own, value: values[number] });
      })
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
    // The start of a document is always requested and does not need the tree of places.
    const offset = path.length === 0 ? documentOffset(events) : (find(path)?.offset ?? -1);
    const line = offset < 0 ? undefined : lineOf(offset);
    return { file, line, document: number, path };
  };
  assertJson(value, () => originOf([]));
  return { number, value, originOf, spellingOf: (path) => find(path)?.place?.spelling };
}

/** Files with a Secret are never quoted in messages. */
const CONTAINS_SECRET = /\bkind["']?[ \t]*:[ \t]*["']?Secret\b/;

/** Converts errors of the YAML library into `InputError`s. */
function convertErrors<T>(
  { source, file, firstLine }: { source: string; file: string; firstLine: number },
  read: () => T,
): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const conflictLine = conflictMarkerLine(source);
    if (conflictLine !== undefined) {
      throw new InputError('has the conflict markers of a merge', {
        origin: { file, line: conflictLine + firstLine - 1 },
        hint: 'finish the merge first: keep what is wanted and remove the marked lines',
        cause: error,
      });
    }
    const { mark } = error;
    if (mark === undefined) throw new InputError(error.reason, { origin: { file }, cause: error });
    const origin = { file, line: lineAt(source, mark.position) + firstLine - 1 };
    const shown = CONTAINS_SECRET.test(source) ? '' : `: ${excerpt(source, mark.position)}`;
    const what = `${error.reason}, at column ${mark.column + 1}${shown}`;
    throw new InputError(what, { origin, cause: error });
  }
}

/** Returns the line of an offset, shortened and without control characters. */
function excerpt(source: string, offset: number): string {
  const start = source.lastIndexOf('\n', offset - 1) + 1;
  const line = source.slice(start, start + 200).split('\n')[0]!;
  return `\`${line.replaceAll(/\p{C}/gu, ' ').trim().slice(0, 100)}\``;
}

/** Asserts that a value is JSON. Visits each object once, because aliases share objects. */
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

/** A place in a document: its value, which may be missing, and messages about it. */
export class DocumentNode {
  readonly document: InputDocument;
  readonly path: Path;

  constructor(document: InputDocument, path: Path = []) {
    this.document = document;
    this.path = path;
  }

  /** Returns a place below this one. */
  at(...steps: Path): DocumentNode {
    return new DocumentNode(this.document, [...this.path, ...steps]);
  }

  get value(): JsonValue | undefined {
    return valueAt(this.document, this.path);
  }

  get origin(): Origin {
    return this.document.originOf(this.path);
  }

  inputError(problem: string, hint?: string): InputError {
    const what = this.path.length === 0 ? problem : `\`${formatPath(this.path)}\` ${problem}`;
    return new InputError(what, { origin: this.origin, hint });
  }

  /** Returns a note that begins with this place. */
  note(text: string): string {
    return `${formatOrigin(this.origin)}: ${text}`;
  }

  /** Returns the text; undefined if absent or null. Throws an `InputError` otherwise. */
  text(): string | undefined {
    const value = this.value ?? undefined;
    if (value === undefined || typeof value === 'string') return value;
    const spelling = this.document.spellingOf(this.path);
    throw this.inputError(
      typeof value === 'object' || spelling === undefined
        ? 'must be text'
        : `must be text: write \`"${spelling}"\`, with the quotes`,
    );
  }

  requiredText(): string {
    const text = this.text();
    if (text === undefined || text === '') throw this.inputError('is missing');
    return text;
  }

  /** Returns the mapping; empty if absent or null. Throws an `InputError` otherwise. */
  object(): JsonObject {
    const value = this.value ?? {};
    if (!isMapping(value)) throw this.inputError('must be a mapping');
    return value;
  }

  /** Returns the items of the list; none if absent or null. Throws an `InputError` otherwise. */
  items(): DocumentNode[] {
    const value = this.value ?? [];
    if (!isList(value)) throw this.inputError('must be a list');
    return value.map((_, i) => this.at(i));
  }

  /** Returns the boolean; false if absent or null. Throws an `InputError` otherwise. */
  flag(): boolean {
    const value = this.value ?? false;
    if (typeof value !== 'boolean') throw this.inputError('must be `true` or `false`');
    return value;
  }
}

export function valueAt(document: InputDocument, path: Path): JsonValue | undefined {
  return valueAtSteps(document.value, path.map(String));
}
