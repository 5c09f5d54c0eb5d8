import { speaksCommand } from '../build-log-commands.js';
import type { JsonValue } from '../json.js';

/** JSON, in which an absent member may be written as undefined. */
export type Writable =
  | null
  | boolean
  | number
  | string
  | readonly Writable[]
  | { readonly [key: string]: Writable | undefined };

/**
 * One YAML document, ending in a newline: block style, keys in the order given.
 *
 * The bytes depend on the value alone, in every release of this tool, and readers of YAML 1.1
 * (Go's, which kubectl uses) and of 1.2 read the same value back; no dumper promises both.
 */
export function writeYaml(value: Writable): string {
  return `${block(value, '').replace(/^\n/, '')}\n`;
}

/** Documents of one stream, each after its `---`. */
export function writeYamlStream(documents: readonly JsonValue[]): string {
  return documents.map((document) => `---\n${writeYaml(document)}`).join('');
}

/** `value` where a key stands before it: on the same line after a space, or on lines of its own. */
function block(value: Writable, indent: string): string {
  if (Array.isArray(value)) return sequence(value as readonly Writable[], indent);
  if (value !== null && typeof value === 'object') {
    return mapping(value as { readonly [key: string]: Writable | undefined }, indent);
  }
  return scalar(value);
}

function sequence(items: readonly Writable[], indent: string): string {
  if (items.length === 0) return '[]';
  const inner = `${indent}  `;
  return items.map((item) => `\n${indent}- ${block(item, inner).trimStart()}`).join('');
}

function mapping(value: { readonly [key: string]: Writable | undefined }, indent: string): string {
  const entries = Object.entries(value).filter((entry): entry is [string, Writable] => {
    return entry[1] !== undefined;
  });
  if (entries.length === 0) return '{}';
  return entries
    .map(([key, member]) => `\n${indent}${string(key)}:${after(member, indent)}`)
    .join('');
}

function after(member: Writable, indent: string): string {
  const text = block(member, `${indent}  `);
  return text.startsWith('\n') ? text : ` ${text}`;
}

function scalar(value: null | boolean | number | string): string {
  if (typeof value === 'string') return string(value);
  if (typeof value === 'number') return number(value);
  return String(value);
}

/** YAML 1.1 knows an exponent only after a decimal point. */
function number(value: number): string {
  if (Object.is(value, -0)) return '-0.0';
  const [mantissa, exponent] = String(value).split('e');
  if (exponent === undefined) return mantissa!;
  return `${mantissa!.includes('.') ? mantissa : `${mantissa}.0`}e${exponent}`;
}

const PLAIN = /^[A-Za-z](?:[A-Za-z0-9_./@+:-]*[A-Za-z0-9_/@+-])?$/;
/** Words that some reader takes for a boolean or for nothing. */
const RESERVED = /^(?:y|n|yes|no|on|off|true|false|null)$/i;
/** Beside what JSON escapes: not printable in YAML, a line break there, or a mark that reorders text. */
const UNPRINTABLE =
  /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/g;

function string(text: string): string {
  // Quoted, a character of a command can be escaped without a change of the value.
  if (PLAIN.test(text) && !RESERVED.test(text) && !speaksCommand(text)) return text;
  return doubleQuoted(text);
}

/** A string in double quotes, which JSON and both releases of YAML read alike. */
export function doubleQuoted(text: string): string {
  return JSON.stringify(text).replace(UNPRINTABLE, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
