import { SourceError } from '../../model/source-error.js';
import { unpack, type Packing } from '../archive/unpack.js';
import type { ExpectedBlob } from '../blob.js';
import type { ImageRepository } from '../image-repository.js';
import type { Limits } from '../limits.js';
import { openBlob } from './open-blob.js';
import { inReadingTurn } from './reading-turn.js';

interface LayerReading {
  readonly subject: string;
  readonly limits: Limits;
  /** Told how the layer is packed. */
  readonly note?: ((packing: Packing) => void) | undefined;
}

/**
 * Reads what a layer unpacks to, once its digest and size are known to be right; undefined: the
 * repository has no such layer.
 */
export async function readLayer<T>(
  repository: ImageRepository,
  layer: ExpectedBlob,
  { subject, limits, note }: LayerReading,
  read: (tar: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<{ readonly value: T } | undefined> {
  if (layer.size > limits.layerBytes) {
    const what = `the layer has ${layer.size} bytes; at most ${limits.layerBytes} are read`;
    throw new SourceError('TOO_LARGE', subject, what);
  }
  const blob = await openBlob(repository, layer);
  if (blob === undefined) return undefined;
  try {
    return await inReadingTurn(async () => {
      const packed = { chunks: blob.chunks(), size: layer.size };
      return { value: await read(unpack(packed, subject, limits, note)) };
    });
  } finally {
    await blob.close();
  }
}
