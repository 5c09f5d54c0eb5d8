import { printable } from '../../text/printable.js';

/**
 * Untrusted text as code in Markdown: in it nothing is a link, a mention, a heading or HTML. A pipe
 * would end a cell of a table, and is escaped there alone.
 */
export function codeSpan(text: string, { inTable = false } = {}): string {
  const shown = printable(text).replaceAll('`', "'").trim();
  return `\`${(inTable ? shown.replaceAll('|', '\\|') : shown) || ' '}\``;
}
