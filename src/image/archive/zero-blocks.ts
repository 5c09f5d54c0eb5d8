/** Of a tar: a header fills one, content fills up the last it needs. */
export const BLOCK_BYTES = 512;

/** Two blocks of zeros where a header could stand end a tar. */
const END_BYTES = 2 * BLOCK_BYTES;
const ZERO_BLOCK = Buffer.alloc(BLOCK_BYTES);

/** Remembers where a stream has blocks of zeros. */
export class ZeroBlocks {
  #runs: { readonly start: number; end: number }[] = [];
  /** Of the runs that count still. */
  #first = 0;
  /** Where a header could stand next. */
  #from = 0;
  #seen = 0;
  /** The current block has held nothing else so far. */
  #zero = true;

  /** Bytes so far. */
  get seen(): number {
    return this.#seen;
  }

  see(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length;) {
      const length = Math.min(BLOCK_BYTES - (this.#seen % BLOCK_BYTES), chunk.length - at);
      this.#zero &&=
        chunk[at] === 0 && ZERO_BLOCK.subarray(0, length).equals(chunk.subarray(at, at + length));
      at += length;
      this.#seen += length;
      if (this.#seen % BLOCK_BYTES === 0) this.#endBlock();
    }
  }

  /** All before `from` is headers and content: it does not count. */
  skipTo(from: number): void {
    this.#from = from;
    while (this.#first < this.#runs.length && this.#runs[this.#first]!.end <= from) {
      this.#first += 1;
    }
    if (this.#first < this.#runs.length) return;
    this.#runs = [];
    this.#first = 0;
  }

  /** Whether the tar ends where a header could stand next. */
  endsHere(): boolean {
    return this.#zerosHere() >= END_BYTES;
  }

  /** Whether one block of zeros stands there, and something else follows. */
  hasStrayBlock(): boolean {
    return this.#zerosHere() === BLOCK_BYTES && this.#seen >= this.#from + END_BYTES;
  }

  /** Whether the tar ends before `to`, be it behind a header that belongs to the next. */
  endsBefore(to: number): boolean {
    for (let at = this.#first; at < this.#runs.length; at += 1) {
      const { start, end } = this.#runs[at]!;
      if (start >= to) return false;
      if (Math.max(start, this.#from) + END_BYTES <= Math.min(end, to)) return true;
    }
    return false;
  }

  #zerosHere(): number {
    const run = this.#runs[this.#first];
    return run !== undefined && run.start <= this.#from ? run.end - this.#from : 0;
  }

  #endBlock(): void {
    if (this.#zero && this.#seen > this.#from) {
      const last = this.#runs.at(-1);
      const start = this.#seen - BLOCK_BYTES;
      if (last?.end === start) last.end = this.#seen;
      else this.#runs.push({ start, end: this.#seen });
    }
    this.#zero = true;
  }
}
