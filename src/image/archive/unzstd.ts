import type * as zstddec from 'zstddec/stream';
import { SourceError } from '../../model/source-error.js';
import type { Limits } from '../limits.js';
import type { ByteReader } from './byte-reader.js';
import { zstdFrames, type ZstdFrame } from './zstd-frames.js';
import { zstdLibrary } from './zstd-library.js';

/**
 * What zstd frames hold, one after the other.
 *
 * The decoder is zstd's own, so that damage is told from content as Go's decoder tells it; whether
 * there may be a frame, and how much memory it may take, is decided before the decoder sees it.
 */
export async function* unzstd(
  reader: ByteReader,
  subject: string,
  limits: Limits,
): AsyncGenerator<Uint8Array> {
  const decoder = await openDecoder();
  let count = 0;
  for await (const frame of zstdFrames(reader)) {
    if (++count > limits.zstdFrames) {
      const what = `the layer is packed in more than ${limits.zstdFrames} zstd frames`;
      throw new SourceError('TOO_LARGE', subject, what);
    }
    if (frame === undefined) continue;
    refuseWindow(frame, subject, limits);
    const fed = new FedFrame(frame.pieces);
    const chunks = decoder.decodeStreaming(fed);
    let size = 0;
    try {
      for (;;) {
        await fed.prepare();
        const { done, value: chunk } = chunks.next();
        if (done === true) break;
        size += chunk.length;
        if (chunk.length > 0) yield chunk;
        else fed.expectProgress();
      }
    } finally {
      fed.end();
      if (!isFreed(chunks)) {
        lost.bytes += frame.window + DECODER_BYTES;
        lost.filled += Math.min(frame.window, size) + FILLED_BYTES;
      }
    }
  }
}

/** What a decoder takes beside its window, at most. */
const DECODER_BYTES = 1024 * 1024;
/** What it has written to of that. */
const FILLED_BYTES = 256 * 1024;
/** How much memory may be lost to damaged frames before others get a memory of their own. */
const MAX_LOST_BYTES = 256 * 1024 * 1024;

/** Of the memory that all decoders of one copy of the library share; `filled`: of all copies. */
const lost = { bytes: 0, copies: 0, filled: 0 };

/**
 * A decoder gives back its memory only at the end of a frame. At damage it comes to none, and that
 * memory is lost; once none is left, the library goes on without end. So another copy of it is
 * loaded before that.
 */
async function openDecoder(): Promise<zstddec.ZSTDDecoder> {
  if (lost.bytes > MAX_LOST_BYTES) {
    lost.bytes = 0;
    lost.copies += 1;
  }
  const { ZSTDDecoder } = await zstdLibrary(lost.copies);
  const decoder = new ZSTDDecoder();
  await decoder.init();
  return decoder;
}

/** Lets a decoder that is fed no more come to its end, where it frees its memory; false: it failed. */
function isFreed(chunks: Generator<Uint8Array>): boolean {
  try {
    for (let step = 0; step < 3; step++) if (chunks.next().done === true) return true;
    return false;
  } catch {
    return true;
  }
}

/**
 * The pieces of a frame, for a decoder that does not wait for them: one is always at hand. Nor does
 * it say that it failed: it asks for no more, and goes on.
 */
class FedFrame implements Iterable<Uint8Array> {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #next: Uint8Array | undefined;
  #emptySincePiece = 0;

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** To be called before each step of the decoder. */
  async prepare(): Promise<void> {
    this.#next ??= (await this.#pieces.next()).value as Uint8Array | undefined;
  }

  *[Symbol.iterator](): Generator<Uint8Array> {
    while (this.#next !== undefined) {
      const piece = this.#next;
      this.#next = undefined;
      this.#emptySincePiece = 0;
      yield piece;
    }
  }

  /** There are no more pieces, whatever is left. */
  end(): void {
    this.#next = undefined;
  }

  /** Called when the decoder gave nothing; it may do so once for each piece, when that is used up. */
  expectProgress(): void {
    if (++this.#emptySincePiece > 1) throw new RangeError('a zstd frame is damaged');
  }
}

function refuseWindow({ window }: ZstdFrame, subject: string, limits: Limits): void {
  if (window > limits.zstdWindowBytes) {
    const what = `the layer is packed with a window of ${window} bytes (\`zstd --long\`); at most ${limits.zstdWindowBytes} are taken`;
    throw new SourceError('TOO_LARGE', subject, what);
  }
  if (lost.filled > limits.zstdLostBytes) {
    const what = 'not unpacked, because several zstd layers before it are damaged';
    throw new SourceError('TOO_LARGE', subject, what);
  }
}
