import { MAX_OBJECT_CHARS, type BadPiece, type Cutter, type DumpPiece } from './dump-piece.js';

/** Brackets and quotes of JSON, as char codes. */
const [QUOTE, BACKSLASH, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST, COLON, NEWLINE] = Array.from(
  '"\\{}[]:\n',
  (character) => character.charCodeAt(0),
) as [number, number, number, number, number, number, number, number];

/** Cuts JSON values that follow each other; of one with `items`, each of these. */
export class JsonCutter implements Cutter {
  #depth = 0;
  #line = 1;
  #isList = false;
  /** How deep the object at hand is: 1 for a value, 3 for an item of its `items`. */
  #level = 1;
  /** The object at hand, as far as chunks before had it; undefined: there is none. */
  #object: { text: string; readonly line: number; kind: string | undefined } | undefined;
  #isInString = false;
  #isEscaped = false;
  /** The last string, and the key before it if it is a value. */
  #last = '';
  #key = '';

  *push(chunk: string): Generator<DumpPiece | BadPiece> {
    /** Where what is of the object, and of the string at hand, begins in this chunk. */
    let from = 0;
    let stringFrom = 0;
    for (let at = 0; at < chunk.length; at++) {
      if (this.#isInString) {
        at = this.#endOfString(chunk, at);
        if (this.#depth <= this.#level) this.#last += chunk.slice(stringFrom, at);
        if (!this.#isInString) this.#takeString();
        continue;
      }
      const code = chunk.charCodeAt(at);
      if (code === NEWLINE) this.#line++;
      else if (code === QUOTE) {
        this.#isInString = true;
        this.#last = '';
        stringFrom = at + 1;
      } else if (code === COLON) this.#key = this.#last;
      else if (code === OPEN || code === OPEN_LIST) {
        if (this.#open(code)) from = at;
      } else if (code === CLOSE || code === CLOSE_LIST) {
        const ended = this.#close(code);
        if (ended === undefined) continue;
        const { text, line, kind } = ended;
        yield { text: text + chunk.slice(from, at + 1), line, kind };
      }
    }
    if (this.#object === undefined) return;
    this.#object.text += chunk.slice(from);
    const { text, line } = this.#object;
    if (text.length > MAX_OBJECT_CHARS) yield { bad: 'too large', line };
  }

  *end(): Generator<BadPiece> {
    if (this.#depth > 0) yield { bad: 'cut short', line: this.#line };
  }

  /** Where the string at hand has its closing quote; the end of the chunk: it goes on in the next. */
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

  #takeString(): void {
    if (this.#depth > this.#level) return;
    const isKind = this.#depth === this.#level && this.#key === 'kind';
    if (isKind && this.#object !== undefined) this.#object.kind = this.#last;
    this.#key = '';
  }

  /** Whether an object begins here. */
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

  /** The object that ends here, but for what this chunk has of it; undefined: none does. */
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
