/** Of a tar: a header fills one, content fills up the last it needs. */
export const BLOCK = 512;

/** Two blocks of zeros where a header could stand end a tar. */
const END = 2 * BLOCK;
const ZEROS = Buffer.alloc(BLOCK);

/** Remembers where a stream has two blocks of zeros or more in a row. */
export class ZeroBlocks {
  readonly #runs: { readonly start: number; end: number }[] = [];
  #offset = 0;
  /** The current block has held nothing else so far. */
  #zero = true;

  see(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length;) {
      const length = Math.min(BLOCK - (this.#offset % BLOCK), chunk.length - at);
      this.#zero &&=
        chunk[at] === 0 && ZEROS.subarray(0, length).equals(chunk.subarray(at, at + length));
      at += length;
      this.#offset += length;
      if (this.#offset % BLOCK === 0) this.#endBlock();
    }
  }

  /** Whether a tar that goes on from `from` ends before `to`. To be asked from front to back. */
  endWithin(from: number, to: number): boolean {
    while (this.#runs.length > 0 && this.#runs[0]!.end < from + END) this.#runs.shift();
    const run = this.#runs[0];
    return run !== undefined && Math.max(run.start, from) + END <= Math.min(run.end, to);
  }

  #endBlock(): void {
    if (this.#zero) {
      const last = this.#runs.at(-1);
      const start = this.#offset - BLOCK;
      if (last?.end === start) last.end = this.#offset;
      else {
        if (last !== undefined && last.end - last.start < END) this.#runs.pop();
        this.#runs.push({ start, end: this.#offset });
      }
    }
    this.#zero = true;
  }
}
