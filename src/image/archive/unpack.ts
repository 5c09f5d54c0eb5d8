import { createGunzip } from 'node:zlib';
import { SourceError } from '../../model/source-error.js';
import { LIMITS, type Limits } from '../limits.js';

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
  if (zstdWindow(bytes) > MAX_ZSTD_WINDOW_BYTES) {
    const what = `the layer is packed with a window of ${zstdWindow(bytes)} bytes (\`zstd --long\`); at most ${MAX_ZSTD_WINDOW_BYTES} are taken`;
    throw new SourceError('TOO_LARGE', subject, what);
  }
  try {
    yield* streamOf(bytes, grow);
  } catch (error) {
    if (error instanceof SourceError) throw error;
    throw new SourceError('BAD_IMAGE', subject, 'the layer does not unpack: it is damaged', {
      cause: error,
    });
  }
}

const ZSTD_MAGIC = [0x28, 0xb5, 0x2f, 0xfd];

/** `fzstd` fails with an unhelpful message on a larger one. */
const MAX_ZSTD_WINDOW_BYTES = 2046 * 1024 * 1024;

/** Window size in the header of the first zstd frame; 0: it has none. */
function zstdWindow(bytes: Uint8Array): number {
  const [flags = 0, window = 0] = bytes.subarray(ZSTD_MAGIC.length);
  const singleSegment = (flags & 0x20) !== 0;
  if (!startsWith(bytes, ZSTD_MAGIC) || singleSegment) return 0;
  const base = 2 ** (10 + (window >> 3));
  return base + (base / 8) * (window & 7);
}

type Grow = (more: number) => void;

async function* streamOf(bytes: Uint8Array, grow: Grow): AsyncGenerator<Uint8Array> {
  if (startsWith(bytes, [0x1f, 0x8b])) yield* gunzipped(bytes, grow);
  else if (startsWith(bytes, ZSTD_MAGIC)) yield* unzstd(bytes, grow);
  else {
    grow(bytes.length);
    yield bytes;
  }
}

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, index) => bytes[index] === byte);
}

async function* gunzipped(bytes: Uint8Array, grow: Grow): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  gunzip.end(bytes);
  for await (const chunk of gunzip) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError('gunzip yields bytes');
    grow(chunk.byteLength);
    yield chunk;
  }
}

/** Fed in small pieces: a block of a few bytes can unpack to 128 KiB, and limits are checked between. */
const ZSTD_FEED_BYTES = 4096;

async function* unzstd(bytes: Uint8Array, grow: Grow): AsyncGenerator<Uint8Array> {
  const { Decompress } = await import('fzstd');
  let out: Uint8Array[] = [];
  const stream = new Decompress((chunk) => {
    grow(chunk.byteLength);
    out.push(chunk);
  });
  for (let at = 0; at < bytes.length; at += ZSTD_FEED_BYTES) {
    const end = Math.min(at + ZSTD_FEED_BYTES, bytes.length);
    stream.push(bytes.subarray(at, end), end === bytes.length);
    yield* out;
    out = [];
  }
}
