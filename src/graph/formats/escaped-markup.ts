import { printable } from '../../text/printable.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Characters of a text that a package says; more is cut. */
const MAX_TEXT_LENGTH = 1000;

/** Text for an element or a quoted attribute of HTML or XML, which has no half characters either. */
export function escapedMarkup(text: string): string {
  return printable(text, MAX_TEXT_LENGTH)
    .replaceAll(/\p{Surrogate}|[\ufffe\uffff]/gu, '\ufffd')
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!);
}
