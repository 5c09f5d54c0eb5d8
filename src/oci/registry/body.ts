import { BlobBuffer, type BlobSink, type ExpectedBlob } from '../image/image-repository.js';
import { createHash } from 'node:crypto';
import { finishDigest } from '../../base/digest.js';
import { SourceError } from '../../base/errors.js';
import { asTransient, TransientError, WrongBytesError } from './retry.js';
import type { Clock } from '../../base/time.js';
import type { HttpResponse } from './transport.js';

/** A body counts as stalled if it is slower than this over one window. */
const MIN_BYTES_PER_SECOND = 256;
const STALL_WINDOW_MS = 20_000;

/** A body must be complete within `BODY_MS` plus the time that its size takes at this rate. */
const BODY_MS = 60_000;
const SLOWEST_BYTES_PER_SECOND = 16 * 1024;

/** Reads a whole body. Throws as soon as it exceeds `limit` bytes. */
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

/** Yields the chunks of a body. Throws a transient failure if it breaks, stalls or is too slow. */
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
      if (clock.now() - start > limitMs) {
        const seconds = Math.round(limitMs / 1000);
        throw new TransientError(`the answer was not complete after ${seconds} s`);
      }
      const elapsed = clock.now() - since;
      if (elapsed > STALL_WINDOW_MS) {
        if ((size * 1000) / elapsed < MIN_BYTES_PER_SECOND) {
          throw new TransientError(`the answer came at less than ${MIN_BYTES_PER_SECOND} B/s`);
        }
        [since, size] = [clock.now(), 0];
      }
      yield chunk;
    }
  } catch (error) {
    throw asTransient(error);
  }
}

/** Passes bytes to a sink and verifies their size and digest. */
export class BlobVerifier {
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
      throw await this.#wrongBytes(`more than the ${this.#expected.size} bytes it should have`);
    }
    this.#hash.update(chunk);
    await this.#to.add(chunk);
  }

  async restart(): Promise<void> {
    this.#hash = createHash('sha256');
    this.#size = 0;
    await this.#to.restart();
  }

  async addAll(chunks: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const chunk of chunks) await this.add(chunk);
  }

  async finish(): Promise<true> {
    const { size, digest } = this.#expected;
    if (this.#size < size) throw new TransientError(`${this.#size} of ${size} bytes came`);
    const actual = finishDigest(this.#hash);
    if (actual !== digest)
      throw await this.#wrongBytes(`bytes whose digest is ${actual}, not ${digest}`);
    return true;
  }

  tooShortError(): Promise<WrongBytesError> {
    return this.#wrongBytes(`${this.#size} bytes, where the manifest says ${this.#expected.size}`);
  }

  async #wrongBytes(what: string): Promise<WrongBytesError> {
    await this.restart();
    return new WrongBytesError(what);
  }
}
