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
const KEY = /([A-Za-z_$][\w$./-]*):(?:[ ]+|(?=\n|$))/y;
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

  /** The entries of a mapping; undefined: it is none, or takes a parser to tell. */
  entries({ from, to, indent }: Block): readonly BlockEntry[] | undefined {
    const entries: BlockEntry[] = [];
    const keys = new Set<string>();
    let open: Omit<BlockEntry, 'end' | 'to'> | undefined;
    const close = (line: number) => {
      const end = this.#starts[line]!;
      if (open === undefined || !this.#isClosed(open, end)) return open === undefined;
      entries.push({ ...open, end, to: line });
      return true;
    };
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
      const found = this.#keyAt(line, this.#starts[line]! + indent);
      if (found === undefined || keys.has(found.key) || !close(line)) return undefined;
      keys.add(found.key);
      open = found;
    }
    return close(to) && entries.length > 0 ? entries : undefined;
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

  #keyAt(line: number, start: number): Omit<BlockEntry, 'end' | 'to'> | undefined {
    KEY.lastIndex = start;
    const found = KEY.exec(this.text);
    const next = this.#starts[line + 1]!;
    const eol = this.text.charCodeAt(next - 1) === NEWLINE ? next - 1 : next;
    if (found === null || KEY.lastIndex > eol) return undefined;
    return { key: found[1]!, start, value: KEY.lastIndex, eol, from: line };
  }

  /** Whether a value that begins with a quote or bracket ends with one: else only a parser can tell. */
  #isClosed({ value, eol }: Omit<BlockEntry, 'end' | 'to'>, end: number): boolean {
    const closing = value === eol ? undefined : CLOSING[this.text.charAt(value)];
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

const CLOSING: Readonly<Record<string, { readonly mark: string; readonly spansLines: boolean }>> = {
  '"': { mark: '"', spansLines: true },
  "'": { mark: "'", spansLines: true },
  '[': { mark: ']', spansLines: false },
  '{': { mark: '}', spansLines: false },
};
