import {
  COLLECTION_STYLE,
  EVENT_ID,
  SCALAR_STYLE,
  type AliasEvent,
  type Event,
  type MappingEvent,
  type ScalarEvent,
  type SequenceEvent,
} from 'js-yaml';
import { offsetOf, type NodeEvent } from './node-event.js';
import { Unreadable } from './unreadable.js';

/** What is not to be found in a text, and what to do about it. */
interface Rule {
  readonly pattern: RegExp;
  readonly what: string;
  readonly remedy: string;
}

const ESCAPE_IT = 'write it as an escape, in double quotes';

/** Go refuses most of them, and takes U+0085 and a lone carriage return for line breaks. */
const CHARACTERS: readonly Rule[] = [
  {
    // eslint-disable-next-line no-control-regex -- control characters are what it looks for
    pattern: /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffe\uffff]/,
    what: 'a control character',
    remedy: ESCAPE_IT,
  },
  { pattern: /(?<=[^])\ufeff/, what: 'a byte order mark inside the text', remedy: 'remove it' },
];

const TAB: Rule = { pattern: /\t/, what: 'a tab outside of quotes', remedy: 'use spaces' };
/** A line break in YAML 1.1 and in Go, any other character in YAML 1.2. */
const LINE_SEPARATOR: Rule = {
  pattern: /[\u2028\u2029]/,
  what: 'the line separator U+2028 or U+2029',
  remedy: ESCAPE_IT,
};
/** Not as Go writes it, with text before it and behind it the indentation of a new line. */
const LONE_LINE_SEPARATOR: Rule = {
  ...LINE_SEPARATOR,
  pattern: /(?<![^ \t\n])[\u2028\u2029]|[\u2028\u2029](?![\u2028\u2029]| +\S)/,
};

const PLAIN: readonly Rule[] = [TAB, LINE_SEPARATOR];
const PLAIN_IN_FLOW: readonly Rule[] = [
  { pattern: /\?|^:/, what: 'a `?` or `:` in text between brackets', remedy: 'put it in quotes' },
];
const SINGLE_QUOTED: readonly Rule[] = [LONE_LINE_SEPARATOR];
const DOUBLE_QUOTED: readonly Rule[] = [
  LINE_SEPARATOR,
  {
    pattern:
      /(?<!\\)(?:\\\\)*\\(?:\/|u[dD][89a-fA-F]|U0000[dD][89a-fA-F]|U(?!000|0010)|U001[1-9a-fA-F])/,
    what: 'an escape (`\\/`, or half of a surrogate pair)',
    remedy: 'write the character itself',
  },
  {
    pattern: /(?<!\\)(?:\\\\)*\\\n[ \t]*\n/,
    what: 'a blank line after a line that ends in `\\`',
    remedy: 'use `\\n`',
  },
];
/** Where its first line says how deep a block scalar is indented. */
const BLOCK_START: Rule = {
  pattern: /^(?: *\n)* *\t/,
  what: 'a tab in an indentation',
  remedy: 'use spaces',
};

/** Of what stands between two values, anything but punctuation that all libraries agree on. */
const SUSPECT = /[^:,[\]{} \n-]|-(?![ \n])/;
const BETWEEN: readonly Rule[] = [
  TAB,
  LINE_SEPARATOR,
  {
    pattern: /[^:,?[\]{} \n-]|[-?](?![ \n])/,
    what: 'what stands between two values',
    remedy: 'put each on a line of its own',
  },
];
/** Not as Go writes long keys: `? key`, and the colon at the start of the next line. */
const MARK: Rule = { pattern: /\?/, what: 'a key after `?`', remedy: 'leave the `?` out' };
const BEFORE_KEY: Rule = { ...MARK, pattern: /\?(?! $)/ };
const AFTER_MARKED_KEY: Rule = { ...MARK, pattern: /^(?! *\n *:[ \n])/ };
const AFTER_KEY: Rule = {
  pattern: /^[^:\n]*\n[^:]*:/,
  what: 'a key with its colon on another line',
  remedy: 'put them on one line',
};
const AFTER_PLAIN_IN_FLOW: Rule = {
  pattern: /^:(?![ \n])/,
  what: 'a colon without a space behind it, between brackets',
  remedy: 'put a space there, or the text in quotes',
};

const COMMENT = /(?<![^ \n])#[^\n]*/g;
const BLOCK_HEADER = /[|>](?:[1-9]?[-+]?|[-+][1-9]) *\n$/;
const DOCUMENT_START = /^\ufeff?(?:---(?=[ \n]|$))?/;
const LINE_OF_ITS_OWN = /^\ufeff? *(?:[-:] +)*(?:\? )?["']?$/;
const ANCHOR_NAME = /^[\w-]+$/;
const AFTER_ANCHOR = /[ \n,\]}]/;
const TAG = '!!str';
/** Go's limit is 1024 characters. */
const MAX_KEY_CHARS = 1000;

/** Throws `Unreadable` at a character that YAML libraries do not agree on. */
export function checkCharacters(text: string): void {
  apply(CHARACTERS, text, 0);
}

/**
 * Throws `Unreadable` where a document is written in a way that YAML libraries read differently.
 *
 * Crossplane reads packages with a library for YAML 1.1, and `events` are what one for YAML 1.2
 * read. Tools that write packages write nothing that the two disagree on.
 */
export function checkSpelling(source: string, events: readonly Event[]): void {
  const spelling = new Spelling(source);
  for (const event of events) spelling.event(event);
  spelling.end();
}

interface Frame {
  readonly mapping: boolean;
  readonly flow: boolean;
  /** Of a mapping: a key is next. */
  atKey: boolean;
}

class Spelling {
  readonly #source: string;
  readonly #frames: Frame[] = [];
  /** Where the last token ends, and what holds for what stands between it and the next. */
  #at: number;
  #after: readonly Rule[] = [];
  /** The next token is a key of a block mapping; the last one was such a key, after `?`. */
  #atKey = false;
  #marked = false;

  constructor(source: string) {
    this.#source = source;
    this.#at = DOCUMENT_START.exec(source)![0].length;
  }

  event(event: Event): void {
    if (event.type === EVENT_ID.DOCUMENT) return;
    if (event.type === EVENT_ID.POP) this.#frames.pop();
    else this.#node(event);
  }

  end(): void {
    this.#between(this.#source.length);
  }

  #node(event: NodeEvent): void {
    const frame = this.#frames.at(-1);
    const isKey = frame?.mapping === true && frame.atKey;
    if (frame !== undefined) frame.atKey = !frame.atKey;
    this.#atKey = isKey && !frame.flow;
    if (event.type === EVENT_ID.ALIAS) {
      this.#token(event.anchorStart - 1, event.anchorEnd);
      this.#anchorName(event);
    } else {
      this.#properties(event);
      if (event.type === EVENT_ID.SCALAR) this.#scalar(event);
      else this.#collection(event);
    }
    if (isKey) this.#key(event);
  }

  #collection(event: MappingEvent | SequenceEvent): void {
    const flow = event.style === COLLECTION_STYLE.FLOW;
    if (flow) this.#token(event.start, event.start + 1);
    this.#frames.push({ mapping: event.type === EVENT_ID.MAPPING, flow, atKey: true });
  }

  #properties(event: Exclude<NodeEvent, AliasEvent>): void {
    const { anchorStart, anchorEnd, tagStart, tagEnd } = event;
    if (tagStart < 0 && anchorStart < 0) return;
    const anchor = () => this.#token(anchorStart - 1, anchorEnd);
    if (anchorStart >= 0 && anchorStart < tagStart) anchor();
    if (tagStart >= 0) this.#token(tagStart, tagEnd);
    if (anchorStart > tagStart) anchor();
    if (anchorStart >= 0) this.#anchorName(event);
    const tag = this.#source.slice(tagStart, tagEnd);
    if (tagStart >= 0 && (tag !== TAG || !/[ \n]/.test(this.#source[tagEnd] ?? ''))) {
      refuse(`the tag \`${tag.slice(0, 40)}\``, 'leave it out', tagStart);
    }
    if (event.type === EVENT_ID.SCALAR && event.valueStart < 0) {
      refuse('a tag or an anchor of nothing', 'leave it out', Math.max(tagStart, anchorStart));
    }
  }

  #anchorName({ anchorStart, anchorEnd }: { anchorStart: number; anchorEnd: number }): void {
    const name = this.#source.slice(anchorStart, anchorEnd);
    if (ANCHOR_NAME.test(name) && AFTER_ANCHOR.test(this.#source[anchorEnd] ?? ' ')) return;
    const what = `the anchor \`${name.slice(0, 40)}\``;
    refuse(what, 'use letters, digits, `-` and `_`, and a space behind it', anchorStart);
  }

  #scalar(scalar: ScalarEvent): void {
    const { valueStart, valueEnd, style } = scalar;
    if (valueStart < 0) return;
    const text = this.#source.slice(valueStart, valueEnd);
    if (style === SCALAR_STYLE.PLAIN) {
      this.#token(valueStart, valueEnd);
      this.#plain(text, valueStart);
    } else if (style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED) {
      this.#token(valueStart - 1, valueEnd + 1);
      const single = style === SCALAR_STYLE.SINGLE_QUOTED;
      apply(single ? SINGLE_QUOTED : DOUBLE_QUOTED, text, valueStart);
    } else {
      this.#block(scalar, text);
    }
  }

  #plain(text: string, offset: number): void {
    apply(PLAIN, text, offset);
    if (!this.#frames.at(-1)?.flow) return;
    apply(PLAIN_IN_FLOW, text, offset);
    this.#after = [AFTER_PLAIN_IN_FLOW];
  }

  #block(scalar: ScalarEvent, text: string): void {
    const { valueStart, valueEnd } = scalar;
    const before = withoutComments(this.#source.slice(this.#at, valueStart));
    const header = BLOCK_HEADER.exec(before);
    if (header === null) {
      return refuse('what stands after `|` or `>`', 'put a line break there', valueStart - 1);
    }
    this.#token(this.#at + header.index, valueEnd);
    if (!/[1-9]/.test(header[0])) apply([BLOCK_START], text, valueStart);
    if (LINE_SEPARATOR.pattern.test(text)) apply([separatorIn(scalar)], text, valueStart);
  }

  #key(event: NodeEvent): void {
    if (event.type !== EVENT_ID.SCALAR || event.tagStart >= 0 || event.anchorStart >= 0) {
      return refuse('a key that is not just text', 'write it as text', offsetOf(event));
    }
    const { valueStart, valueEnd } = event;
    if (valueStart < 0) return;
    const key = this.#source.slice(valueStart, valueEnd);
    if (key.length > MAX_KEY_CHARS) {
      refuse(`a key of over ${MAX_KEY_CHARS} characters`, 'shorten it', valueStart);
    }
    if (/[\n\u2028\u2029]/.test(key)) {
      refuse('a key of several lines', 'put it on one line', valueStart);
    }
    this.#after = [...this.#after, this.#marked ? AFTER_MARKED_KEY : AFTER_KEY];
    if (this.#frames.at(-1)!.flow) return;
    const line = this.#source.slice(this.#source.lastIndexOf('\n', valueStart) + 1, valueStart);
    if (!LINE_OF_ITS_OWN.test(line)) {
      refuse('a key behind something else', 'put it on a line of its own', valueStart);
    }
  }

  /** What stands before it is looked at as well. */
  #token(start: number, end: number): void {
    this.#between(start);
    this.#at = end;
    this.#after = [];
  }

  #between(end: number): void {
    const text = withoutComments(this.#source.slice(this.#at, end));
    apply(this.#after, text, this.#at);
    this.#marked = text.endsWith('? ');
    if (!SUSPECT.test(text)) return;
    apply(BETWEEN, text, this.#at);
    apply([this.#atKey ? BEFORE_KEY : MARK], text, this.#at);
  }
}

/** What a line separator in a block scalar may not be: not as Go writes it, into literal ones. */
function separatorIn({ style, indent }: ScalarEvent): Rule {
  if (style === SCALAR_STYLE.FOLDED_BLOCK) return LINE_SEPARATOR;
  const separator = String.raw`[\u2028\u2029]`;
  const line = String.raw`\n? {${Math.max(indent, 1)}}[^\n\u2028\u2029]`;
  const pattern = new RegExp(
    String.raw`(?<![^ \t\n])${separator}|${separator}(?!${separator}|${line})`,
  );
  return { ...LINE_SEPARATOR, pattern };
}

/** Spaces in their stead, so that offsets stay; line separators end them, and stay. */
function withoutComments(text: string): string {
  return text.includes('#')
    ? text.replaceAll(COMMENT, (comment) => comment.replaceAll(/[^\u2028\u2029]/g, ' '))
    : text;
}

function apply(rules: readonly Rule[], text: string, offset: number): void {
  for (const { pattern, what, remedy } of rules) {
    const found = pattern.exec(text);
    if (found !== null) refuse(what, remedy, offset + found.index);
  }
}

function refuse(what: string, remedy: string, offset: number): never {
  const message = `${what} is read differently by different YAML libraries; ${remedy}`;
  throw new Unreadable(message, offset);
}
