import { isAscii, isUtf8 } from 'node:buffer';
import type { StreamProblem } from '../model/package-contents.js';
import { DOCUMENT_LIMITS } from './document-limits.js';

/** Crossplane reads this much of a package.yaml and drops the rest in silence. */
const MAX_PACKAGE_YAML_BYTES = 200 * 2 ** 20;

export interface RawDocument {
  /** Lines end in `\n`; a separator that opened the stream is still there. */
  readonly text: string;
  /** Of its first line, 1-based. */
  readonly line: number;
}

const NEWLINE = 10;
const SEPARATOR = '---';
/** White space to Go, which is not all that is to JavaScript, and the other way round. */
const BLANK = String.raw`[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]`;
const LEADING_BLANKS = new RegExp(`^${BLANK}+`);
const BLANKS_AROUND = new RegExp(`(?<!${BLANK})${BLANK}+$|^${BLANK}+`, 'g');

/**
 * Cuts a stream where apimachinery's YAMLReader does: at lines that begin with `---`, and nowhere
 * else. Such a line must be blank or a comment after that; anything else ends the stream with a
 * problem. So does a stream over `maxBytes`, a document over its limit, or one that is not UTF-8.
 */
export async function* splitDocuments(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number = MAX_PACKAGE_YAML_BYTES,
): AsyncGenerator<RawDocument | { readonly problem: StreamProblem }> {
  const cutter = new DocumentCutter();
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > maxBytes) {
      const mib = Math.floor(maxBytes / 2 ** 20);
      const message = `package.yaml is larger than ${mib} MiB; Crossplane reads no further and sees a broken document there; split the package`;
      yield { problem: { message } };
      return;
    }
    yield* cutter.push(chunk);
    if (cutter.aborted) return;
  }
  yield* cutter.end();
}

/** Holds what has come in of the document at hand. */
class DocumentCutter {
  aborted = false;
  #unfinishedLine: Uint8Array[] = [];
  #parts: Uint8Array[] = [];
  /** Bytes of both. */
  #held = 0;
  #line = 1;

  *push(chunk: Uint8Array): Generator<RawDocument | { problem: StreamProblem }> {
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      const lines = joined([...this.#unfinishedLine, chunk.subarray(0, end)]);
      this.#held -= lengthOf(this.#unfinishedLine);
      this.#unfinishedLine = [];
      yield* this.#cut(lines);
    }
    if (this.aborted || end === chunk.length) return;
    this.#unfinishedLine.push(chunk.subarray(end));
    this.#held += chunk.length - end;
    if (this.#isTooLarge()) yield this.#tooLarge();
  }

  *end(): Generator<RawDocument | { problem: StreamProblem }> {
    if (this.#unfinishedLine.length > 0) {
      yield* this.#cut(Buffer.concat([...this.#unfinishedLine, Buffer.from('\n')]));
    }
    if (!this.aborted && this.#parts.length > 0) yield this.#take();
  }

  /** `lines` are whole lines. */
  *#cut(lines: Buffer): Generator<RawDocument | { problem: StreamProblem }> {
    let from = 0;
    for (let at = separatorFrom(lines, 0); at >= 0; at = separatorFrom(lines, from)) {
      const eol = lines.indexOf(NEWLINE, at);
      const rest = lines.toString('utf8', at + SEPARATOR.length, eol).replace(BLANKS_AROUND, '');
      if (at > from) this.#hold(lines.subarray(from, at));
      if (this.#isTooLarge()) {
        yield this.#tooLarge();
        return;
      }
      if (rest !== '' && !rest.startsWith('#')) {
        yield this.#abort(rest);
        return;
      }
      if (this.#parts.length > 0) {
        yield this.#take();
        if (this.aborted) return;
        this.#line++;
      } else {
        this.#hold(lines.subarray(at, eol + 1));
      }
      from = eol + 1;
    }
    if (from < lines.length) this.#hold(lines.subarray(from));
    if (this.#isTooLarge()) yield this.#tooLarge();
  }

  #hold(part: Uint8Array): void {
    this.#parts.push(part);
    this.#held += part.length;
  }

  #isTooLarge(): boolean {
    return this.#held > DOCUMENT_LIMITS.documentBytes;
  }

  #tooLarge(): { problem: StreamProblem } {
    this.aborted = true;
    const mib = DOCUMENT_LIMITS.documentBytes >> 20;
    const message = `the document is larger than ${mib} MiB, more than any API server takes; split it`;
    return { problem: { message, line: this.#line } };
  }

  #take(): RawDocument | { problem: StreamProblem } {
    const line = this.#line;
    const bytes = joined(this.#parts);
    this.#parts = [];
    this.#held = 0;
    this.#line += newlinesIn(bytes);
    const isPlain = isAscii(bytes);
    if (!isPlain && !isUtf8(bytes)) {
      this.aborted = true;
      return { problem: { message: 'the document is not UTF-8 text', line } };
    }
    // What is ASCII is the same in both, and read as Latin-1 in half the time.
    const text = bytes.toString(isPlain ? 'latin1' : 'utf8');
    return { text: text.includes('\r') ? text.replaceAll('\r\n', '\n') : text, line };
  }

  #abort(rest: string): { problem: StreamProblem } {
    this.aborted = true;
    const line = this.#line + newlinesIn(joined(this.#parts));
    const message = `\`---\` is followed by \`${rest.slice(0, 40)}\` (Crossplane: invalid Yaml document separator: ${rest.slice(0, 40)}); put the document on the next line`;
    return { problem: { message, line } };
  }
}

/** Copies only where it must: a stream may come as one part of a hundred megabytes. */
function joined(parts: readonly Uint8Array[]): Buffer {
  const [first] = parts;
  if (parts.length !== 1 || first === undefined) return Buffer.concat(parts);
  return Buffer.from(first.buffer, first.byteOffset, first.byteLength);
}

/** Start of the first line from `from` on, itself the start of a line, that begins with `---`. */
function separatorFrom(lines: Buffer, from: number): number {
  if (lines.length >= from + 3 && lines.toString('latin1', from, from + 3) === SEPARATOR)
    return from;
  const before = lines.indexOf(`\n${SEPARATOR}`, Math.max(from - 1, 0), 'latin1');
  return before < 0 ? -1 : before + 1;
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

function newlinesIn(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++;
  return count;
}

/** Crossplane skips such documents. White space after `---` or `...` makes one that it does not. */
export function isEmptyDocument(text: string): boolean {
  for (let from = 0; from < text.length;) {
    const newline = text.indexOf('\n', from);
    const eol = newline < 0 ? text.length : newline;
    const line = text.slice(from, eol).replace(LEADING_BLANKS, '');
    if (line !== '' && line !== SEPARATOR && line !== '...' && !line.startsWith('#')) return false;
    from = eol + 1;
  }
  return true;
}
