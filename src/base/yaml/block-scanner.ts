import { goScalar, LONGEST_WORD } from './go-scalar.js';

/** The role that a visitor gives to a node. `IGNORED` nodes and all below them are not reported. */
export type KeyRole = string;
export const IGNORED: KeyRole = 'ignored';
export const ROOT: KeyRole = 'root';
/** The role of a scalar that must be text or null. It is not reported. */
export const TEXT: KeyRole = 'text';

type ScannedScalar = null | boolean | number | string;

/** Receives the nodes of a scan. Returning `false` or undefined ends the scan. */
interface BlockVisitor {
  /** Returns the role of the value of a key, in a mapping with this role. */
  key(role: KeyRole, key: string): KeyRole | undefined;
  /** Returns the role of the items of a sequence with this role. */
  item(role: KeyRole): KeyRole | undefined;
  mapping(role: KeyRole): boolean;
  scalar(role: KeyRole, value: ScannedScalar): boolean;
}

interface Frame {
  readonly indent: number;
  readonly sequence: boolean;
  readonly role: KeyRole;
  /** The keys so far, if they are reported: a duplicate ends the scan. */
  readonly keys: Set<string> | undefined;
}

/** A key or a dash whose value is on a later line. */
interface PendingValue {
  readonly indent: number;
  readonly inSequence: boolean;
  readonly role: KeyRole;
}

const MAX_DEPTH = 90;
const MAX_KEY_LENGTH = 1000;
/** Control characters, tabs, and characters that YAML libraries read differently. */
// eslint-disable-next-line no-control-regex -- the pattern matches control characters
const UNUSUAL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/;
const BLOCK_HEADER = /^[|>][-+]?$/;
const ESCAPE =
  /\\(?:[0abtnvfre "\\]|\n(?! *\n)|x[0-9a-fA-F]{2}|u(?![dD][89a-fA-F])[0-9a-fA-F]{4})/y;
const MAYBE_NOT_FINITE = /^[-+]?\./;
const BEGINS_NOT_FINITE = flagTable('-+.');
const [SPACE, QUOTE, APOSTROPHE, HASH, DASH, COLON] = [32, 34, 39, 35, 45, 58];
/** Characters that begin something other than plain text. */
const INDICATORS = flagTable(',[]{}#&*!|>\'"%@`');
const NEEDS_TEXT_AFTER = flagTable('-?:');
const LETTERS = flagTable('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');

/**
 * Scans a YAML document as tools write them: block mappings and sequences, one-line keys, plain,
 * quoted and block scalars. Returns false for anything else; what was reported then does not count.
 *
 * An accepted document is valid and means what was reported. Several times as fast as a parser.
 */
export function scanBlocks(text: string, visitor: BlockVisitor): boolean {
  return !UNUSUAL.test(text) && new BlockScanner(text, visitor).scan();
}

class BlockScanner {
  readonly #text: string;
  readonly #visitor: BlockVisitor;
  readonly #colons: Occurrences;
  readonly #hashes: Occurrences;
  readonly #frames: Frame[] = [];
  #pending: PendingValue | undefined;
  /** Lines indented deeper than this continue the plain scalar above; -1 if there is none. */
  #continuedBelow = -1;
  #scalarReported = false;
  #start = 0;
  #end = 0;

  constructor(text: string, visitor: BlockVisitor) {
    this.#text = text;
    this.#visitor = visitor;
    this.#colons = new Occurrences(text, ':');
    this.#hashes = new Occurrences(text, '#');
  }

  scan(): boolean {
    const { length } = this.#text;
    while (this.#start < length) {
      this.#end = this.#endOfLine(this.#start);
      const at = this.#skipSpaces(this.#start);
      if (at < this.#end && !this.#line(at)) return false;
      this.#start = this.#end + 1;
    }
    return this.#frames.length > 0 && this.#endPending();
  }

  #line(at: number): boolean {
    const indent = at - this.#start;
    const first = this.#text.charCodeAt(at);
    if (first === HASH) {
      this.#continuedBelow = -1;
      return true;
    }
    if (indent === 0 && this.#isMarker()) {
      return this.#start === 0 && this.#text.slice(0, this.#end) === '---';
    }
    if (this.#continuedBelow >= 0 && indent > this.#continuedBelow) {
      return !this.#scalarReported && this.#continuesPlainText(at);
    }
    this.#continuedBelow = -1;
    return this.#enterCollection(indent, this.#isDash(at)) && this.#node(at);
  }

  /** Opens or closes collections so that the innermost one is that of the line. */
  #enterCollection(indent: number, dash: boolean): boolean {
    const awaited = this.#pending;
    if (this.#frames.length === 0) return indent === 0 && !dash && this.#open(0, false, ROOT);
    if (awaited !== undefined) {
      const compact = indent === awaited.indent && dash && !awaited.inSequence;
      if (indent > awaited.indent || compact) {
        this.#pending = undefined;
        return this.#open(indent, dash, awaited.role);
      }
      if (!this.#endPending()) return false;
    }
    while (this.#frames.at(-1)!.indent > indent) {
      this.#frames.pop();
      if (this.#frames.length === 0) return false;
    }
    if (this.#frames.at(-1)!.sequence && !dash) this.#frames.pop();
    const frame = this.#frames.at(-1);
    return frame !== undefined && frame.indent === indent && frame.sequence === dash;
  }

  #open(indent: number, sequence: boolean, role: KeyRole): boolean {
    if (role === TEXT) return false;
    const reported = isReported(role);
    if (reported && !sequence && !this.#visitor.mapping(role)) return false;
    const keys = reported && !sequence ? new Set<string>() : undefined;
    this.#frames.push({ indent, sequence, role, keys });
    return this.#frames.length <= MAX_DEPTH;
  }

  /** Reports null for a key or dash whose value did not follow. */
  #endPending(): boolean {
    const awaited = this.#pending;
    this.#pending = undefined;
    return awaited === undefined || this.#report(awaited.role, null);
  }

  /** Reads dashes, then an entry of a mapping or a scalar. */
  #node(from: number): boolean {
    let at = from;
    while (this.#frames.at(-1)!.sequence) {
      const { indent, role } = this.#frames.at(-1)!;
      const itemRole = role === IGNORED ? IGNORED : this.#visitor.item(role);
      if (itemRole === undefined) return false;
      at = this.#skipSpaces(at + 1);
      if (this.#isEndOrComment(at)) {
        this.#pending = { indent, inSequence: true, role: itemRole };
        return true;
      }
      const dash = this.#isDash(at);
      const keyEnd = dash ? -1 : this.#keyEnd(at);
      if (!dash && keyEnd < 0) return this.#value(at, indent, itemRole);
      if (!this.#open(at - this.#start, dash, itemRole)) return false;
    }
    return this.#entry(at);
  }

  #entry(at: number): boolean {
    const keyEnd = this.#keyEnd(at);
    if (keyEnd < 0 || keyEnd - at > MAX_KEY_LENGTH) return false;
    const { indent, role, keys } = this.#frames.at(-1)!;
    let valueRole: KeyRole | undefined = IGNORED;
    if (role !== IGNORED || !this.#isLongWord(at, keyEnd)) {
      const key = this.#key(at, keyEnd);
      if (key === undefined || keys?.has(key)) return false;
      keys?.add(key);
      if (role !== IGNORED) valueRole = this.#visitor.key(role, key);
    }
    if (valueRole === undefined) return false;
    const value = this.#skipSpaces(keyEnd + 1);
    if (!this.#isEndOrComment(value)) return this.#value(value, indent, valueRole);
    this.#pending = { indent, inSequence: false, role: valueRole };
    return true;
  }

  /** Returns the offset of the colon of a one-line key at `at`, or -1. */
  #keyEnd(at: number): number {
    const first = this.#text.charCodeAt(at);
    if (first === QUOTE || first === APOSTROPHE) {
      const line = this.#text.slice(at, this.#end);
      const colon = line.indexOf(line[0]!, 1) + 1;
      if (colon === 0 || line[colon] !== ':') return -1;
      return colon + 1 === line.length || line[colon + 1] === ' ' ? at + colon : -1;
    }
    const colon = this.#colonIn(at, this.#end);
    if (colon >= 0) return colon;
    return this.#text.charCodeAt(this.#end - 1) === COLON ? this.#end - 1 : -1;
  }

  /** Whether a key has only letters and is too long to be a word with a special meaning. */
  #isLongWord(from: number, to: number): boolean {
    if (to - from <= LONGEST_WORD) return false;
    for (let at = from; at < to; at++) {
      if (LETTERS[this.#text.charCodeAt(at)] !== 1) return false;
    }
    return true;
  }

  #key(at: number, end: number): string | undefined {
    const first = this.#text.charCodeAt(at);
    const key = this.#text.slice(at, end);
    if (first === QUOTE || first === APOSTROPHE) {
      return key.includes('\\') ? undefined : key.slice(1, -1);
    }
    if (INDICATORS[first] === 1 || key.includes(' #') || key.endsWith(' ')) return undefined;
    if (NEEDS_TEXT_AFTER[first] === 1 && !this.#textFollows(at)) return undefined;
    return key === '<<' || key === '=' || goScalar(key) !== key ? undefined : key;
  }

  /** Reads a value that begins at `at`, in a collection indented by `indent`. */
  #value(at: number, indent: number, role: KeyRole): boolean {
    const first = this.#text.charCodeAt(at);
    if (first === QUOTE || first === APOSTROPHE) return this.#quoted(at, indent, role);
    if (INDICATORS[first] === 1) return this.#indicatorValue(at, indent, role);
    if (NEEDS_TEXT_AFTER[first] === 1 && !this.#textFollows(at)) return false;
    const comment = this.#commentIn(at, this.#end);
    const end = comment < 0 ? this.#end : comment;
    if (!this.#hasNoKey(at, end)) return false;
    this.#continuedBelow = comment < 0 ? indent : -1;
    if (role === IGNORED && BEGINS_NOT_FINITE[first] !== 1) return this.#report(role, null);
    const plain = this.#text.slice(at, this.#beforeSpaces(at, end));
    const ignored = role === IGNORED && !MAYBE_NOT_FINITE.test(plain);
    const value = ignored ? null : goScalar(plain);
    if (typeof value === 'number' && !Number.isFinite(value)) return false;
    if (role === TEXT && value !== null && typeof value !== 'string') return false;
    return this.#report(role, value);
  }

  /** Reads a value that begins with an indicator other than a quote. */
  #indicatorValue(at: number, indent: number, role: KeyRole): boolean {
    const rest = this.#text.slice(at, this.#end);
    if (BLOCK_HEADER.test(rest)) return !isReported(role) && this.#blockScalar(indent);
    if (rest === '{}' && isReported(role)) return this.#visitor.mapping(role);
    return (rest === '{}' || rest === '[]') && role === IGNORED;
  }

  #quoted(at: number, indent: number, role: KeyRole): boolean {
    const close = this.#closingQuote(at);
    if (close < 0) return false;
    const content = this.#text.slice(at + 1, close);
    const escaped = this.#text.charCodeAt(at) === QUOTE && content.includes('\\');
    if (escaped && (isReported(role) || !hasKnownEscapes(content))) return false;
    while (this.#end < close) {
      if (isReported(role)) return false;
      this.#start = this.#end + 1;
      this.#end = this.#endOfLine(this.#start);
      const text = this.#skipSpaces(this.#start);
      if (text < this.#end && text - this.#start <= indent) return false;
    }
    if (!this.#isEndOrComment(this.#skipSpaces(close + 1))) return false;
    if (isReported(role) && content.includes("'")) return false;
    return this.#report(role, content);
  }

  /** Returns the offset of the closing quote, on any later line, or -1 if there is none. */
  #closingQuote(open: number): number {
    const text = this.#text;
    const single = text.charCodeAt(open) === APOSTROPHE;
    for (let at = open + 1; ; at++) {
      at = text.indexOf(single ? "'" : '"', at);
      if (at < 0) return -1;
      if (single) {
        if (text.charCodeAt(at + 1) !== APOSTROPHE) return at;
        at++;
      } else if (this.#backslashesBefore(at) % 2 === 0) return at;
    }
  }

  #backslashesBefore(at: number): number {
    let count = 0;
    while (this.#text[at - 1 - count] === '\\') count++;
    return count;
  }

  /** Skips a block scalar. Its last line becomes the current line. */
  #blockScalar(indent: number): boolean {
    let content = -1;
    let leadingBlank = 0;
    for (let start = this.#end + 1; start < this.#text.length; start = this.#end + 1) {
      const end = this.#endOfLine(start);
      let at = start;
      while (at < end && this.#text.charCodeAt(at) === SPACE) at++;
      const depth = at - start;
      if (at === end) {
        if (content < 0) leadingBlank = Math.max(leadingBlank, depth);
      } else if (content < 0 && depth > indent) {
        if (leadingBlank > depth) return false;
        content = depth;
      } else if (depth < content || content < 0) {
        return depth <= indent;
      }
      this.#start = start;
      this.#end = end;
    }
    return true;
  }

  #report(role: KeyRole, value: ScannedScalar): boolean {
    this.#scalarReported = isReported(role);
    return !isReported(role) || this.#visitor.scalar(role, value);
  }

  /** Whether the line continues a plain scalar, whose later lines may begin with any character. */
  #continuesPlainText(at: number): boolean {
    return this.#commentIn(at, this.#end) < 0 && this.#hasNoKey(at, this.#end);
  }

  #hasNoKey(from: number, to: number): boolean {
    if (this.#colonIn(from, to) >= 0) return false;
    const end = this.#beforeSpaces(from, to);
    return end === from || this.#text.charCodeAt(end - 1) !== COLON;
  }

  /** Returns the offset of the first colon before a space, or -1. */
  #colonIn(from: number, to: number): number {
    for (let at = this.#colons.from(from); at + 1 < to; at = this.#colons.from(at + 1)) {
      if (this.#text.charCodeAt(at + 1) === SPACE) return at;
    }
    return -1;
  }

  /** Returns the offset of the space before the first comment after `from`, or -1. */
  #commentIn(from: number, to: number): number {
    for (let at = this.#hashes.from(from + 1); at < to; at = this.#hashes.from(at + 1)) {
      if (this.#text.charCodeAt(at - 1) === SPACE) return at - 1;
    }
    return -1;
  }

  /** Returns the start of the spaces before `to`. YAML keeps some other white space. */
  #beforeSpaces(from: number, to: number): number {
    let end = to;
    while (end > from && this.#text.charCodeAt(end - 1) === SPACE) end--;
    return end;
  }

  #textFollows(at: number): boolean {
    return at + 1 < this.#end && this.#text.charCodeAt(at + 1) !== SPACE;
  }

  #isDash(at: number): boolean {
    return this.#text.charCodeAt(at) === DASH && !this.#textFollows(at);
  }

  /** Whether the line begins with `---` or `...`. */
  #isMarker(): boolean {
    return this.#text.startsWith('---', this.#start) || this.#text.startsWith('...', this.#start);
  }

  /** Whether the line ends or a comment begins at `at`. */
  #isEndOrComment(at: number): boolean {
    if (at >= this.#end) return true;
    return this.#text.charCodeAt(at) === HASH && this.#text.charCodeAt(at - 1) === SPACE;
  }

  #skipSpaces(from: number): number {
    let at = from;
    while (at < this.#end && this.#text.charCodeAt(at) === SPACE) at++;
    return at;
  }

  #endOfLine(from: number): number {
    const newline = this.#text.indexOf('\n', from);
    return newline < 0 ? this.#text.length : newline;
  }
}

/** Finds a character at or after increasing offsets. Searches the text once. */
class Occurrences {
  readonly #text: string;
  readonly #searched: string;
  #from = 0;
  #found = -1;

  constructor(text: string, sought: string) {
    this.#text = text;
    this.#searched = sought;
  }

  /** Returns the first offset from `at` on, or the length of the text if there is none. */
  from(at: number): number {
    if (at < this.#from || at > this.#found) {
      const found = this.#text.indexOf(this.#searched, at);
      this.#found = found < 0 ? this.#text.length : found;
      this.#from = at;
    }
    return this.#found;
  }
}

/** Returns a table of ASCII codes with 1 for these characters. */
function flagTable(characters: string): Uint8Array {
  const flags = new Uint8Array(128);
  for (const code of Buffer.from(characters)) flags[code] = 1;
  return flags;
}

function isReported(role: KeyRole): boolean {
  return role !== IGNORED && role !== TEXT;
}

function hasKnownEscapes(content: string): boolean {
  for (let at = content.indexOf('\\'); at >= 0; at = content.indexOf('\\', ESCAPE.lastIndex)) {
    ESCAPE.lastIndex = at;
    if (!ESCAPE.test(content)) return false;
  }
  return true;
}
