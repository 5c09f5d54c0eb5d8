import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { InputError } from '../../model/input-error.js';
import { SourceError } from '../../model/source-error.js';
import { LIMITS, type Limits } from '../limits.js';
import { ByteReader } from './byte-reader.js';
import { evenChunks } from './even-chunks.js';
import { unzstd } from './unzstd.js';

/** Bytes as they are stored. */
export interface Packed {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Of all chunks. */
  readonly size: number;
}

/** How bytes are packed, by their first. */
export type Packing = 'gzip' | 'zstd' | 'none';

/**
 * Uncompresses a layer: gzip, zstd or nothing, by its first bytes.
 *
 * Several gzip members or zstd frames in a row are one stream. After the last gzip member zeros are
 * padding; anything else there, or after a zstd frame, is damage. Growing past the limits is an
 * error, also where the caller skips the bytes.
 */
export async function* unpack(
  packed: Packed,
  subject: string,
  limits: Limits = LIMITS,
  note?: (packing: Packing) => void,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  const grow = (more: number) => {
    size += more;
    if (size > limits.unpackedBytes) {
      throw new SourceError(
        'TOO_LARGE',
        subject,
        `the layer unpacks to more than ${limits.unpackedBytes} bytes`,
      );
    }
    if (size > limits.unpackRatioFromBytes && size > packed.size * limits.unpackRatio) {
      throw new SourceError(
        'TOO_LARGE',
        subject,
        `the layer unpacks to more than ${limits.unpackRatio} times its size`,
      );
    }
  };
  try {
    for await (const chunk of evenChunks(streamOf(packed.chunks, subject, { limits, note }))) {
      grow(chunk.byteLength);
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

async function* streamOf(
  chunks: AsyncIterable<Uint8Array>,
  subject: string,
  {
    limits,
    note,
  }: { readonly limits: Limits; readonly note?: ((packing: Packing) => void) | undefined },
): AsyncGenerator<Uint8Array> {
  const reader = new ByteReader(chunks);
  try {
    const start = await reader.peek(ZSTD.length);
    const packing = startsWith(start, GZIP) ? 'gzip' : startsWith(start, ZSTD) ? 'zstd' : 'none';
    note?.(packing);
    if (packing === 'gzip') yield* gunzipped(reader.stream(Infinity));
    else if (packing === 'zstd') yield* unzstd(reader, subject, limits);
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
  // A failure of either destroys the other, and shows below.
  pipeline(source, gunzip, () => {});
  try {
    for await (const chunk of gunzip) {
      if (!(chunk instanceof Uint8Array)) throw new TypeError('gunzip yields bytes');
      yield chunk;
    }
  } finally {
    // Padding after the last member ends what is read, and not what is written.
    source.destroy();
  }
}
