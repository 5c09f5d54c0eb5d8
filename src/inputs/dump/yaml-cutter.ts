import { MAX_OBJECT_CHARS, type BadPiece, type Cutter, type DumpPiece } from './dump-piece.js';

const SEPARATOR = /^(?:---|\.\.\.)(?:\s|$)/;
const ITEMS = /^items:[ \t\r]*(?:#.*)?$/;

/** Cuts YAML line by line: an object is over when the line after it comes. */
export class YamlCutter implements Cutter {
  /** The line that has no end yet. */
  #rest = '';
  #line = 0;
  /** The document at hand; undefined: it is a list, and comes as its items. */
  #document: Lines | undefined = new Lines(1);
  #isList = false;
  #inItems = false;
  /** Whether a top-level `kind:` was met; kubectl writes it after the items. */
  #hasKind = false;
  /** Column of the dashes. */
  #indent: number | undefined;
  #item: Lines | undefined;

  *push(chunk: string): Generator<DumpPiece | BadPiece> {
    const text = this.#rest + chunk;
    let from = this.#line === 0 && text.startsWith('\uFEFF') ? 1 : 0;
    for (let to = text.indexOf('\n', from); to >= 0; to = text.indexOf('\n', from)) {
      yield* this.#take(text.slice(from, to + 1));
      from = to + 1;
    }
    this.#rest = text.slice(from);
    if (this.#rest.length > MAX_OBJECT_CHARS) yield { bad: 'too large', line: this.#line + 1 };
  }

  *end(): Generator<DumpPiece | BadPiece> {
    if (this.#rest !== '') yield* this.#take(this.#rest);
    this.#rest = '';
    yield* this.#endDocument();
  }

  *#take(line: string): Generator<DumpPiece | BadPiece> {
    this.#line += 1;
    if ((line[0] === '-' || line[0] === '.') && SEPARATOR.test(line.slice(0, 4))) {
      yield* this.#endDocument();
      this.#document = new Lines(this.#line + 1);
      return;
    }
    if (this.#inItems) yield* this.#takeInItems(line);
    if (line.startsWith('kind:')) this.#hasKind = true;
    if (line.startsWith('items:') && ITEMS.test(line.trimEnd())) {
      this.#isList = true;
      this.#inItems = true;
      this.#indent = undefined;
      this.#document = undefined;
    }
    for (const lines of [this.#item, this.#document]) {
      if (lines?.add(line) === 'too large') yield { bad: 'too large', line: lines.line };
    }
  }

  *#takeInItems(line: string): Generator<DumpPiece> {
    const column = dashOf(line);
    if (column !== undefined && column === (this.#indent ??= column)) {
      yield* this.#endItem();
      this.#item = new Lines(this.#line);
    } else if (!' \t\r\n#-'.includes(line[0]!)) {
      yield* this.#endItem();
      this.#inItems = false;
    }
  }

  *#endDocument(): Generator<DumpPiece | BadPiece> {
    if (this.#isList && !this.#hasKind) yield { bad: 'cut short', line: this.#line };
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
    // Without its dash, an item is a mapping that is indented as a whole.
    const text = this.#item.text.replace('-', ' ');
    this.#item = undefined;
    yield { text, line, kind: kindAt(text, /\S/.exec(text)?.index ?? 0) };
  }
}

/** Lines of one object. */
class Lines {
  /** Of its beginning. */
  readonly line: number;
  readonly #lines: string[] = [];
  #size = 0;

  constructor(line: number) {
    this.line = line;
  }

  get text(): string {
    return this.#lines.join('');
  }

  add(line: string): 'too large' | undefined {
    this.#lines.push(line);
    this.#size += line.length;
    return this.#size > MAX_OBJECT_CHARS ? 'too large' : undefined;
  }
}

const DASH = /^( *)-(?: |\r?\n|$)/;

/** The column of a dash that begins a line; undefined: none does. */
function dashOf(line: string): number | undefined {
  return DASH.exec(line)?.[1]!.length;
}

const KIND = /^[ \t]*["']?(\w+)["']?[ \t\r]*$/;

/** The `kind` among keys at a column. */
function kindAt(text: string, column: number): string | undefined {
  const at = `${' '.repeat(column)}kind:`;
  const line = text.split('\n').find((each) => each.startsWith(at));
  return line === undefined ? undefined : KIND.exec(line.slice(at.length))?.[1];
}
