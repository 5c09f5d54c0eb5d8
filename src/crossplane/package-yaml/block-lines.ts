/** Lines of a mapping or a list, and their indentation. */
export interface Block {
  readonly lines: BlockLines;
  readonly from: number;
  /** The line after the last. */
  readonly to: number;
  /** Column of its keys or dashes. */
  readonly indent: number;
}

export interface BlockEntry {
  readonly key: string;
  /** Offsets of its text, with the key. */
  readonly start: number;
  readonly end: number;
  readonly eol: number;
  /** Offset of the value next to the key; `eol` if there is none. */
  readonly value: number;
  readonly from: number;
  readonly to: number;
}

/** Keys as tools write them. Others need a parser. */
const KEY = /[A-Za-z_$][\w$./-]*:(?:[ ]+|(?=\n|$))/y;
const [NEWLINE, SPACE, DASH, HASH] = [10, 32, 45, 35];
/** Indentation of a blank line or a comment. */
const BLANK = -1;

/** Offsets and indentation of the lines of a YAML document, computed once for all levels. */
export class BlockLines {
  readonly text: string;
  readonly #starts: number[] = [];
  readonly #indents: number[] = [];

  constructor(text: string) {
    this.text = text;
    for (let start = 0; start < text.length;) {
      let at = start;
      while (text.charCodeAt(at) === SPACE) at++;
      const first = text.charCodeAt(at);
      const empty = at === text.length || first === NEWLINE || first === HASH;
      this.#starts.push(start);
      this.#indents.push(empty ? BLANK : at - start);
      const newline = text.indexOf('\n', at);
      start = newline < 0 ? text.length : newline + 1;
    }
    this.#starts.push(text.length);
  }

  get count(): number {
    return this.#indents.length;
  }

  /** Returns the block in some lines, or undefined if they are blank. */
  block(from: number, to: number): Block | undefined {
    for (let line = from; line < to; line++) {
      const indent = this.#indents[line]!;
      if (indent !== BLANK) return { lines: this, from: line, to, indent };
    }
    return undefined;
  }

  /** Returns the entries of a mapping by key, or undefined if it needs a parser. */
  entries({ from, to, indent }: Block): ReadonlyMap<string, BlockEntry> | undefined {
    const entries = new Map<string, OpenEntry>();
    let open: OpenEntry | undefined;
    for (let line = from; line < to; line++) {
      // The first line may begin with the dash of the list that contains the mapping.
      const depth = line === from ? indent : this.#indents[line]!;
      if (depth === BLANK || depth > indent) continue;
      if (depth < indent) return undefined;
      if (line > from && this.#hasDash(line)) {
        // A list may have the same indentation as its key.
        if (open === undefined || open.value !== open.eol) return undefined;
        continue;
      }
      if (open !== undefined && !this.#close(open, line)) return undefined;
      open = this.#keyAt(line, this.#starts[line]! + indent);
      if (open === undefined || entries.has(open.key)) return undefined;
      entries.set(open.key, open);
    }
    return open !== undefined && this.#close(open, to) ? entries : undefined;
  }

  /** Returns the items of a list of mappings as blocks, or undefined if it is not such a list. */
  items({ from, to, indent }: Block): readonly Block[] | undefined {
    const items: Block[] = [];
    for (let line = from; line < to; line++) {
      const depth = this.#indents[line]!;
      if (depth === BLANK || depth > indent) continue;
      if (depth < indent || !this.#hasDash(line)) return undefined;
      const previous = items.pop();
      if (previous !== undefined) items.push({ ...previous, to: line });
      items.push({ lines: this, from: line, to, indent: this.#columnAfterDash(line) });
    }
    return items;
  }

  #keyAt(line: number, start: number): OpenEntry | undefined {
    const { text } = this;
    const next = this.#starts[line + 1]!;
    const eol = text.charCodeAt(next - 1) === NEWLINE ? next - 1 : next;
    KEY.lastIndex = start;
    if (!KEY.test(text) || KEY.lastIndex > eol) return undefined;
    const key = text.slice(start, text.indexOf(':', start));
    return { key, start, end: start, value: KEY.lastIndex, eol, from: line, to: line };
  }

  /** Ends an entry before a line. Returns false if its quotes or brackets need a parser. */
  #close(open: OpenEntry, line: number): boolean {
    open.end = this.#starts[line]!;
    open.to = line;
    const { value, eol, end } = open;
    const closing = value === eol ? undefined : CLOSING.get(this.text.charCodeAt(value));
    if (closing === undefined) return true;
    const written = this.text.slice(value, closing.spansLines ? end : eol).trimEnd();
    return written.length > 1 && written.endsWith(closing.mark);
  }

  #hasDash(line: number): boolean {
    const at = this.#starts[line]! + this.#indents[line]!;
    const after = this.text.charCodeAt(at + 1);
    return this.text.charCodeAt(at) === DASH && (after === SPACE || after === NEWLINE);
  }

  #columnAfterDash(line: number): number {
    const start = this.#starts[line]!;
    let at = start + this.#indents[line]! + 1;
    while (this.text.charCodeAt(at) === SPACE) at++;
    return at - start;
  }
}

type OpenEntry = { -readonly [K in keyof BlockEntry]: BlockEntry[K] };

const CLOSING: ReadonlyMap<number, { readonly mark: string; readonly spansLines: boolean }> =
  new Map([
    ['"'.charCodeAt(0), { mark: '"', spansLines: true }],
    ["'".charCodeAt(0), { mark: "'", spansLines: true }],
    ['['.charCodeAt(0), { mark: ']', spansLines: false }],
    ['{'.charCodeAt(0), { mark: '}', spansLines: false }],
  ]);

/** Selected parts of a text, with a mapping of their offsets to the whole text. */
export class TextExcerpt {
  readonly #whole: string;
  readonly #pieces: string[] = [];
  /** Start of each piece, here and in the whole text, in ascending order. */
  readonly #starts: { readonly here: number; readonly there: number }[] = [];
  #length = 0;

  constructor(whole: string) {
    this.#whole = whole;
  }

  /** Adds lines. `before` replaces the start of the first line; `behind` is appended. */
  add(before: string, start: number, end: number, behind: string): void {
    const part = `${this.#whole.slice(start, end)}${behind}`;
    const piece = `${before}${part}${part.endsWith('\n') ? '' : '\n'}`;
    this.#starts.push({ here: this.#length + before.length, there: start });
    this.#pieces.push(piece);
    this.#length += piece.length;
  }

  get text(): string {
    return this.#pieces.join('');
  }

  /** Returns the offset in the whole text. */
  offsetOf(offset: number): number {
    const [first = { here: 0, there: 0 }] = this.#starts;
    const { here, there } = this.#starts.findLast((start) => start.here <= offset) ?? first;
    return Math.max(there, there + offset - here);
  }
}
