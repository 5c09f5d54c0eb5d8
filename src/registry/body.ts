import type { BlobSink, ExpectedBlob } from '../image/blob.js';
import { createHash } from 'node:crypto';
import { SourceError } from '../model/source-error.js';
import { asTransient, TransientFailure } from './retry.js';
import type { Clock } from '../model/clock.js';
import type { HttpResponse } from './transport.js';

/** A body slower than this over one window counts as stalled. */
const MIN_BYTES_PER_SECOND = 10;
const STALL_WINDOW_MS = 20_000;

/** A whole body; throws as soon as it grows past `limit` bytes. */
export async function readBody(
  response: HttpResponse,
  limit: number,
  context: { readonly subject: string; readonly clock: Clock },
): Promise<Uint8Array> {
  const tooLarge = () =>
    new SourceError('TOO_LARGE', context.subject, `the answer is larger than ${limit} bytes`);
  if (Number(response.header('content-length') ?? 0) > limit) {
    await response.discard();
    throw tooLarge();
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of withStallCheck(response.body, context.clock)) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The chunks of a body; a broken connection or a stall throws a transient failure. */
export async function* withStallCheck(
  body: AsyncIterable<Uint8Array>,
  clock: Clock,
): AsyncGenerator<Uint8Array> {
  let since = clock.now();
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.byteLength;
      const elapsed = clock.now() - since;
      if (elapsed > STALL_WINDOW_MS) {
        if ((size * 1000) / elapsed < MIN_BYTES_PER_SECOND) throw tooSlow();
        [since, size] = [clock.now(), 0];
      }
      yield chunk;
    }
  } catch (error) {
    throw asTransient(error);
  }
}

function tooSlow(): TransientFailure {
  return new TransientFailure(`the answer came at less than ${MIN_BYTES_PER_SECOND} B/s`);
}

/** Passes bytes on to a sink and checks that they have the size and digest of a descriptor. */
export class VerifiedBytes {
  readonly #expected: ExpectedBlob;
  readonly #to: BlobSink;
  #hash = createHash('sha256');
  #size = 0;

  constructor(expected: ExpectedBlob, to: BlobSink) {
    this.#expected = expected;
    this.#to = to;
  }

  get size(): number {
    return this.#size;
  }

  async add(chunk: Uint8Array): Promise<void> {
    this.#size += chunk.byteLength;
    if (this.#size > this.#expected.size) {
      throw await this.#wrong(`more than the ${this.#expected.size} bytes it should have`);
    }
    this.#hash.update(chunk);
    await this.#to.add(chunk);
  }

  async restart(): Promise<void> {
    this.#hash = createHash('sha256');
    this.#size = 0;
    await this.#to.restart();
  }

  /** Throws unless size and digest are as expected. */
  async finish(): Promise<void> {
    const { size, digest } = this.#expected;
    if (this.#size < size) throw new TransientFailure(`${this.#size} of ${size} bytes came`);
    const got = `sha256:${this.#hash.digest('hex')}`;
    if (got !== digest) throw await this.#wrong(`bytes whose digest is ${got}, not ${digest}`);
  }

  /** The failure to throw where the body has ended and bytes are missing. */
  tooShort(): Promise<WrongBytes> {
    return this.#wrong(`${this.#size} bytes, where the manifest says ${this.#expected.size}`);
  }

  async #wrong(what: string): Promise<WrongBytes> {
    await this.restart();
    return new WrongBytes(what);
  }
}

/** Wrong bytes came. Tried once more, since a proxy may be at fault; then it is final. */
export class WrongBytes extends TransientFailure {
  constructor(what: string) {
    super(`the registry sent ${what}`, { maxRetries: 1 });
  }
}
