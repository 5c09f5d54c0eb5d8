import { isAscii, isUtf8 } from 'node:buffer';
import type { StreamProblem } from '../packages/package-contents.js';

/** Crossplane reads this much of a package.yaml and silently drops the rest. */
const MAX_PACKAGE_YAML_BYTES = 200 * 2 ** 20;

export interface DocumentText {
  /** Lines end in `\n`. Includes a separator at the start of the stream. */
  readonly text: string;
  /** Line of its start in package.yaml. */
  readonly line: number;
}

type SplitResult = DocumentText | { readonly problem: StreamProblem };

const NEWLINE = 10;
const SEPARATOR = '---';
/** White space as Go defines it; JavaScript has other characters. */
const BLANK = String.raw`[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]`;
const LEADING_BLANKS = new RegExp(`^${BLANK}+`);
const BLANKS_AROUND = new RegExp(`(?<!${BLANK})${BLANK}+$|^${BLANK}+`, 'g');

/**
 * Splits a stream as apimachinery's YAMLReader does: only at lines that begin with `---`. The rest
 * of such a line must be blank or a comment. Anything else ends the stream with a problem, and so
 * does a stream over `maxBytes`, a document over its limit, or one that is not UTF-8.
 */
export async function* splitDocuments(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number = MAX_PACKAGE_YAML_BYTES,
): AsyncGenerator<SplitResult> {
  const cutter = new DocumentSplitter();
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

/** Collects the bytes of the current document. */
class DocumentSplitter {
  aborted = false;
  #unfinishedLine: Uint8Array[] = [];
  #parts: Uint8Array[] = [];
  #size = 0;
  #line = 1;

  *push(chunk: Uint8Array): Generator<SplitResult> {
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      const lines = joinChunks([...this.#unfinishedLine, chunk.subarray(0, end)]);
      for (const part of this.#unfinishedLine) this.#size -= part.length;
      this.#unfinishedLine = [];
      yield* this.#split(lines);
    }
    if (this.aborted || end === chunk.length) return;
    this.#unfinishedLine.push(chunk.subarray(end));
    this.#size += chunk.length - end;
    if (this.#isTooLarge()) yield this.#tooLarge();
  }

  *end(): Generator<SplitResult> {
    if (this.#unfinishedLine.length > 0) {
      yield* this.#split(Buffer.concat([...this.#unfinishedLine, Buffer.from('\n')]));
    }
    if (!this.aborted && this.#parts.length > 0) yield this.#take();
  }

  *#split(lines: Buffer): Generator<SplitResult> {
    let from = 0;
    for (let at = separatorFrom(lines, 0); at >= 0; at = separatorFrom(lines, from)) {
      const eol = lines.indexOf(NEWLINE, at);
      const rest = lines.toString('utf8', at + SEPARATOR.length, eol).replace(BLANKS_AROUND, '');
      if (at > from) this.#append(lines.subarray(from, at));
      if (this.#isTooLarge()) {
        yield this.#tooLarge();
        return;
      }
      if (rest !== '' && !rest.startsWith('#')) {
        yield this.#badSeparator(rest);
        return;
      }
      if (this.#parts.length > 0) {
        yield this.#take();
        if (this.aborted) return;
        this.#line++;
      } else {
        this.#append(lines.subarray(at, eol + 1));
      }
      from = eol + 1;
    }
    if (from < lines.length) this.#append(lines.subarray(from));
    if (this.#isTooLarge()) yield this.#tooLarge();
  }

  #append(part: Uint8Array): void {
    this.#parts.push(part);
    this.#size += part.length;
  }

  #isTooLarge(): boolean {
    return this.#size > DOCUMENT_LIMITS.documentBytes;
  }

  #abort(message: string, line: number): { readonly problem: StreamProblem } {
    this.aborted = true;
    return { problem: { message, line } };
  }

  #tooLarge() {
    const mib = DOCUMENT_LIMITS.documentBytes >> 20;
    const message = `the document is larger than ${mib} MiB, more than any API server takes; split it`;
    return this.#abort(message, this.#line);
  }

  #take(): SplitResult {
    const line = this.#line;
    const bytes = joinChunks(this.#parts);
    this.#parts = [];
    this.#size = 0;
    this.#line += countNewlines(bytes);
    const isPlain = isAscii(bytes);
    if (!isPlain && !isUtf8(bytes)) return this.#abort('the document is not UTF-8 text', line);
    // ASCII text is the same in Latin-1, which decodes in half the time.
    const text = bytes.toString(isPlain ? 'latin1' : 'utf8');
    return { text: text.includes('\r') ? text.replaceAll('\r\n', '\n') : text, line };
  }

  #badSeparator(rest: string) {
    const line = this.#line + countNewlines(joinChunks(this.#parts));
    const message = `\`---\` is followed by \`${rest.slice(0, 40)}\` (Crossplane: invalid Yaml document separator: ${rest.slice(0, 40)}); put the document on the next line`;
    return this.#abort(message, line);
  }
}

/** Joins chunks. Does not copy a single chunk, which may have a hundred megabytes. */
function joinChunks(parts: readonly Uint8Array[]): Buffer {
  const [first] = parts;
  if (parts.length !== 1 || first === undefined) return Buffer.concat(parts);
  return Buffer.from(first.buffer, first.byteOffset, first.byteLength);
}

/** Returns the start of the first line that begins with `---`, or -1. */
function separatorFrom(lines: Buffer, from: number): number {
  if (lines.length >= from + 3 && lines.toString('latin1', from, from + 3) === SEPARATOR)
    return from;
  const before = lines.indexOf(`\n${SEPARATOR}`, Math.max(from - 1, 0), 'latin1');
  return before < 0 ? -1 : before + 1;
}

function countNewlines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++;
  return count;
}

/** Whether Crossplane skips a document. White space after `---` makes it not empty. */
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

const MIB = 1024 * 1024;

/** Limits. Input that exceeds one is refused, never cut off. */
export const DOCUMENT_LIMITS = {
  /** Documents of a package. A revision lists all objects, and its size is limited. */
  documents: 50_000,
  /** Size of a document. API servers accept less than half of this. */
  documentBytes: 8 * MIB,
  /** Characters that can begin a node, in parsed documents. A node takes 200 bytes. */
  documentMarks: 250_000,
  /** Estimated size of the content of a package, in characters. */
  contentChars: 8 * MIB,
  /** Size of a file of a `.registry/` package. Annotations have the same limit. */
  registryFileBytes: 256 * 1024,
  /** Reported problems, and warnings, of one package. */
  problems: 1_000,
} as const;

/** Table of the characters that precede nodes. Every node other than the root has one before it. */
const MARKS = new Uint8Array(128);
for (const mark of Buffer.from('-:,[{?\n')) MARKS[mark] = 1;

/** Returns why a document is too large to parse, or undefined if it is not. */
export function sizeProblem(text: string): string | undefined {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < MARKS.length && MARKS[code] === 1) count++;
  }
  if (count <= DOCUMENT_LIMITS.documentMarks) return undefined;
  return `the document has more than ${DOCUMENT_LIMITS.documentMarks} parts, more than any API server takes; split it`;
}
