import { InputError, SourceError } from './errors.js';
import { thousands } from './messages.js';

/**
 * Limits on the number of values in documents that users and registries supply. Reading takes up to
 * 700 bytes of memory for each value of YAML and 120 for each of JSON, however short its text is.
 */
const MAX_YAML_VALUES = 300_000;
const MAX_JSON_VALUES = 1_000_000;
/** Maximum number of lines and escape sequences. A scalar takes 100 bytes for each in it. */
const MAX_YAML_LINES = 1_000_000;
/** The texts of files stay in memory for a whole run, with copies of what they contain. */
const MAX_KEPT_CHARACTERS = 8_000_000;

/** Throws `InputError` for a YAML file with more values, or lines, than fit into memory. */
export function checkYamlSize(
  text: string,
  file: string,
  hint = 'split the file, or remove what does not belong there',
): void {
  const throwTooMany = (limit: number, what: string) =>
    new InputError(`has more than ${thousands(limit)} ${what}, the most that is read`, {
      origin: { file },
      hint,
    });
  if (countYamlValues(text) > MAX_YAML_VALUES) throw throwTooMany(MAX_YAML_VALUES, 'values');
  if (countLinesAndEscapes(text) > MAX_YAML_LINES) {
    throw throwTooMany(MAX_YAML_LINES, 'lines and escape sequences');
  }
}

/** Counts the values and the text of all YAML files of a run, which share limits. */
export class ValueTotal {
  #count = 0;
  #characters = 0;
  readonly #countedObjects = new Set<object>();

  /** Throws `InputError` if there are too many values. One with several aliases counts once. */
  add(value: unknown, file: string): void {
    this.#count += 1;
    if (this.#count > MAX_YAML_VALUES) throw totalTooLargeError(MAX_YAML_VALUES, 'values', file);
    if (value === null || typeof value !== 'object' || this.#countedObjects.has(value)) return;
    this.#countedObjects.add(value);
    for (const child of Object.values(value)) this.add(child, file);
  }

  /** Throws `InputError` if the files have too much text. */
  addText(text: string, file: string): void {
    this.#characters += text.length;
    if (this.#characters > MAX_KEPT_CHARACTERS) {
      throw totalTooLargeError(MAX_KEPT_CHARACTERS, 'characters', file);
    }
  }
}

function totalTooLargeError(limit: number, what: string, file: string): InputError {
  return new InputError(
    `has, with the files read before it, more than ${thousands(limit)} ${what}, the most that is read`,
    { origin: { file }, hint: 'resolve fewer files at once' },
  );
}

/** Throws `SourceError` for JSON from a source with more values than fit into memory. */
export function checkJsonSize(
  bytes: Uint8Array,
  shown: string,
  hint = 'publish it as an index in parts (`xpkg-resolve index push`), of which a run reads what it needs',
): void {
  if (countJsonValues(bytes) <= MAX_JSON_VALUES) return;
  const what = `has more than ${thousands(MAX_JSON_VALUES)} values, the most that is read`;
  throw new SourceError('TOO_LARGE', shown, what, { hint });
}

/**
 * Counts the characters of a YAML text that can begin a value: block indicators before white space,
 * and brackets and commas of flow style, also inside scalars. Misses a flow-style value after a
 * quoted key.
 */
function countYamlValues(text: string): number {
  let count = 1;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (
      isBracketOrComma(code) ||
      (isBlockIndicator(code) && isSpaceOrEnd(text.charCodeAt(i + 1)))
    ) {
      count++;
    }
  }
  return count;
}

/** Counts line ends, backslashes, and escaped single quotes (`''`). */
function countLinesAndEscapes(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x5c) continue;
    if (
      code === 0x0a ||
      code === 0x5c ||
      (code === 0x0d && text.charCodeAt(i + 1) !== 0x0a) ||
      (code === 0x27 && text.charCodeAt(i + 1) === 0x27)
    ) {
      count++;
    }
  }
  return count;
}

/** Returns an upper bound of the objects, lists and members of a JSON text. */
function countJsonValues(bytes: Uint8Array): number {
  let count = 1;
  for (const code of bytes) if (isBracketOrComma(code)) count++;
  return count;
}

function isBracketOrComma(code: number): boolean {
  return code === 0x2c || code === 0x5b || code === 0x7b;
}

/** `-`, `:` or `?`. */
function isBlockIndicator(code: number): boolean {
  return code === 0x2d || code === 0x3a || code === 0x3f;
}

/** NaN is the end of the text. */
function isSpaceOrEnd(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09 || Number.isNaN(code);
}

/** Returns the bytes of a stream, or undefined if there are more than `limit`. */
export async function readUpTo(
  chunks: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<Buffer | undefined> {
  const received: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > limit) return undefined;
    received.push(chunk);
  }
  return Buffer.concat(received, size);
}
