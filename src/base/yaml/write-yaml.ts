import { containsBuildLogCommand, unicodeEscape } from '../escape.js';
import type { JsonValue } from '../json.js';

/** JSON whose members may be undefined. Such members are left out. */
export type Writable =
  | null
  | boolean
  | number
  | string
  | readonly Writable[]
  | { readonly [key: string]: Writable | undefined };

/**
 * Writes one YAML document in block style, with keys in the given order and a newline at the end.
 * The bytes depend only on the value, and readers of YAML 1.1 (such as kubectl) and 1.2 read the
 * same value.
 */
export function writeYaml(value: Writable): string {
  return `${block(value, '').replace(/^\n/, '')}\n`;
}

/** Writes a stream of documents, each after its `---`. */
export function writeYamlStream(documents: readonly JsonValue[]): string {
  return documents.map((document) => `---\n${writeYaml(document)}`).join('');
}

/** Returns a scalar, or the lines of a collection, which begin with a line break. */
function block(value: Writable, indent: string): string {
  if (Array.isArray(value)) return sequence(value as readonly Writable[], indent);
  if (value !== null && typeof value === 'object') {
    return mapText(value as { readonly [key: string]: Writable | undefined }, indent);
  }
  return scalar(value);
}

function sequence(items: readonly Writable[], indent: string): string {
  const inner = `${indent}  `;
  return items.map((item) => `\n${indent}- ${block(item, inner).trimStart()}`).join('') || '[]';
}

function mapText(value: { readonly [key: string]: Writable | undefined }, indent: string): string {
  const members = Object.entries(value).map(([key, member]) => {
    if (member === undefined) return '';
    const text = block(member, `${indent}  `);
    return `\n${indent}${stringText(key)}:${text.startsWith('\n') ? '' : ' '}${text}`;
  });
  return members.join('') || '{}';
}

function scalar(value: null | boolean | number | string): string {
  if (typeof value === 'string') return stringText(value);
  if (typeof value === 'number') return number(value);
  return String(value);
}

/** YAML 1.1 accepts an exponent only after a decimal point. */
function number(value: number): string {
  if (Object.is(value, -0)) return '-0.0';
  const [mantissa, exponent] = String(value).split('e');
  if (exponent === undefined) return mantissa!;
  return `${mantissa!.includes('.') ? mantissa : `${mantissa}.0`}e${exponent}`;
}

const PLAIN = /^[A-Za-z](?:[A-Za-z0-9_./@+:-]*[A-Za-z0-9_/@+-])?$/;
/** Words that some readers take for a boolean or null. */
const RESERVED = /^(?:y|n|yes|no|on|off|true|false|null)$/i;
/** Characters that JSON leaves as they are and that YAML or readers may misinterpret. */
const UNPRINTABLE =
  /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/g;

function stringText(text: string): string {
  // In quotes, a character of a build log command can be escaped without changing the value.
  if (PLAIN.test(text) && !RESERVED.test(text) && !containsBuildLogCommand(text)) return text;
  return doubleQuoted(text);
}

/** Returns a string in double quotes, which JSON, YAML 1.1 and YAML 1.2 read alike. */
export function doubleQuoted(text: string): string {
  return JSON.stringify(text).replace(UNPRINTABLE, unicodeEscape);
}

/** The first line of every file of this tool. Such a file is ignored as an input. */
export const WRITTEN_MARK = '# Written by xpkg-resolve';

/** Whether a file begins with the mark. `bytes` are its first bytes or all of them. */
export function hasWrittenMark(bytes: Buffer): boolean {
  return bytes.toString('utf8', 0, WRITTEN_MARK.length) === WRITTEN_MARK;
}

/** Number of bytes that `hasWrittenMark` needs. */
export const MARK_BYTES = WRITTEN_MARK.length;
