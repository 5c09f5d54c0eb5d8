import { printable } from '../printable.js';

/**
 * Untrusted text as code in Markdown: in it nothing is a link, a mention, a heading or HTML. A pipe
 * would end a cell of a table, and is escaped there alone.
 */
export function codeSpan(text: string, { inTable = false } = {}): string {
  const shown = printable(text).replaceAll('`', "'").trim();
  return `\`${(inTable ? shown.replaceAll('|', '\\|') : shown) || ' '}\``;
}

/** Untrusted lines as a block of code, which no run of backticks in them ends. */
export function codeBlock(text: string, indent = ''): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  const lines = text.split('\n').map((line) => printable(line, Infinity));
  return [`${fence}text`, ...lines, fence].map((line) => `${indent}${line}`).join('\n');
}
