import { isUtf8 } from 'node:buffer';
import { getOrCreate } from './collections.js';
import { isDigest } from './digest.js';
import { printable } from './escape.js';

/**
 * The type of a JSON value, as a Go program declares it. `null` stands for a missing field, except
 * as a `digest` or in a list.
 */
export type JsonShape =
  | 'any'
  | 'string'
  | 'boolean'
  /** A number without fraction and exponent. */
  | 'integer'
  /** Base64, standard alphabet with padding. */
  | 'bytes'
  | 'digest'
  | readonly [JsonShape]
  /** An object with arbitrary keys. */
  | { readonly each: JsonShape }
  /** An object with known fields, and possibly others. */
  | { readonly fields: JsonFields };

type JsonFields = { readonly [name: string]: JsonShape };

type StrictJson = { readonly value: unknown } | { readonly problem: string };

const MAX_DEPTH = 100;
/** Checked before any value is created, because small values take much more memory than text. */
const MAX_VALUES = 1_000_000;

/**
 * Parses JSON that other programs read as well, so that all of them see the same values.
 *
 * Rejects what Go reads otherwise: duplicate keys, keys of a struct that differ only in case, known
 * fields of another type, invalid UTF-8, lone surrogates and anything after the document. `problem`
 * is the rest of a sentence: `has … twice`.
 */
export function readJson(json: string | Uint8Array, shape: JsonShape = 'any'): StrictJson {
  if (typeof json !== 'string' && !isUtf8(json)) return { problem: 'is not valid UTF-8' };
  const text = typeof json === 'string' ? json : UTF8.decode(json);
  try {
    new Checker(text).document(shape);
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    if (error instanceof Problem) return { problem: error.message };
    if (error instanceof SyntaxError) return { problem: NOT_JSON };
    throw error;
  }
}

const NOT_JSON = 'is not valid JSON';

/** Keeps a byte order mark, which JSON does not allow. */
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

class Problem extends Error {}

/**
 * Checks keys, types and nesting of a JSON text without creating its values. It accepts some texts
 * that are not JSON: JSON.parse, which is called next, rejects them.
 */
class Checker {
  readonly #text: string;
  #offset = 0;
  #values = 0;
  /** Keys and list positions that lead to the current value. */
  readonly #path: (string | number)[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  document(shape: JsonShape): void {
    this.#value(shape);
    if (this.#next() !== '') throw new Problem('has text after its end');
  }

  #value(shape: JsonShape): void {
    this.#values += 1;
    if (this.#values > MAX_VALUES) throw new Problem(`has more than ${MAX_VALUES} values`);
    if (this.#path.length > MAX_DEPTH) {
      throw new Problem(`is nested more than ${MAX_DEPTH} levels deep`);
    }
    const first = this.#next();
    if (first === '{') this.#object(shape);
    else if (first === '[') this.#list(shape);
    else this.#scalar(first, shape);
  }

  #object(shape: JsonShape): void {
    const fields = typeof shape === 'object' && 'fields' in shape ? shape.fields : undefined;
    const each = typeof shape === 'object' && 'each' in shape ? shape.each : undefined;
    if (fields === undefined && each === undefined && shape !== 'any') throw this.#mismatch(shape);
    const known = fields && fieldsByFoldedName(fields);
    const seen = new Set<string>();
    this.#offset += 1;
    while (this.#next() !== '}') {
      const key = this.#string();
      const folded = known === undefined ? key : fold(key);
      const field = known?.get(folded);
      if (field !== undefined && field !== key) {
        const where = this.#shown(key);
        throw new Problem(`has ${where}, which differs from \`${field}\` only in case`);
      }
      if (seen.has(folded)) throw new Problem(`has ${this.#shown(key)} twice`);
      seen.add(folded);
      this.#skip(':');
      this.#path.push(key);
      this.#value(each ?? (field === undefined ? 'any' : fields![field]!));
      this.#path.pop();
      if (this.#next() !== '}') this.#skip(',');
    }
    this.#offset += 1;
  }

  #list(shape: JsonShape): void {
    if (shape !== 'any' && !isListShape(shape)) throw this.#mismatch(shape);
    const item = shape === 'any' ? shape : shape[0];
    this.#offset += 1;
    for (let index = 0; this.#next() !== ']'; index += 1) {
      this.#path.push(index);
      if (item !== 'any' && this.#next() === 'n') throw this.#mismatch(item);
      this.#value(item);
      this.#path.pop();
      if (this.#next() !== ']') this.#skip(',');
    }
    this.#offset += 1;
  }

  #scalar(first: string, shape: JsonShape): void {
    if (first === '"') {
      const text = this.#string();
      if (!isStringOf(text, shape)) throw this.#mismatch(shape);
      return;
    }
    LITERAL.lastIndex = this.#offset;
    const [literal] = LITERAL.exec(this.#text) ?? [];
    if (literal === undefined) throw new Problem(NOT_JSON);
    this.#offset += literal.length;
    if (literal === 'null' ? shape === 'digest' : !isLiteralOf(literal, shape)) {
      throw this.#mismatch(shape);
    }
  }

  /** Reads a string, which must be next. */
  #string(): string {
    if (this.#next() !== '"') throw new Problem(NOT_JSON);
    const from = this.#offset;
    let end = from;
    let backslashes: number;
    do {
      end = this.#text.indexOf('"', end + 1);
      if (end < 0) throw new Problem(NOT_JSON);
      for (backslashes = 0; this.#text[end - 1 - backslashes] === '\\';) backslashes += 1;
    } while (backslashes % 2 === 1);
    this.#offset = end + 1;
    const quoted = this.#text.slice(from, end + 1);
    const text = quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
    if (LONE_SURROGATE.test(text)) throw new Problem('has half a character (a lone surrogate)');
    return text;
  }

  /** Returns the next character that is not white space, or an empty string at the end. */
  #next(): string {
    for (;;) {
      const character = this.#text[this.#offset] ?? '';
      if (character !== ' ' && character !== '\n' && character !== '\r' && character !== '\t') {
        return character;
      }
      this.#offset += 1;
    }
  }

  #skip(character: string): void {
    if (this.#next() !== character) throw new Problem(NOT_JSON);
    this.#offset += 1;
  }

  #mismatch(shape: JsonShape): Problem {
    if (this.#path.length === 0) return new Problem(`is not ${shapeText(shape)}`);
    return new Problem(`has ${this.#shown()}, which is not ${shapeText(shape)}`);
  }

  #shown(key?: string): string {
    const parts = key === undefined ? this.#path : [...this.#path, key];
    const path = parts.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`));
    return `\`${printable(path.join('').replace(/^\./, ''), 100)}\``;
  }
}

const LITERAL = /[-+.\w]+/y;
const LONE_SURROGATE = /\p{Surrogate}/u;

function isListShape(shape: JsonShape): shape is readonly [JsonShape] {
  return Array.isArray(shape);
}

function isStringOf(text: string, shape: JsonShape): boolean {
  if (shape === 'digest') return isDigest(text);
  if (shape === 'bytes') return isBase64(text);
  return shape === 'string' || shape === 'any';
}

function isBase64(text: string): boolean {
  const joined = text.replaceAll(/[\r\n]/g, '');
  return Buffer.from(joined, 'base64').toString('base64') === joined;
}

function isLiteralOf(literal: string, shape: JsonShape): boolean {
  if (shape === 'boolean') return literal === 'true' || literal === 'false';
  if (shape === 'integer') return /^-?\d+$/.test(literal) && Number.isSafeInteger(Number(literal));
  return shape === 'any';
}

const SHAPE_NAMES = {
  any: 'a value',
  string: 'a string',
  boolean: 'true or false',
  integer: 'an integer',
  bytes: 'base64',
  digest: 'a sha256 digest',
} as const;

function shapeText(shape: JsonShape): string {
  if (typeof shape === 'string') return SHAPE_NAMES[shape];
  return isListShape(shape) ? 'a list' : 'an object';
}

const foldedNames = new WeakMap<JsonFields, ReadonlyMap<string, string>>();

function fieldsByFoldedName(fields: JsonFields): ReadonlyMap<string, string> {
  const foldAll = () => new Map(Object.keys(fields).map((name) => [fold(name), name]));
  return getOrCreate(foldedNames, fields, foldAll);
}

/** Folds case as Go does when it looks up a field by key. The names of known fields are ASCII. */
function fold(key: string): string {
  return key
    .replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
    .replaceAll('\u017f', 's')
    .replaceAll('\u212a', 'k');
}
