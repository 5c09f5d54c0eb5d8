/** Takes a stream of chunks apart by counts of bytes. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();
  #position = 0;

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#chunks = bytes[Symbol.asyncIterator]();
  }

  /** How many bytes were taken. */
  get position(): number {
    return this.#position;
  }

  /** The next bytes, all in one piece; fewer where the stream ends. */
  async read(count: number): Promise<Uint8Array> {
    if (this.#rest.length >= count) return this.#take(count);
    const pieces: Uint8Array[] = [];
    for await (const piece of this.stream(count)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** The next bytes, which stay; fewer where the stream ends. */
  async peek(count: number): Promise<Uint8Array> {
    if (this.#rest.length < count) {
      const before = this.#position;
      const start = await this.read(count);
      this.#rest = Buffer.concat([start, this.#rest]);
      this.#position = before;
    }
    return this.#rest.subarray(0, count);
  }

  /** The next bytes as they come; fewer where the stream ends. */
  async *stream(count: number): AsyncGenerator<Uint8Array> {
    for (let left = count; left > 0;) {
      if (this.#rest.length === 0 && !(await this.#more())) return;
      const piece = this.#take(Math.min(left, this.#rest.length));
      left -= piece.length;
      yield piece;
    }
  }

  /** Passes over the next bytes; how many there were. */
  async skip(count: number): Promise<number> {
    const before = this.#position;
    for (let left = count; left > 0;) {
      if (this.#rest.length === 0 && !(await this.#more())) break;
      left -= this.#take(Math.min(left, this.#rest.length)).length;
    }
    return this.#position - before;
  }

  /** Ends the stream, so that what it was made from is let go. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  #take(count: number): Uint8Array {
    const taken = this.#rest.subarray(0, count);
    this.#rest = this.#rest.subarray(count);
    this.#position += count;
    return taken;
  }

  async #more(): Promise<boolean> {
    for (;;) {
      const next = await this.#chunks.next();
      if (next.done === true) return false;
      if (next.value.length === 0) continue;
      this.#rest = next.value;
      return true;
    }
  }
}
