import * as fc from 'fast-check';
import { isList, type JsonObject, type JsonValue } from '../../text/json.js';

/** Which way to write something is taken at each choice, in order; the list is used over and over. */
type Spelling = readonly number[];

/** Ways are numbered from 0, and `pick` has at most so many more. */
const LAST_WAY = 11;

/** Ways to write YAML; shrinks to how tools write it. */
export function spelling(): fc.Arbitrary<Spelling> {
  return fc.array(fc.nat({ max: LAST_WAY }), { minLength: 1, maxLength: 40, size: 'max' });
}

const AS_TOOLS_DO: Spelling = [0];

/** Documents as one stream that reads the same however it is spelled. */
export function spelledStream(
  documents: readonly JsonObject[],
  ways: Spelling = AS_TOOLS_DO,
): string {
  const writer = new Writer(ways);
  const opening = writer.pick('', '---\n', '# Code generated. DO NOT EDIT.\n---\n');
  const written = documents.map((document) => writer.document(document));
  const between = () => writer.pick('---\n', '---  \n', '---\n# ----\n---\n', '---\n\n');
  const stream = written.reduce((text, document) => `${text}${between()}${document}`);
  return `${opening}${stream}${writer.pick('', '---\n', '\n\n')}`;
}

/** Plain where no reader of YAML 1.1 or 1.2 could take it for anything but this text. */
const PLAIN = /^[A-Za-z][A-Za-z0-9]*(?:[./-][A-Za-z0-9]+)*$/;
const NOT_TEXT = /^(?:y|n|yes|no|on|off|true|false|null|nan|inf)$/i;

class Writer {
  readonly #ways: Spelling;
  #taken = 0;

  constructor(ways: Spelling) {
    this.#ways = ways;
  }

  /** One of the choices, which the next way decides: the first most often, the last least. */
  pick<T>(...choices: readonly [T, ...T[]]): T {
    const way = this.#ways[this.#taken++ % this.#ways.length]!;
    return choices[Math.max(0, way - (LAST_WAY + 1 - choices.length))] ?? choices[0];
  }

  document(document: JsonObject): string {
    const form = this.pick('block', 'json', 'flow');
    if (form === 'json') return `${JSON.stringify(document, undefined, 2)}\n`;
    if (form === 'flow') return `${this.#flow(document, '')}\n`;
    return this.#block(document, '', this.pick('  ', ' ', '    '));
  }

  /** Lines, each with its end. */
  #block(value: JsonValue, indent: string, step: string): string {
    if (isList(value)) return value.map((item) => this.#item(item, indent, step)).join('');
    return Object.entries(value as JsonObject)
      .map(([key, member]) => {
        const comment = this.pick('', `${indent}# as generated\n`, '\n');
        return `${comment}${indent}${this.#scalar(key)}:${this.#member(member, indent, step)}`;
      })
      .join('');
  }

  #member(value: JsonValue, indent: string, step: string): string {
    if (!isCollection(value)) return ` ${this.#text(value, `${indent}${step}`)}\n`;
    if (isEmpty(value) || this.pick('block', 'flow') === 'flow')
      return ` ${this.#flow(value, indent)}\n`;
    const deeper = isList(value) ? this.pick('', step) : step;
    return `${this.pick('', ' # below')}\n${this.#block(value, `${indent}${deeper}`, step)}`;
  }

  #item(value: JsonValue, indent: string, step: string): string {
    if (!isCollection(value)) return `${indent}- ${this.#scalar(value)}\n`;
    if (isEmpty(value) || isList(value)) return `${indent}- ${this.#flow(value, indent)}\n`;
    const block = this.#block(value, `${indent}  `, step);
    return block.trimStart().startsWith('#') || block.startsWith('\n')
      ? `${indent}-\n${block}`
      : `${indent}- ${block.slice(indent.length + 2)}`;
  }

  /** A scalar at the end of a line; lines that follow it are indented. */
  #text(value: JsonValue, indent: string): string {
    const lines = typeof value === 'string' ? value.split('\n') : [];
    const literal = lines.length > 1 && !lines[0]!.startsWith(' ') && lines.at(-1) !== '';
    if (literal && this.pick('literal', 'quoted') === 'literal')
      return `|-\n${lines.map((line) => `${indent}${line}`).join('\n')}`;
    return `${this.#scalar(value)}${this.pick('', ' # here')}`;
  }

  #scalar(value: JsonValue): string {
    if (typeof value !== 'string') return JSON.stringify(value);
    const single = `'${value.replaceAll("'", "''")}'`;
    if (value.includes('\n')) return JSON.stringify(value);
    if (!PLAIN.test(value) || NOT_TEXT.test(value)) return this.pick(JSON.stringify(value), single);
    return this.pick(value, JSON.stringify(value), single);
  }

  #flow(value: JsonValue, indent: string): string {
    if (!isCollection(value)) return JSON.stringify(value);
    const gap = this.pick(' ', `\n${indent}  `);
    if (isList(value)) return `[${value.map((item) => this.#flow(item, indent)).join(`,${gap}`)}]`;
    const members = Object.entries(value).map(
      ([key, member]) => `${JSON.stringify(key)}: ${this.#flow(member, indent)}`,
    );
    return `{${members.join(`,${gap}`)}}`;
  }
}

function isCollection(value: JsonValue): value is JsonObject | readonly JsonValue[] {
  return typeof value === 'object' && value !== null;
}

function isEmpty(value: JsonObject | readonly JsonValue[]): boolean {
  return Object.keys(value).length === 0;
}
