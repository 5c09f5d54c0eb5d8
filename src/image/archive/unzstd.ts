import { SourceError } from '../../model/source-error.js';
import type { Limits } from '../limits.js';
import { zstdFrames, type ZstdContent } from './zstd-frames.js';

/** A block of a few bytes can stand for 128 KiB, so few bytes are fed at a time. */
const FED_BYTES = 4096;

/**
 * What zstd frames hold, one after the other.
 *
 * The decoder is zstd's own, so that damage is told from content as Go's decoder tells it; whether
 * there may be a frame, and how much memory it may take, is decided before the decoder sees it.
 */
export async function* unzstd(
  bytes: Uint8Array,
  subject: string,
  limits: Limits,
): AsyncGenerator<Uint8Array> {
  const { ZSTDDecoder } = await import('zstddec/stream');
  const decoder = new ZSTDDecoder();
  await decoder.init();
  let count = 0;
  for (const { bytes: frame, content } of zstdFrames(bytes)) {
    if (++count > limits.zstdFrames) {
      const what = `the layer is packed in more than ${limits.zstdFrames} zstd frames`;
      throw new SourceError('TOO_LARGE', subject, what);
    }
    if (content === undefined) continue;
    refuseWindow(content, subject, limits);
    const fed = new FedFrame(frame);
    for (const chunk of decoder.decodeStreaming(fed)) {
      if (chunk.length > 0) yield chunk;
      else fed.expectProgress();
    }
  }
}

/** A frame in pieces. The decoder does not say that it failed: it asks for no more, and goes on. */
class FedFrame implements Iterable<Uint8Array> {
  readonly #frame: Uint8Array;
  #emptySincePiece = 0;

  constructor(frame: Uint8Array) {
    this.#frame = frame;
  }

  *[Symbol.iterator](): Generator<Uint8Array> {
    for (let at = 0; at < this.#frame.length; at += FED_BYTES) {
      this.#emptySincePiece = 0;
      yield this.#frame.subarray(at, at + FED_BYTES);
    }
  }

  /** Called when the decoder gave nothing; it may do so once for each piece, when that is used up. */
  expectProgress(): void {
    if (++this.#emptySincePiece > 1) throw new RangeError('a zstd frame is damaged');
  }
}

function refuseWindow({ window }: ZstdContent, subject: string, limits: Limits): void {
  if (window <= limits.zstdWindowBytes) return;
  const what = `the layer is packed with a window of ${window} bytes (\`zstd --long\`); at most ${limits.zstdWindowBytes} are taken`;
  throw new SourceError('TOO_LARGE', subject, what);
}
