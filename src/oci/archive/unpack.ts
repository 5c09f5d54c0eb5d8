import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ByteReader } from './byte-reader.js';
import { decompressZstd } from './zstd.js';
import { InputError, SourceError } from '../../base/errors.js';
import { LIMITS, type Limits } from '../image/limits.js';

/** A compressed or uncompressed layer. */
interface StoredLayer {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Total size in bytes. */
  readonly size: number;
}

/** Compression of a layer, detected by its first bytes. */
export type Compression = 'gzip' | 'zstd' | 'none';

/**
 * Decompresses a layer: gzip, zstd or uncompressed, detected by its first bytes.
 *
 * Consecutive gzip members or zstd frames form one stream. Zeros after the last gzip member are
 * padding; any other trailing bytes are an error. The size limits also apply to bytes that the
 * caller skips.
 */
export async function* decompressLayer(
  packed: StoredLayer,
  subject: string,
  limits: Limits = LIMITS,
  note?: (packing: Compression) => void,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  const tooLarge = (what: string) =>
    new SourceError('TOO_LARGE', subject, `the layer unpacks to more than ${what}`);
  try {
    for await (const chunk of joinSmallChunks(decompressed(packed.chunks, subject, limits, note))) {
      size += chunk.byteLength;
      if (size > limits.unpackedBytes) throw tooLarge(`${limits.unpackedBytes} bytes`);
      if (size > limits.unpackRatioFromBytes && size > packed.size * limits.unpackRatio) {
        throw tooLarge(`${limits.unpackRatio} times its size`);
      }
      yield chunk;
    }
  } catch (error) {
    if (error instanceof SourceError || error instanceof InputError) throw error;
    throw new SourceError('BAD_IMAGE', subject, 'the layer does not unpack: it is damaged', {
      cause: error,
    });
  }
}

const GZIP = [0x1f, 0x8b];
const ZSTD = [0x28, 0xb5, 0x2f, 0xfd];

async function* decompressed(
  chunks: AsyncIterable<Uint8Array>,
  subject: string,
  limits: Limits,
  note: ((packing: Compression) => void) | undefined,
): AsyncGenerator<Uint8Array> {
  const reader = new ByteReader(chunks);
  try {
    const start = await reader.peek(ZSTD.length);
    const packing = startsWith(start, GZIP) ? 'gzip' : startsWith(start, ZSTD) ? 'zstd' : 'none';
    note?.(packing);
    if (packing === 'gzip') yield* gunzipped(reader.stream(Infinity));
    else if (packing === 'zstd') yield* decompressZstd(reader, subject, limits);
    else yield* reader.stream(Infinity);
  } finally {
    await reader.close();
  }
}

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, index) => bytes[index] === byte);
}

async function* gunzipped(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = Readable.from(bytes, { objectMode: true });
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  // A failure of either stream destroys the other, and the loop below throws it.
  pipeline(source, gunzip, () => {});
  try {
    for await (const chunk of gunzip) {
      if (!(chunk instanceof Uint8Array)) throw new TypeError('gunzip yields bytes');
      yield chunk;
    }
  } finally {
    // Padding after the last member ends the output, but not the input.
    source.destroy();
  }
}

const CHUNK_BYTES = 64 * 1024;

/**
 * Joins small chunks into chunks of 64 KiB; only the last one is smaller. Each chunk has a memory
 * overhead of some hundred bytes.
 */
async function* joinSmallChunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let block = new Uint8Array();
  let used = 0;
  for await (const chunk of chunks) {
    if (used === 0 && chunk.length >= CHUNK_BYTES) {
      yield chunk;
      continue;
    }
    for (let at = 0; at < chunk.length;) {
      if (used === 0) block = new Uint8Array(CHUNK_BYTES);
      const part = chunk.subarray(at, at + CHUNK_BYTES - used);
      block.set(part, used);
      used += part.length;
      at += part.length;
      if (used < CHUNK_BYTES) continue;
      yield block;
      used = 0;
    }
  }
  if (used > 0) yield block.subarray(0, used);
}
