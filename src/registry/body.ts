import { BlobBuffer, type BlobSink, type ExpectedBlob } from '../image/blob.js';
import { createHash } from 'node:crypto';
import { SourceError } from '../model/source-error.js';
import { asTransient, TransientFailure } from './retry.js';
import type { Clock } from '../model/time/clock.js';
import type { HttpResponse } from './transport/transport.js';

/** A body slower than this over one window counts as stalled. */
const MIN_BYTES_PER_SECOND = 256;
const STALL_WINDOW_MS = 20_000;

/** A body that is not complete after `BODY_MS`, and the time its size takes at this pace, is given up. */
const BODY_MS = 60_000;
const SLOWEST_BYTES_PER_SECOND = 16 * 1024;

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
  const body = new BlobBuffer();
  for await (const chunk of withPaceCheck(response.body, context.clock)) {
    if (body.bytes.length + chunk.byteLength > limit) throw tooLarge();
    await body.add(chunk);
  }
  return body.bytes;
}

/**
 * The chunks of a body; a broken connection, a stall or the end of its time throws a transient
 * failure. `expectedBytes` are those of a body whose size is known before it is asked for.
 */
export async function* withPaceCheck(
  body: AsyncIterable<Uint8Array>,
  clock: Clock,
  expectedBytes = 0,
): AsyncGenerator<Uint8Array> {
  const start = clock.now();
  const limitMs = BODY_MS + (expectedBytes * 1000) / SLOWEST_BYTES_PER_SECOND;
  let since = start;
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.byteLength;
      if (clock.now() - start > limitMs) throw tooLate(limitMs);
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

function tooLate(limitMs: number): TransientFailure {
  const seconds = Math.round(limitMs / 1000);
  return new TransientFailure(`the answer was not complete after ${seconds} s`);
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
