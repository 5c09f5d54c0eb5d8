import {
  type AliasEvent,
  COLLECTION_STYLE,
  type Event,
  EVENT_ID,
  type MappingEvent,
  SCALAR_STYLE,
  type ScalarEvent,
  type SequenceEvent,
} from 'js-yaml';
import { type NodeEvent, offsetOf } from './positions.js';

/** A pattern that must not occur in a text, and what to do instead. */
type Rule = readonly [pattern: RegExp, problem: string, remedy: string];

const ESCAPE_IT = 'write it as an escape, in double quotes';

/** Go refuses most of these. It reads U+0085 and a lone carriage return as line breaks. */
const CHARACTERS: readonly Rule[] = [
  // eslint-disable-next-line no-control-regex -- the pattern matches control characters
  [/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffe\uffff]/, 'a control character', ESCAPE_IT],
  [/(?<=[^])\ufeff/, 'a byte order mark inside the text', 'remove it'],
];

const TAB: Rule = [/\t/, 'a tab outside of quotes', 'use spaces'];
/** U+2028 and U+2029 are line breaks in YAML 1.1 and in Go, and ordinary characters in YAML 1.2. */
const lineSeparator = (pattern: RegExp): Rule => [
  pattern,
  'the line separator U+2028 or U+2029',
  ESCAPE_IT,
];
const LINE_SEPARATOR = lineSeparator(/[\u2028\u2029]/);

const PLAIN: readonly Rule[] = [TAB, LINE_SEPARATOR];
const PLAIN_IN_FLOW: readonly Rule[] = [
  [/\?|^:/, 'a `?` or `:` in text between brackets', 'put it in quotes'],
];
const SINGLE_QUOTED: readonly Rule[] = [
  // Go did not write it: it has no text before it or no indentation after it.
  lineSeparator(/(?<![^ \t\n])[\u2028\u2029]|[\u2028\u2029](?![\u2028\u2029]| +\S)/),
];
const DOUBLE_QUOTED: readonly Rule[] = [
  LINE_SEPARATOR,
  [
    /(?<!\\)(?:\\\\)*\\(?:\/|u[dD][89a-fA-F]|U0000[dD][89a-fA-F]|U(?!000|0010)|U001[1-9a-fA-F])/,
    'an escape (`\\/`, or half of a surrogate pair)',
    'write the character itself',
  ],
  [/(?<!\\)(?:\\\\)*\\\n[ \t]*\n/, 'a blank line after a line that ends in `\\`', 'use `\\n`'],
];
/** For block scalars whose first line determines the indentation. */
const BLOCK_START: Rule = [/^(?: *\n)* *\t/, 'a tab in an indentation', 'use spaces'];

/** Matches text between two values that some library may read differently. */
const AMBIGUOUS_SEPARATOR = /[^:,[\]{} \n-]|-(?![ \n])/;
const BETWEEN: readonly Rule[] = [
  TAB,
  LINE_SEPARATOR,
  [
    /[^:,?[\]{} \n-]|[-?](?![ \n])/,
    'what stands between two values',
    'put each on a line of its own',
  ],
];
/** Go writes long keys as `? key`, with the colon on the next line. Others are refused. */
const explicitKey = (pattern: RegExp): Rule => [pattern, 'a key after `?`', 'leave the `?` out'];
const EXPLICIT_KEY = explicitKey(/\?/);
const BEFORE_KEY = explicitKey(/\?(?! $)/);
const AFTER_EXPLICIT_KEY = explicitKey(/^(?! *\n *:[ \n])/);
const AFTER_KEY: Rule = [
  /^[^:\n]*\n[^:]*:/,
  'a key with its colon on another line',
  'put them on one line',
];
const AFTER_PLAIN_IN_FLOW: Rule = [
  /^:(?![ \n])/,
  'a colon without a space behind it, between brackets',
  'put a space there, or the text in quotes',
];

const COMMENT = /(?<![^ \n])#[^\n]*/g;
const BLOCK_HEADER = /[|>](?:[1-9]?[-+]?|[-+][1-9]) *\n$/;
const DOCUMENT_START = /^\ufeff?(?:---(?=[ \n]|$))?/;
const LINE_START = /^\ufeff? *(?:[-:] +)*(?:\? )?["']?$/;
const ANCHOR_NAME = /^[\w-]+$/;
const AFTER_ANCHOR = /[ \n,\]}]/;
const TAG = '!!str';
/** Go's limit is 1024 characters. */
const MAX_KEY_CHARS = 1000;

/** Throws `GoYamlSyntaxError` for a character that YAML libraries read differently. */
export function checkCharacters(text: string): void {
  applyRules(CHARACTERS, text, 0);
}

/**
 * Throws `GoYamlSyntaxError` for syntax that YAML libraries read differently: Crossplane reads
 * packages with a library for YAML 1.1, and `events` come from one for YAML 1.2.
 */
export function checkSyntax(source: string, events: readonly Event[]): void {
  new SyntaxChecker(source).check(events);
}

interface Frame {
  readonly mapping: boolean;
  readonly flow: boolean;
  /** Whether a key is next, in a mapping. */
  atKey: boolean;
}

class SyntaxChecker {
  readonly #source: string;
  readonly #frames: Frame[] = [];
  /** End of the last token, and the rules for the text between it and the next one. */
  #at: number;
  #after: readonly Rule[] = [];
  /** Whether the next token is a key of a block mapping, and the last one a key after `?`. */
  #atKey = false;
  #isMarkedKey = false;

  constructor(source: string) {
    this.#source = source;
    this.#at = DOCUMENT_START.exec(source)![0].length;
  }

  check(events: readonly Event[]): void {
    for (const event of events) {
      if (event.type === EVENT_ID.POP) this.#frames.pop();
      else if (event.type !== EVENT_ID.DOCUMENT) this.#node(event);
    }
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
      applyRules(single ? SINGLE_QUOTED : DOUBLE_QUOTED, text, valueStart);
    } else {
      this.#block(scalar, text);
    }
  }

  #plain(text: string, offset: number): void {
    applyRules(PLAIN, text, offset);
    if (!this.#frames.at(-1)?.flow) return;
    applyRules(PLAIN_IN_FLOW, text, offset);
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
    if (!/[1-9]/.test(header[0])) applyRules([BLOCK_START], text, valueStart);
    if (/[\u2028\u2029]/.test(text)) applyRules([lineSeparatorRule(scalar)], text, valueStart);
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
    this.#after = [...this.#after, this.#isMarkedKey ? AFTER_EXPLICIT_KEY : AFTER_KEY];
    if (this.#frames.at(-1)!.flow) return;
    const line = this.#source.slice(this.#source.lastIndexOf('\n', valueStart) + 1, valueStart);
    if (!LINE_START.test(line)) {
      refuse('a key behind something else', 'put it on a line of its own', valueStart);
    }
  }

  /** Checks the text before a token and moves behind the token. */
  #token(start: number, end: number): void {
    this.#between(start);
    this.#at = end;
    this.#after = [];
  }

  #between(end: number): void {
    const text = withoutComments(this.#source.slice(this.#at, end));
    applyRules(this.#after, text, this.#at);
    this.#isMarkedKey = text.endsWith('? ');
    if (!AMBIGUOUS_SEPARATOR.test(text)) return;
    applyRules(BETWEEN, text, this.#at);
    applyRules([this.#atKey ? BEFORE_KEY : EXPLICIT_KEY], text, this.#at);
  }
}

/** Returns the rule for line separators in a block scalar. Go writes them in literal ones. */
function lineSeparatorRule({ style, indent }: ScalarEvent): Rule {
  if (style === SCALAR_STYLE.FOLDED_BLOCK) return LINE_SEPARATOR;
  const separator = String.raw`[\u2028\u2029]`;
  const line = String.raw`\n? {${Math.max(indent, 1)}}[^\n\u2028\u2029]`;
  return lineSeparator(
    new RegExp(String.raw`(?<![^ \t\n])${separator}|${separator}(?!${separator}|${line})`),
  );
}

/** Replaces comments with spaces, so that offsets stay. Keeps line separators. */
function withoutComments(text: string): string {
  return text.includes('#')
    ? text.replaceAll(COMMENT, (comment) => comment.replaceAll(/[^\u2028\u2029]/g, ' '))
    : text;
}

function applyRules(rules: readonly Rule[], text: string, offset: number): void {
  for (const [pattern, problem, remedy] of rules) {
    const found = pattern.exec(text);
    if (found !== null) refuse(problem, remedy, offset + found.index);
  }
}

function refuse(problem: string, remedy: string, offset: number): never {
  const message = `${problem} is read differently by different YAML libraries; ${remedy}`;
  throw new GoYamlSyntaxError(message, offset);
}

/** An error in a document. The message states the problem and the fix. */
export class GoYamlSyntaxError extends Error {
  /** Offset in the text of the document. */
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}
