import { distance } from 'fastest-levenshtein';

/** More letters than this are another word, however long it is: most names begin alike. */
const MAX_MISTYPED = 3;

/** The word closest to a mistyped one; undefined: none is close. */
export function didYouMean(typed: string, words: readonly string[]): string | undefined {
  const most = Math.min(MAX_MISTYPED, Math.max(1, Math.floor(typed.length / 3)));
  return closestWords(typed, words, most)[0];
}

/** The words that so many letters inserted, dropped or changed lead to, the closest first. */
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
