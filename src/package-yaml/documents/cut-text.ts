/** A text that leaves out parts of another, and knows where each of its own stands in that. */
export class CutText {
  readonly #whole: string;
  readonly #pieces: string[] = [];
  /** Where pieces begin, here and in the whole; in ascending order. */
  readonly #starts: { readonly here: number; readonly there: number }[] = [];
  #length = 0;

  constructor(whole: string) {
    this.#whole = whole;
  }

  /** Adds a part, which is one or more lines but for what stands before it on its first, and behind. */
  add(before: string, start: number, end: number, behind: string): void {
    const part = `${this.#whole.slice(start, end)}${behind}`;
    const piece = `${before}${part}${part.endsWith('\n') ? '' : '\n'}`;
    this.#starts.push({ here: this.#length + before.length, there: start });
    this.#pieces.push(piece);
    this.#length += piece.length;
  }

  get text(): string {
    return this.#pieces.join('');
  }

  /** Where in the whole text something stands. */
  offsetOf(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.#starts[middle]!.here <= offset) low = middle;
      else high = middle - 1;
    }
    const start = this.#starts[low] ?? { here: 0, there: 0 };
    return Math.max(start.there, start.there + offset - start.here);
  }
}
