import { wrap } from '../../text/wrap.js';

/** A term, and what it means. */
export type HelpRow = readonly [term: string, meaning: string];

/** Terms longer than this stand on a line of their own, so that meanings keep some width. */
const MAX_TERM_LENGTH = 30;

/** A heading and its rows: terms in one column, meanings wrapped in another. */
export function section(heading: string, rows: readonly HelpRow[], width: number): string[] {
  if (rows.length === 0) return [];
  const lengths = rows.map(([{ length }]) => length).filter((length) => length <= MAX_TERM_LENGTH);
  const column = Math.max(0, ...lengths) + 4;
  return ['', `${heading}:`, ...rows.flatMap((row) => rowLines(row, column, width))];
}

function rowLines([term, meaning]: HelpRow, column: number, width: number): string[] {
  const indent = ' '.repeat(column);
  const start = `  ${term}`;
  if (start.length + 2 > column) return [start, ...wrap(meaning, indent, indent, width)];
  return wrap(meaning, start.padEnd(column), indent, width);
}
