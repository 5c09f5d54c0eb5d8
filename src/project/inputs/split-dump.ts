import { InputError, type Origin } from '../../base/errors.js';

/** The text of one object of a dump. */
export interface DumpPiece {
  readonly text: string;
  /** First line of the object, from 1. */
  readonly line: number;
  /** The kind, if it was found without parsing; undefined otherwise. */
  readonly kind: string | undefined;
}

/** Accepts a text in chunks and yields each object once it is complete. */
interface Splitter {
  push(chunk: string): Iterable<DumpPiece>;
  /** Ends the text. Yields the remaining object. */
  end(): Iterable<DumpPiece>;
}

/** Maximum size of an object, five times the limit of an API server. */
const MAX_OBJECT_CHARS = 8 * 1024 * 1024;

/** Char codes of the JSON punctuation that matters here. */
const [QUOTE, BACKSLASH, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST, COLON, NEWLINE] = Array.from(
  '"\\{}[]:\n',
  (character) => character.charCodeAt(0),
) as [number, number, number, number, number, number, number, number];

/** Splits a sequence of JSON values. A value with `items` is split into its items. */
class JsonSplitter implements Splitter {
  readonly #file: string;
  #depth = 0;
  #line = 1;
  #isList = false;
  /** Depth of the current object: 1 for a value, 3 for an element of `items`. */
  #level = 1;
  /** The current object with its text from earlier chunks; undefined between objects. */
  #object: { text: string; readonly line: number; kind: string | undefined } | undefined;
  #isInString = false;
  #isEscaped = false;
  /** The last string, and the key that precedes it if it is a value. */
  #lastString = '';
  #key = '';

  constructor(file: string) {
    this.#file = file;
  }

  *push(chunk: string): Generator<DumpPiece> {
    /** Offsets in this chunk where the current object and the current string begin. */
    let from = 0;
    let stringStart = 0;
    for (let at = 0; at < chunk.length; at++) {
      if (this.#isInString) {
        at = this.#endOfString(chunk, at);
        if (this.#depth <= this.#level) this.#lastString += chunk.slice(stringStart, at);
        if (!this.#isInString) this.#endString();
        continue;
      }
      const code = chunk.charCodeAt(at);
      if (code === NEWLINE) this.#line++;
      else if (code === QUOTE) {
        this.#isInString = true;
        this.#lastString = '';
        stringStart = at + 1;
      } else if (code === COLON) this.#key = this.#lastString;
      else if (code === OPEN || code === OPEN_LIST) {
        if (this.#open(code)) from = at;
      } else if (code === CLOSE || code === CLOSE_LIST) {
        const endedPiece = this.#close(code);
        if (endedPiece === undefined) continue;
        const { text, line, kind } = endedPiece;
        yield { text: text + chunk.slice(from, at + 1), line, kind };
      }
    }
    if (this.#object === undefined) return;
    this.#object.text += chunk.slice(from);
    const { text, line } = this.#object;
    if (text.length > MAX_OBJECT_CHARS) throw tooLargeError({ file: this.#file, line });
  }

  end(): readonly DumpPiece[] {
    if (this.#depth > 0) throw truncatedError({ file: this.#file, line: this.#line });
    return [];
  }

  /** Returns the offset of the closing quote, or the length of the chunk if there is none. */
  #endOfString(chunk: string, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const code = chunk.charCodeAt(at);
      if (this.#isEscaped) this.#isEscaped = false;
      else if (code === BACKSLASH) this.#isEscaped = true;
      else if (code === QUOTE) {
        this.#isInString = false;
        return at;
      }
    }
    return chunk.length;
  }

  #endString(): void {
    if (this.#depth > this.#level) return;
    const isKind = this.#depth === this.#level && this.#key === 'kind';
    if (isKind && this.#object !== undefined) this.#object.kind = this.#lastString;
    this.#key = '';
  }

  /** Enters a mapping or list. Returns whether an object begins here. */
  #open(code: number): boolean {
    this.#depth++;
    if (code === OPEN_LIST && this.#depth === 2 && this.#key === 'items') {
      [this.#isList, this.#level, this.#object] = [true, 3, undefined];
    }
    this.#key = '';
    if (code !== OPEN || this.#depth !== (this.#isList ? this.#level : 1)) return false;
    this.#object = { text: '', line: this.#line, kind: undefined };
    return true;
  }

  /** Leaves a mapping or list. Returns the object that ends, without its text from this chunk. */
  #close(code: number): DumpPiece | undefined {
    const isWhole =
      this.#depth === 1 ? !this.#isList : this.#depth === 3 && this.#isList && this.#level === 3;
    const object = code === CLOSE && isWhole ? this.#object : undefined;
    if (object !== undefined) this.#object = undefined;
    if (code === CLOSE_LIST && this.#depth === 2) this.#level = 1;
    this.#depth = Math.max(this.#depth - 1, 0);
    if (this.#depth === 0) this.#isList = false;
    return object;
  }
}

const SEPARATOR = /^(?:---|\.\.\.)(?:\s|$)/;
const ITEMS = /^items:[ \t\r]*(?:#.*)?$/;

/** Splits YAML line by line. An object ends where the next one begins. */
class YamlSplitter implements Splitter {
  readonly #file: string;
  /** The last line, as long as its line break is missing. */
  #partialLine = '';
  #line = 0;
  /** The current document; undefined for a List, which is split into its items. */
  #document: Lines | undefined = { text: '', line: 1 };
  #isList = false;
  #inItems = false;
  /** Whether there was a top-level `kind:`, which kubectl writes after the items. */
  #hasKind = false;
  /** Column of the dashes of the items. */
  #indent: number | undefined;
  #item: Lines | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  *push(chunk: string): Generator<DumpPiece> {
    const text = this.#partialLine + chunk;
    let from = this.#line === 0 && text.startsWith('\uFEFF') ? 1 : 0;
    for (let to = text.indexOf('\n', from); to >= 0; to = text.indexOf('\n', from)) {
      yield* this.#addLine(text.slice(from, to + 1));
      from = to + 1;
    }
    this.#partialLine = text.slice(from);
    this.#checkSize({ text: this.#partialLine, line: this.#line + 1 });
  }

  *end(): Generator<DumpPiece> {
    if (this.#partialLine !== '') yield* this.#addLine(this.#partialLine);
    this.#partialLine = '';
    yield* this.#endDocument();
  }

  *#addLine(line: string): Generator<DumpPiece> {
    this.#line += 1;
    if ((line[0] === '-' || line[0] === '.') && SEPARATOR.test(line.slice(0, 4))) {
      yield* this.#endDocument();
      this.#document = { text: '', line: this.#line + 1 };
      return;
    }
    if (this.#inItems) yield* this.#addLineOfItems(line);
    if (line.startsWith('kind:')) this.#hasKind = true;
    if (line.startsWith('items:') && ITEMS.test(line.trimEnd())) {
      this.#isList = true;
      this.#inItems = true;
      this.#indent = undefined;
      this.#document = undefined;
    }
    for (const lines of [this.#item, this.#document]) {
      if (lines === undefined) continue;
      lines.text += line;
      this.#checkSize(lines);
    }
  }

  #checkSize({ text, line }: Lines): void {
    if (text.length > MAX_OBJECT_CHARS) throw tooLargeError({ file: this.#file, line });
  }

  *#addLineOfItems(line: string): Generator<DumpPiece> {
    const column = DASH.exec(line)?.[1]!.length;
    if (column !== undefined && column === (this.#indent ??= column)) {
      yield* this.#endItem();
      this.#item = { text: '', line: this.#line };
    } else if (!' \t\r\n#-'.includes(line[0]!)) {
      yield* this.#endItem();
      this.#inItems = false;
    }
  }

  *#endDocument(): Generator<DumpPiece> {
    if (this.#isList && !this.#hasKind)
      throw truncatedError({ file: this.#file, line: this.#line });
    yield* this.#endItem();
    const document = this.#document;
    this.#document = undefined;
    this.#isList = false;
    this.#inItems = false;
    this.#hasKind = false;
    if (document === undefined) return;
    const { text, line } = document;
    if (/^[^#\s]/m.test(text)) yield { text, line, kind: kindAt(text, 0) };
  }

  *#endItem(): Generator<DumpPiece> {
    if (this.#item === undefined) return;
    const { line } = this.#item;
    // An item without its dash is an indented mapping.
    const text = this.#item.text.replace('-', ' ');
    this.#item = undefined;
    yield { text, line, kind: kindAt(text, /\S/.exec(text)?.index ?? 0) };
  }
}

/** The text of one object so far, and the number of its first line. */
interface Lines {
  text: string;
  readonly line: number;
}

/** A line that begins with a dash, and the spaces before the dash. */
const DASH = /^( *)-(?: |\r?\n|$)/;

const KIND = /^[ \t]*["']?(\w+)["']?[ \t\r]*$/;

/** Returns the value of `kind` among the keys at a column. */
function kindAt(text: string, column: number): string | undefined {
  const at = `${' '.repeat(column)}kind:`;
  const line = text.split('\n').find((each) => each.startsWith(at));
  return line === undefined ? undefined : KIND.exec(line.slice(at.length))?.[1];
}

/**
 * Splits a dump into objects, and Lists into their items, so that a large dump is never in memory
 * or parsed as a whole. YAML is split by indentation, JSON by brackets.
 */
export class DumpSplitter {
  readonly #file: string;
  #splitter: Splitter | undefined;
  /** White space before the first character that shows whether the text is JSON or YAML. */
  #leadingSpace = '';

  constructor(file: string) {
    this.#file = file;
  }

  *push(chunk: string): Generator<DumpPiece> {
    const text = this.#leadingSpace + chunk;
    this.#leadingSpace = '';
    if (this.#splitter === undefined) {
      const [first] = /[^\s\uFEFF]/.exec(text) ?? [];
      if (first === undefined) this.#leadingSpace = text;
      else this.#splitter = new (first === '{' ? JsonSplitter : YamlSplitter)(this.#file);
    }
    if (this.#splitter !== undefined) yield* this.#splitter.push(text);
  }

  *end(): Generator<DumpPiece> {
    if (this.#splitter !== undefined) yield* this.#splitter.end();
  }
}

function tooLargeError(origin: Origin): InputError {
  const what = `is an object of more than ${MAX_OBJECT_CHARS} characters, which no API server takes`;
  return new InputError(what, { origin });
}

function truncatedError(origin: Origin): InputError {
  const hint = 'dump it again; what is missing here would look as if it were not installed';
  return new InputError('the dump is cut short', { origin, hint });
}
