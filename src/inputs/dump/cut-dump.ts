import { InputError } from '../../model/input-error.js';

/** An object of a dump, still as text. */
export interface DumpPiece {
  readonly text: string;
  /** Of its beginning, from 1. */
  readonly line: number;
  /** As far as a glance tells; undefined: it has to be parsed. */
  readonly kind: string | undefined;
}

/** Of one object: an API server takes a fifth of it. */
const MAX_OBJECT_CHARS = 8 * 1024 * 1024;

/**
 * Cuts a dump into its objects, those of Lists one by one, so that a dump of a hundred megabytes is
 * never parsed as a whole: YAML by indentation, which is what gives it structure, JSON by brackets.
 */
export function* cutDump(text: string, file: string): Generator<DumpPiece> {
  const pieces = /^[\s\uFEFF]*\{/.test(text) ? jsonPieces(text) : yamlPieces(text);
  for (const piece of pieces) {
    const origin = { file, line: piece.line };
    if ('cutShort' in piece) {
      const hint = 'dump it again; what is missing here would look as if it were not installed';
      throw new InputError('the dump is cut short', { origin, hint });
    }
    if (piece.text.length > MAX_OBJECT_CHARS) {
      const what = `is an object of ${piece.text.length} characters, more than any API server takes`;
      throw new InputError(what, { origin });
    }
    yield piece;
  }
}

/** The end of a dump that is not whole. */
interface CutShort {
  readonly cutShort: true;
  readonly line: number;
}

const SEPARATOR = /^(?:---|\.\.\.)(?:\s|$)/;

function* yamlPieces(text: string): Generator<DumpPiece | CutShort> {
  const cutter = new YamlCutter(text);
  let line = 1;
  for (let from = text.startsWith('\uFEFF') ? 1 : 0; from < text.length; line++) {
    const newline = text.indexOf('\n', from);
    const to = newline < 0 ? text.length : newline + 1;
    yield* cutter.line(from, to, line);
    from = to;
  }
  yield* cutter.end(text.length);
}

/** Takes lines of YAML and gives objects, when the line after them comes. */
class YamlCutter {
  readonly #text: string;
  /** Where the document at hand begins. */
  #document = { from: 0, line: 1 };
  /** Whether a top-level `items:` was met, and all of it came as items. */
  #isList = false;
  #inItems = false;
  /** Whether a top-level `kind:` was met; kubectl writes it after the items. */
  #hasKind = false;
  #line = 0;
  /** Column of the dashes. */
  #indent: number | undefined;
  #item: { readonly from: number; readonly line: number } | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  *line(from: number, to: number, number: number): Generator<DumpPiece | CutShort> {
    this.#line = number;
    const first = this.#text[from];
    if ((first === '-' || first === '.') && SEPARATOR.test(this.#text.slice(from, from + 4))) {
      yield* this.end(from);
      this.#document = { from: to, line: number + 1 };
      return;
    }
    if (this.#inItems) {
      const column = this.#dashAt(from, to);
      if (column !== undefined && column === (this.#indent ??= column)) {
        yield* this.#takeItem(from);
        this.#item = { from, line: number };
      } else if (first !== undefined && !' \t\r\n#-'.includes(first)) {
        yield* this.#takeItem(from);
        this.#inItems = false;
      }
    }
    if (first === 'k' && this.#text.startsWith('kind:', from)) this.#hasKind = true;
    if (first === 'i' && /^items:[ \t\r]*(?:#.*)?$/.test(this.#text.slice(from, to).trimEnd())) {
      this.#isList = true;
      this.#inItems = true;
      this.#indent = undefined;
    }
  }

  /** The document ends where `at` is. */
  *end(at: number): Generator<DumpPiece | CutShort> {
    if (this.#isList && !this.#hasKind) yield { cutShort: true, line: this.#line };
    yield* this.#takeItem(at);
    const whole = this.#text.slice(this.#document.from, at);
    const { line } = this.#document;
    const isWhole = !this.#isList && /^[^#\s]/m.test(whole);
    this.#isList = false;
    this.#inItems = false;
    this.#hasKind = false;
    if (isWhole) yield { text: whole, line, kind: kindAt(whole, 0) };
  }

  /** The column of a dash that begins a line; undefined: none does. */
  #dashAt(from: number, to: number): number | undefined {
    let at = from;
    while (at < to && this.#text[at] === ' ') at++;
    const after = this.#text[at + 1];
    const isDash = this.#text[at] === '-' && (after === undefined || ' \r\n'.includes(after));
    return isDash ? at - from : undefined;
  }

  *#takeItem(to: number): Generator<DumpPiece> {
    if (this.#item === undefined) return;
    const { from, line } = this.#item;
    this.#item = undefined;
    // Without its dash, an item is a mapping that is indented as a whole.
    const text = this.#text.slice(from, to).replace('-', ' ');
    yield { text, line, kind: kindAt(text, /\S/.exec(text)?.index ?? 0) };
  }
}

const KIND = /^[ \t]*["']?(\w+)["']?[ \t\r]*$/;

/** The `kind` among keys at a column. */
function kindAt(text: string, column: number): string | undefined {
  const at = `${' '.repeat(column)}kind:`;
  const line = text.split('\n').find((each) => each.startsWith(at));
  return line === undefined ? undefined : KIND.exec(line.slice(at.length))?.[1];
}

/** Brackets and quotes of JSON, as char codes. */
const [QUOTE, BACKSLASH, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST, COLON, NEWLINE] = Array.from(
  '"\\{}[]:\n',
  (character) => character.charCodeAt(0),
) as [number, number, number, number, number, number, number, number];

/** Objects of JSON values that follow each other; of one with `items`, each of these. */
function* jsonPieces(text: string): Generator<DumpPiece | CutShort> {
  let depth = 0;
  let line = 1;
  let isList = false;
  /** How deep the object at hand is: 1 for a value, 3 for an item of its `items`. */
  let level = 1;
  let start = { at: 0, line: 1 };
  let kind: string | undefined;
  /** The last string, and the key before it if it is a value. */
  let last = '';
  let key = '';
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === NEWLINE) line++;
    else if (code === QUOTE) {
      const from = at + 1;
      at = endOfString(text, from);
      if (depth > level) continue;
      last = text.slice(from, at);
      if (depth === level && key === 'kind') kind = last;
      key = '';
    } else if (code === COLON) key = last;
    else if (code === OPEN || code === OPEN_LIST) {
      depth++;
      if (code === OPEN_LIST && depth === 2 && key === 'items') [isList, level] = [true, 3];
      if (code === OPEN && depth === (isList ? level : 1)) {
        start = { at, line };
        kind = undefined;
      }
      key = '';
    } else if (code === CLOSE || code === CLOSE_LIST) {
      const isWhole = depth === 1 ? !isList : depth === 3 && isList && level === 3;
      if (code === CLOSE && isWhole) {
        yield { text: text.slice(start.at, at + 1), line: start.line, kind };
      }
      if (code === CLOSE_LIST && depth === 2) level = 1;
      depth = Math.max(depth - 1, 0);
      if (depth === 0) isList = false;
    }
  }
  if (depth > 0) yield { cutShort: true, line };
}

/** Where the string that begins at `from` has its closing quote. */
function endOfString(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) {
    at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  }
  return at;
}
