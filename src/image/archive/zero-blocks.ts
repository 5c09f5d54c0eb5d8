/** Of a tar: a header fills one, content fills up the last it needs. */
export const BLOCK = 512;

/** Two blocks of zeros where a header could stand end a tar. */
const END = 2 * BLOCK;
const ZEROS = Buffer.alloc(BLOCK);

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
      const length = Math.min(BLOCK - (this.#seen % BLOCK), chunk.length - at);
      this.#zero &&=
        chunk[at] === 0 && ZEROS.subarray(0, length).equals(chunk.subarray(at, at + length));
      at += length;
      this.#seen += length;
      if (this.#seen % BLOCK === 0) this.#endBlock();
    }
  }

  /** All before `from` is headers and content: it does not count. */
  goOn(from: number): void {
    this.#from = from;
    while (this.#first < this.#runs.length && this.#runs[this.#first]!.end <= from) {
      this.#first += 1;
    }
    if (this.#first < this.#runs.length) return;
    this.#runs = [];
    this.#first = 0;
  }

  /** Whether the tar ends where a header could stand next. */
  endHere(): boolean {
    return this.#zerosHere() >= END;
  }

  /** Whether one block of zeros stands there, and something else follows. */
  strayHere(): boolean {
    return this.#zerosHere() === BLOCK && this.#seen >= this.#from + END;
  }

  /** Whether the tar ends before `to`, be it behind a header that belongs to the next. */
  endBefore(to: number): boolean {
    for (let at = this.#first; at < this.#runs.length; at += 1) {
      const { start, end } = this.#runs[at]!;
      if (start >= to) return false;
      if (Math.max(start, this.#from) + END <= Math.min(end, to)) return true;
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
      const start = this.#seen - BLOCK;
      if (last?.end === start) last.end = this.#seen;
      else this.#runs.push({ start, end: this.#seen });
    }
    this.#zero = true;
  }
}
