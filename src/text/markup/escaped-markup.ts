import { printable } from '../printable.js';

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
export function escapedMarkup(text: string, maxLength = MAX_TEXT_LENGTH): string {
  return printable(text, maxLength)
    .replaceAll(/\p{Surrogate}|[\ufffe\uffff]/gu, '\ufffd')
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!);
}
