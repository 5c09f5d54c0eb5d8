/** Block size of a tar: a header is one block, and content is padded to whole blocks. */
export const BLOCK_BYTES = 512;

/** A tar ends with two blocks of zeros in the place of a header. */
const END_BYTES = 2 * BLOCK_BYTES;
const ZERO_BLOCK = Buffer.alloc(BLOCK_BYTES);

/** Records where a stream has blocks of zeros, to find the end of a tar as Go does. */
export class ZeroBlocks {
  #runs: { readonly start: number; end: number }[] = [];
  /** Index of the first run that is not before `#from`. */
  #first = 0;
  /** Offset of the next header, if there is one. */
  #from = 0;
  #seen = 0;
  /** Whether the current block has held only zeros so far. */
  #zero = true;

  /** Bytes seen so far. */
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

  /** Forgets blocks before `from`, which are headers and content. */
  skipTo(from: number): void {
    this.#from = from;
    while (this.#first < this.#runs.length && this.#runs[this.#first]!.end <= from) {
      this.#first += 1;
    }
    if (this.#first < this.#runs.length) return;
    this.#runs = [];
    this.#first = 0;
  }

  /** Whether the tar ends at the place of the next header. */
  endsHere(): boolean {
    return this.#zerosHere() >= END_BYTES;
  }

  /** Whether a single block of zeros is at the place of the next header. */
  hasStrayBlock(): boolean {
    return this.#zerosHere() === BLOCK_BYTES && this.#seen >= this.#from + END_BYTES;
  }

  /** Whether the tar ends before `to`, perhaps after extended headers of the next entry. */
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
