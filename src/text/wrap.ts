/** Characters of a line, where no terminal says how wide it is. */
export const LINE_WIDTH = 100;

/** Blanks between backticks do not break a line: what they quote is written as it stands. */
const WORD = /(?:`[^`]*`|[^ ])+/g;

/** Breaks text at blanks into lines; a word longer than a line stays whole. */
export function wrap(text: string, first: string, rest = first, width = LINE_WIDTH): string[] {
  const lines: string[] = [];
  let line = first;
  let empty = true;
  for (const word of text.match(WORD) ?? []) {
    if (!empty && line.length + 1 + word.length > width) {
      lines.push(line);
      line = rest;
      empty = true;
    }
    line += empty ? word : ` ${word}`;
    empty = false;
  }
  return [...lines, line];
}
