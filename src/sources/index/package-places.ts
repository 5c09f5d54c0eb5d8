/** Where the value of a key stands: from its first byte to the one after its last. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Where each package of an index stands in its text, found in one pass over the bytes that parses
 * none of them; undefined: the text is no JSON object, or has no `packages` that is one.
 *
 * All that stands around the packages is held to JSON. Of a package itself only brackets and
 * strings are looked at: whether it is JSON shows when it is parsed.
 */
export function packagePlaces(bytes: Uint8Array): ReadonlyMap<string, ByteRange> | undefined {
  try {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return new PlaceScan(text).index();
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

class PlaceScan {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  index(): ReadonlyMap<string, ByteRange> | undefined {
    let packages: ReadonlyMap<string, ByteRange> | undefined;
    this.#object((key) => {
      // As in JSON.parse, the last of several keys counts.
      if (key === 'packages') {
        packages = this.#packages();
        return;
      }
      const { from, to } = this.#value();
      JSON.parse(this.#bytes.toString('utf8', from, to));
    });
    this.#blanks();
    if (this.#at < this.#bytes.length) throw new SyntaxError('text after the end');
    return packages;
  }

  #packages(): ReadonlyMap<string, ByteRange> {
    const places = new Map<string, ByteRange>();
    this.#object((key) => places.set(key, this.#value()));
    return places;
  }

  /** Calls `read` at the value of each key. */
  #object(read: (key: string) => void): void {
    this.#expect(OPEN);
    this.#blanks();
    if (this.#bytes[this.#at] === CLOSE) {
      this.#at++;
      return;
    }
    for (;;) {
      this.#blanks();
      const { from, to } = this.#string();
      this.#expect(COLON);
      read(JSON.parse(this.#bytes.toString('utf8', from, to)) as string); // it is in quotes
      this.#blanks();
      const next = this.#bytes[this.#at++];
      if (next === CLOSE) return;
      if (next !== COMMA) throw new SyntaxError('neither a comma nor the end of an object');
    }
  }

  #expect(wanted: number): void {
    this.#blanks();
    if (this.#bytes[this.#at] !== wanted) throw new SyntaxError('another character');
    this.#at++;
  }

  #blanks(): void {
    const bytes = this.#bytes;
    for (;;) {
      const byte = bytes[this.#at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return;
      this.#at++;
    }
  }

  #string(): ByteRange {
    const from = this.#at;
    if (this.#bytes[from] !== QUOTE) throw new SyntaxError('no string');
    this.#at = afterString(this.#bytes, from);
    return { from, to: this.#at };
  }

  #value(): ByteRange {
    this.#blanks();
    const from = this.#at;
    const first = this.#bytes[from];
    if (first === QUOTE) return this.#string();
    this.#at =
      first === OPEN || first === OPEN_LIST
        ? afterBrackets(this.#bytes, from)
        : afterWord(this.#bytes, from);
    return { from, to: this.#at };
  }
}

function afterString(bytes: Buffer, from: number): number {
  const { length } = bytes;
  for (let at = from + 1; at < length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at++;
  }
  throw new SyntaxError('a string without an end');
}

/** After the bracket that closes the one here; which sorts of brackets they are is not looked at. */
function afterBrackets(bytes: Buffer, from: number): number {
  const { length } = bytes;
  let depth = 0;
  for (let at = from; at < length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = afterString(bytes, at) - 1;
    else if (byte === OPEN || byte === OPEN_LIST) depth++;
    else if (byte === CLOSE || byte === CLOSE_LIST) {
      depth--;
      if (depth === 0) return at + 1;
    }
  }
  throw new SyntaxError('a bracket without its other');
}

/** After a number, `true`, `false` or `null`, or whatever stands in the place of one. */
function afterWord(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && !ENDS_WORD.has(bytes[at]!)) at++;
  if (at === from) throw new SyntaxError('no value');
  return at;
}

const ENDS_WORD: ReadonlySet<number> = new Set([COMMA, CLOSE, CLOSE_LIST, 0x20, 0x0a, 0x0d, 0x09]);
