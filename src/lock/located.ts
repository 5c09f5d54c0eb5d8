import { EVENT_ID, getScalarValue, load, parseEvents, YAMLException, type Event } from 'js-yaml';
import { InputError } from '../model/input-error.js';
import { isList, isMapping, type JsonObject, type JsonValue } from '../text/json.js';

/** Where the parts of a YAML document begin. */
interface Lines {
  readonly line: number;
  readonly members: ReadonlyMap<string, Lines>;
  readonly items: readonly Lines[];
}

/** A part of a YAML document that knows where it stands and refuses to be what it is not. */
export class Located {
  readonly #file: string;
  readonly #path: string;
  readonly #value: unknown;
  readonly #lines: Lines | undefined;
  readonly #line: number;

  private constructor(
    file: string,
    path: string,
    at: { value: unknown; lines: Lines | undefined; line: number },
  ) {
    this.#file = file;
    this.#path = path;
    this.#value = at.value;
    this.#lines = at.lines;
    this.#line = at.lines?.line ?? at.line;
  }

  /** The one document of `text`; duplicate keys and a second document are refused. */
  static parse(text: string, file: string): Located {
    try {
      const value = load(text, { maxAliases: 0 });
      return new Located(file, '', { value, lines: linesOf(text), line: 1 });
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
    const origin = { file: this.#file, line: this.#line };
    const subject = this.#path === '' ? '' : `\`${this.#path}\` `;
    throw new InputError(`${subject}${what}`, { origin, ...(hint === undefined ? {} : { hint }) });
  }

  get isMapping(): boolean {
    return isMapping(this.#value);
  }

  /** Members by key, once it is sure that there are no others. */
  members<Key extends string>(keys: readonly Key[]): (key: Key) => Located {
    if (!isMapping(this.#value)) this.fail('must be a mapping');
    for (const key of Object.keys(this.#value)) {
      if (!keys.includes(key as Key)) this.#member(key).fail('is not a field of this format');
    }
    return (key) => this.#member(key);
  }

  /** Every member, in the order written. */
  entries(): readonly (readonly [key: string, member: Located])[] {
    if (!isMapping(this.#value)) this.fail('must be a mapping');
    return Object.keys(this.#value).map((key) => [key, this.#member(key)] as const);
  }

  #member(key: string): Located {
    const value = isMapping(this.#value)
      ? Object.getOwnPropertyDescriptor(this.#value, key)?.value
      : undefined;
    const lines = this.#lines?.members.get(key);
    const path = this.#path === '' ? key : `${this.#path}.${key}`;
    return new Located(this.#file, path, { value, lines, line: this.#line });
  }

  items(): readonly Located[] {
    if (!isList(this.#value)) this.fail('must be a list');
    return this.#value.map((value, index) => {
      const lines = this.#lines?.items[index];
      const path = `${this.#path}[${index}]`;
      return new Located(this.#file, path, { value, lines, line: this.#line });
    });
  }

  string(): string {
    return typeof this.#value === 'string' ? this.#value : this.fail('must be a string');
  }

  boolean(): boolean {
    return typeof this.#value === 'boolean' ? this.#value : this.fail('must be `true` or `false`');
  }

  integer(): number {
    const value = this.#value;
    return typeof value === 'number' && Number.isInteger(value)
      ? value
      : this.fail('must be an integer');
  }

  object(): JsonObject {
    if (!isMapping(this.#value)) this.fail('must be a mapping');
    // The core schema makes nothing but JSON, aliases being off.
    return this.#value as { readonly [key: string]: JsonValue };
  }

  /** undefined for an absent member, else what `read` makes of it. */
  optional<T>(read: (part: Located) => T): T | undefined {
    return this.#value === undefined ? undefined : read(this);
  }
}

interface Open {
  readonly line: number;
  readonly kind: 'mapping' | 'sequence';
  readonly members: Map<string, Lines>;
  readonly items: Lines[];
  key: string | undefined;
  keyLine: number;
}

/** Follows the parser's events; what stands beside what is all that matters here. */
function linesOf(text: string): Lines | undefined {
  const lineAt = lineCounter(text);
  const open: Open[] = [];
  let root: Lines | undefined;
  const place = (lines: Lines): void => {
    const parent = open.at(-1);
    if (parent === undefined) root = lines;
    else if (parent.kind === 'sequence') parent.items.push(lines);
    else if (parent.key !== undefined) {
      parent.members.set(parent.key, { ...lines, line: parent.keyLine });
      parent.key = undefined;
    }
  };
  for (const event of parseEvents(text, {})) {
    if (event.type === EVENT_ID.SCALAR) {
      const line = lineAt(event.valueStart);
      const parent = open.at(-1);
      if (parent?.kind === 'mapping' && parent.key === undefined) {
        parent.key = getScalarValue(text, event);
        parent.keyLine = line;
      } else place({ line, members: new Map(), items: [] });
    } else if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) {
      open.push(opened(event, lineAt(event.start)));
    } else if (event.type === EVENT_ID.POP) {
      const closed = open.pop();
      if (closed !== undefined) place(closed);
    }
  }
  return root;
}

function opened(event: Event, line: number): Open {
  const kind = event.type === EVENT_ID.MAPPING ? 'mapping' : 'sequence';
  return { line, kind, members: new Map(), items: [], key: undefined, keyLine: line };
}

/** Line of an offset; cheap as long as offsets only grow. */
function lineCounter(text: string): (offset: number) => number {
  let line = 1;
  let seen = 0;
  return (offset) => {
    for (; seen < offset; seen++) if (text.charCodeAt(seen) === 10) line += 1;
    return line;
  };
}
