import { distance } from 'fastest-levenshtein';

/** Line width in characters if the width of the terminal is unknown. */
export const LINE_WIDTH = 100;

/** A word. Text between backticks is one word: it is quoted exactly. */
const WORDS = /(?:`[^`]*`|[^ ])+/g;

/** Wraps text at spaces. `first` and `rest` begin the lines. Long words stay whole. */
export function wrap(text: string, first: string, rest = first, width = LINE_WIDTH): string[] {
  const lines: string[] = [];
  let line = first;
  let empty = true;
  for (const word of text.match(WORDS) ?? []) {
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

/** Writes a whole number with commas between thousands, whatever the locale: `300,000`. */
export function thousands(count: number): string {
  const digits = String(count);
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= 3) {
    groups.unshift(digits.slice(Math.max(0, end - 3), end));
  }
  return groups.join(',');
}

/** Maximum edit distance of a suggestion, however long the word is: many names begin alike. */
const MAX_EDIT_DISTANCE = 3;

/** Returns the word closest to a mistyped one, or undefined if none is close. */
export function didYouMean(typed: string, words: readonly string[]): string | undefined {
  const maxDistance = Math.min(MAX_EDIT_DISTANCE, Math.max(1, Math.floor(typed.length / 3)));
  return closestWords(typed, words, maxDistance)[0];
}

/** Returns the words within an edit distance of `maxLetters`, the closest first. */
export function closestWords(
  typed: string,
  words: readonly string[],
  maxLetters: number,
): readonly string[] {
  return words
    .map((word) => ({ word, letters: distance(typed.toLowerCase(), word.toLowerCase()) }))
    .filter(({ letters }) => letters <= maxLetters)
    .sort((a, b) => a.letters - b.letters)
    .map(({ word }) => word);
}

/** `a, b or c`. */
export function orList(items: readonly string[]): string {
  return joinList(items, 'or');
}

/** `a, b and c`. */
export function andList(items: readonly string[]): string {
  return joinList(items, 'and');
}

/** `a, b and 3 more`: at most `max` items, and the number of the others. */
export function shortList(items: readonly string[], max: number): string {
  const more = items.length > max ? ` and ${items.length - max} more` : '';
  return `${items.slice(0, max).join(', ')}${more}`;
}

function joinList(items: readonly string[], word: string): string {
  if (items.length < 2) return items.join('');
  return `${items.slice(0, -1).join(', ')} ${word} ${items.at(-1)!}`;
}
