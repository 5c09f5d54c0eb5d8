import { createGunzip } from 'node:zlib';
import { SourceError } from '../../model/source-error.js';
import { LIMITS, type Limits } from '../limits.js';
import { unzstd } from './unzstd.js';

/**
 * Uncompresses a layer: gzip, zstd or nothing, by its first bytes.
 *
 * Several gzip members or zstd frames in a row are one stream. After the last gzip member zeros are
 * padding; anything else there, or after a zstd frame, is damage. Growing past the limits is an
 * error, also where the caller skips the bytes.
 */
export async function* unpack(
  bytes: Uint8Array,
  subject: string,
  limits: Limits = LIMITS,
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
    if (size > limits.unpackRatioFromBytes && size > bytes.length * limits.unpackRatio) {
      throw new SourceError(
        'TOO_LARGE',
        subject,
        `the layer unpacks to more than ${limits.unpackRatio} times its size`,
      );
    }
  };
  try {
    for await (const chunk of streamOf(bytes, subject, limits)) {
      grow(chunk.byteLength);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof SourceError) throw error;
    throw new SourceError('BAD_IMAGE', subject, 'the layer does not unpack: it is damaged', {
      cause: error,
    });
  }
}

const GZIP = [0x1f, 0x8b];
const ZSTD = [0x28, 0xb5, 0x2f, 0xfd];

async function* streamOf(
  bytes: Uint8Array,
  subject: string,
  limits: Limits,
): AsyncGenerator<Uint8Array> {
  if (startsWith(bytes, GZIP)) yield* gunzipped(bytes);
  else if (startsWith(bytes, ZSTD)) yield* unzstd(bytes, subject, limits);
  else yield bytes;
}

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, index) => bytes[index] === byte);
}

async function* gunzipped(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  gunzip.end(bytes);
  for await (const chunk of gunzip) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError('gunzip yields bytes');
    yield chunk;
  }
}
