/** Text to put in place of what stands between two offsets. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with every splice made; they do not overlap. */
export function spliced(text: string, splices: readonly Splice[]): string {
  return [...splices]
    .sort((a, b) => b.start - a.start || b.end - a.end)
    .reduce((now, { start, end, text }) => now.slice(0, start) + text + now.slice(end), text);
}
