import { createHash } from 'node:crypto';
import type { Digest } from '../model/package.js';
import { SourceError } from '../model/source-error.js';
import { asTransient, TransientFailure, type Clock } from './retry.js';
import type { HttpResponse } from './transport.js';

/** A body that brings fewer bytes a second than this for so long is as good as stalled. */
const SLOWEST_BYTES_PER_SECOND = 10;
const SLOW_AFTER_MS = 20_000;

export interface Expected {
  readonly digest: Digest;
  readonly size: number;
}

/** A whole body, refused as soon as it grows past `limit`. */
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
  for await (const chunk of paced(response.body, context.clock)) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Turns what breaks a stream into transient failures, and counts one that only drips among them. */
export async function* paced(
  body: AsyncIterable<Uint8Array>,
  clock: Clock,
): AsyncGenerator<Uint8Array> {
  let since = clock.now();
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.byteLength;
      const elapsed = clock.now() - since;
      if (elapsed > SLOW_AFTER_MS) {
        if ((size * 1000) / elapsed < SLOWEST_BYTES_PER_SECOND) throw tooSlow();
        [since, size] = [clock.now(), 0];
      }
      yield chunk;
    }
  } catch (error) {
    throw asTransient(error);
  }
}

function tooSlow(): TransientFailure {
  return new TransientFailure(`the answer came at less than ${SLOWEST_BYTES_PER_SECOND} B/s`);
}

/** Collects the bytes a descriptor promises: exactly its size, exactly its digest. */
export class VerifiedBytes {
  readonly #expected: Expected;
  #chunks: Uint8Array[] = [];
  #hash = createHash('sha256');
  #size = 0;

  constructor(expected: Expected) {
    this.#expected = expected;
  }

  get size(): number {
    return this.#size;
  }

  add(chunk: Uint8Array): void {
    this.#size += chunk.byteLength;
    if (this.#size > this.#expected.size) {
      throw this.#wrong(`more than the ${this.#expected.size} bytes it should have`);
    }
    this.#hash.update(chunk);
    this.#chunks.push(chunk);
  }

  restart(): void {
    this.#chunks = [];
    this.#hash = createHash('sha256');
    this.#size = 0;
  }

  /** The bytes, if they are all there and are the right ones. */
  finish(): Uint8Array {
    const { size, digest } = this.#expected;
    if (this.#size < size) throw new TransientFailure(`${this.#size} of ${size} bytes came`);
    const got = `sha256:${this.#hash.digest('hex')}`;
    if (got !== digest) throw this.#wrong(`bytes whose digest is ${got}, not ${digest}`);
    return Buffer.concat(this.#chunks);
  }

  /** What it means that no more will come. */
  short(): WrongBytes {
    return this.#wrong(`${this.#size} bytes, where the manifest says ${this.#expected.size}`);
  }

  #wrong(what: string): WrongBytes {
    this.restart();
    return new WrongBytes(what);
  }
}

/** Wrong bytes came. Tried once more, in case a proxy in between stumbled; then it is final. */
export class WrongBytes extends TransientFailure {
  constructor(what: string) {
    super(`the registry sent ${what}`, { mostRetries: 1 });
  }
}
