import { load, parseEvents, YAMLException } from 'js-yaml';
import { InputError } from '../model/input-error.js';
import { lineFinder } from '../text/line-finder.js';
import { placesOf, type Place, type PlacedEntry } from '../text/yaml/places.js';
import { isList, isMapping, type JsonObject } from '../text/json.js';

/** A part of a document, and where it is written. */
interface Part {
  readonly value: unknown;
  readonly path: string;
  /** undefined: it is not written, and the line is that of what it is missing from. */
  readonly place: Place | undefined;
  readonly line: number;
}

interface LocatedFile {
  readonly name: string;
  readonly lineOf: (offset: number) => number;
}

/** A part of a YAML document that knows where it stands and refuses to be what it is not. */
export class Located {
  readonly #file: LocatedFile;
  readonly #part: Part;
  #entries: ReadonlyMap<string, PlacedEntry> | undefined;

  /** For `parse`, and for parts that make parts of their own. */
  constructor(file: LocatedFile, part: Part) {
    this.#file = file;
    this.#part = part;
  }

  /** The one document of `text`; duplicate keys and a second document are refused. */
  static parse(text: string, file: string): Located {
    try {
      const value = load(text, { maxAliases: 0 });
      const place = placesOf(text, parseEvents(text, {}));
      const lineOf = lineFinder(text);
      const line = place === undefined ? 1 : lineOf(place.offset);
      return new Located({ name: file, lineOf }, { value, path: '', place, line });
    } catch (error) {
      if (!(error instanceof YAMLException)) throw error;
      const line = error.mark?.line;
      throw new InputError(`not readable as YAML: ${error.reason}`, {
        origin: { file, line: line === undefined ? undefined : line + 1 },
        cause: error,
      });
    }
  }

  fail(what: string, hint?: string): never {
    const { path, line } = this.#part;
    const origin = { file: this.#file.name, line };
    const subject = path === '' ? '' : `\`${path}\` `;
    throw new InputError(`${subject}${what}`, { origin, ...(hint === undefined ? {} : { hint }) });
  }

  get isMapping(): boolean {
    return isMapping(this.#part.value);
  }

  /** Members by key, once it is sure that there are no others. */
  members<Key extends string>(keys: readonly Key[]): (key: Key) => Located {
    if (!isMapping(this.#part.value)) this.fail('must be a mapping');
    for (const key of Object.keys(this.#part.value)) {
      if (!keys.includes(key as Key)) this.#member(key).fail('is not a field of this format');
    }
    return (key) => this.#member(key);
  }

  /** Every member, in the order written. */
  entries(): readonly (readonly [key: string, member: Located])[] {
    if (!isMapping(this.#part.value)) this.fail('must be a mapping');
    return Object.keys(this.#part.value).map((key) => [key, this.#member(key)] as const);
  }

  #member(key: string): Located {
    const { value, path, place } = this.#part;
    this.#entries ??= new Map(place?.entries.map((entry) => [entry.key, entry]));
    const entry = this.#entries.get(key);
    return new Located(this.#file, {
      value: isMapping(value) && Object.hasOwn(value, key) ? value[key] : undefined,
      path: path === '' ? key : `${path}.${key}`,
      place: entry?.value,
      line: this.#lineOf(entry?.offset),
    });
  }

  items(): readonly Located[] {
    const { value, path, place } = this.#part;
    if (!isList(value)) this.fail('must be a list');
    return value.map((item, index) => {
      const at = place?.items[index];
      const line = this.#lineOf(at?.offset);
      return new Located(this.#file, { value: item, path: `${path}[${index}]`, place: at, line });
    });
  }

  /** The line of an offset inside this part; its own where nothing is written there. */
  #lineOf(offset = -1): number {
    return offset < 0 ? this.#part.line : this.#file.lineOf(offset);
  }

  string(): string {
    return typeof this.#part.value === 'string' ? this.#part.value : this.fail('must be a string');
  }

  boolean(): boolean {
    return typeof this.#part.value === 'boolean'
      ? this.#part.value
      : this.fail('must be `true` or `false`');
  }

  integer(): number {
    const value = this.#part.value;
    return typeof value === 'number' && Number.isInteger(value)
      ? value
      : this.fail('must be an integer');
  }

  object(): JsonObject {
    if (!isMapping(this.#part.value)) this.fail('must be a mapping');
    return this.#part.value;
  }

  /** undefined for an absent member, else what `read` makes of it. */
  optional<T>(read: (part: Located) => T): T | undefined {
    return this.#part.value === undefined ? undefined : read(this);
  }
}
