/** Lines of a text that are a mapping or a list, and how deep it stands. */
export interface Block {
  readonly lines: BlockLines;
  /** Its first line, from 0. */
  readonly from: number;
  /** The line behind its last. */
  readonly to: number;
  /** Where its keys or dashes stand in their lines. */
  readonly indent: number;
}

/** An entry of a block mapping. */
export interface BlockEntry {
  readonly key: string;
  /** Where its text begins, with the key, and ends. */
  readonly start: number;
  readonly end: number;
  /** Where that of its first line ends. */
  readonly eol: number;
  /** What stands beside the key on that line begins here; at `eol`: nothing does. */
  readonly value: number;
  readonly from: number;
  readonly to: number;
}

/** Keys as tools write them: anything else takes a parser. */
const KEY = /[A-Za-z_$][\w$./-]*:(?:[ ]+|(?=\n|$))/y;
const [NEWLINE, SPACE, DASH, HASH] = [10, 32, 45, 35];
/** Depth of a line that is blank or a comment. */
const EMPTY = -1;

/** Where the lines of a YAML document begin, and how deep they stand: found once, and used at every depth. */
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
      this.#indents.push(empty ? EMPTY : at - start);
      const newline = text.indexOf('\n', at);
      start = newline < 0 ? text.length : newline + 1;
    }
    this.#starts.push(text.length);
  }

  get count(): number {
    return this.#indents.length;
  }

  /** The block in some lines; undefined: they are blank. */
  block(from: number, to: number): Block | undefined {
    for (let line = from; line < to; line++) {
      const indent = this.#indents[line]!;
      if (indent !== EMPTY) return { lines: this, from: line, to, indent };
    }
    return undefined;
  }

  /** The entries of a mapping, by key; undefined: it is none, or takes a parser to tell. */
  entries({ from, to, indent }: Block): ReadonlyMap<string, BlockEntry> | undefined {
    const entries = new Map<string, OpenEntry>();
    let open: OpenEntry | undefined;
    for (let line = from; line < to; line++) {
      // The first line may begin with the dash of a list that the mapping is in.
      const depth = line === from ? indent : this.#indents[line]!;
      if (depth === EMPTY || depth > indent) continue;
      if (depth < indent) return undefined;
      if (line > from && this.#hasDash(line)) {
        // A list may stand as deep as the key that it belongs to.
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

  /** The items of a list of mappings, each as a block; undefined: it is none. */
  items({ from, to, indent }: Block): readonly Block[] | undefined {
    const items: Block[] = [];
    for (let line = from; line < to; line++) {
      const depth = this.#indents[line]!;
      if (depth === EMPTY || depth > indent) continue;
      if (depth < indent || !this.#hasDash(line)) return undefined;
      const previous = items.pop();
      if (previous !== undefined) items.push({ ...previous, to: line });
      items.push({ lines: this, from: line, to, indent: this.#depthBehindDash(line) });
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

  /**
   * Ends an entry before a line; false: its value begins with a quote or bracket and does not end
   * with one, so that only a parser can tell.
   */
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

  #depthBehindDash(line: number): number {
    const start = this.#starts[line]!;
    let at = start + this.#indents[line]! + 1;
    while (this.text.charCodeAt(at) === SPACE) at++;
    return at - start;
  }
}

/** An entry whose end is still to be found. */
type OpenEntry = { -readonly [K in keyof BlockEntry]: BlockEntry[K] };

const CLOSING: ReadonlyMap<number, { readonly mark: string; readonly spansLines: boolean }> =
  new Map([
    ['"'.charCodeAt(0), { mark: '"', spansLines: true }],
    ["'".charCodeAt(0), { mark: "'", spansLines: true }],
    ['['.charCodeAt(0), { mark: ']', spansLines: false }],
    ['{'.charCodeAt(0), { mark: '}', spansLines: false }],
  ]);
