import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type * as zstddec from 'zstddec/stream';
import { ByteReader } from './byte-reader.js';
import { InputError, SourceError } from '../../base/errors.js';
import { LIMITS, type Limits } from '../image/limits.js';
import { loadZstdLibrary } from './zstd-library.js';

export type Compression = 'gzip' | 'zstd' | 'none';

/**
 * Decompresses a layer: gzip, zstd or uncompressed, detected by its first bytes.
 *
 * Consecutive gzip members or zstd frames form one stream. Zeros after the last gzip member are
 * padding; any other trailing bytes are an error. The size limits also apply to bytes that the
 * caller skips. `note` is called with the compression.
 */
export async function* decompressLayer(
  packed: { readonly chunks: AsyncIterable<Uint8Array>; readonly size: number },
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

/** Joins small chunks, each of which has a memory overhead of some hundred bytes. */
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

/** Decompresses frames with zstd itself, which rejects the same ones as Go's decoder. */
async function* decompressZstd(
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
    checkWindow(frame, subject, limits);
    const input = new FrameInput(frame.pieces);
    const chunks = decoder.decodeStreaming(input);
    let size = 0;
    try {
      for (;;) {
        await input.prepare();
        const { done, value: chunk } = chunks.next();
        if (done === true) break;
        size += chunk.length;
        if (chunk.length > 0) yield chunk;
        else input.expectProgress();
      }
    } finally {
      input.end();
      if (!runToEnd(chunks)) {
        leaked.bytes += frame.window + DECODER_BYTES;
        leaked.filled += Math.min(frame.window, size) + WRITTEN_BYTES;
      }
    }
  }
}

/** Maximum memory of a decoder, without its window. */
const DECODER_BYTES = 1024 * 1024;
/** Part of that memory that a decoder has written to. */
const WRITTEN_BYTES = 256 * 1024;
/** A new instance of the library is loaded when damaged frames have leaked this much memory. */
const MAX_LEAKED_BYTES = 256 * 1024 * 1024;

/** Memory leaked by decoders: `bytes` in the current library instance, `filled` in all. */
const leaked = { bytes: 0, copies: 0, filled: 0 };

/** A damaged frame leaks its decoder's memory, and a library without memory loops forever. */
async function openDecoder(): Promise<zstddec.ZSTDDecoder> {
  if (leaked.bytes > MAX_LEAKED_BYTES) {
    leaked.bytes = 0;
    leaked.copies += 1;
  }
  const { ZSTDDecoder } = await loadZstdLibrary(leaked.copies);
  const decoder = new ZSTDDecoder();
  await decoder.init();
  return decoder;
}

/** Runs a decoder without further input until it frees its memory. Returns false if it does not. */
function runToEnd(chunks: Generator<Uint8Array>): boolean {
  try {
    for (let step = 0; step < 3; step++) if (chunks.next().done === true) return true;
    return false;
  } catch {
    return true;
  }
}

/** Passes pieces to a synchronous decoder, which returns empty output for damaged input. */
class FrameInput implements Iterable<Uint8Array> {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #next: Uint8Array | undefined;
  #emptySincePiece = 0;

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** Must be called before each step of the decoder. */
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

  end(): void {
    this.#next = undefined;
  }

  /** Must be called after empty output, which is valid only once per piece. */
  expectProgress(): void {
    if (++this.#emptySincePiece > 1) throw new RangeError('a zstd frame is damaged');
  }
}

function checkWindow({ window }: ZstdFrame, subject: string, limits: Limits): void {
  if (window > limits.zstdWindowBytes) {
    const what = `the layer is packed with a window of ${window} bytes (\`zstd --long\`); at most ${limits.zstdWindowBytes} are taken`;
    throw new SourceError('TOO_LARGE', subject, what);
  }
  if (leaked.filled > limits.zstdLeakedBytes) {
    const what = 'not unpacked, because several zstd layers before it are damaged';
    throw new SourceError('TOO_LARGE', subject, what);
  }
}

/** A frame of a zstd stream (RFC 8878). */
interface ZstdFrame {
  /** Header, blocks (many per piece) and checksum. Must be read before the next frame. */
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Window size in bytes: how far back blocks may refer. */
  readonly window: number;
}

const ZSTD_MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;
const SKIPPABLE_MASK = 0xfffffff0;

/** Yields frames, and undefined for a skippable one. Throws a `RangeError` for damage. */
async function* zstdFrames(reader: ByteReader): AsyncGenerator<ZstdFrame | undefined> {
  while ((await reader.peek(1)).length > 0) {
    const magic = dataView(await reader.peek(4)).getUint32(0, true);
    if ((magic & SKIPPABLE_MASK) >>> 0 === SKIPPABLE_MAGIC) {
      const length = dataView(await reader.read(8)).getUint32(4, true);
      if ((await reader.skip(length)) < length) throw truncatedError();
      yield undefined;
    } else {
      if (magic !== ZSTD_MAGIC) throw new RangeError('not a zstd frame');
      const header = parseHeader(dataView(await reader.peek(MAX_HEADER_BYTES)));
      yield { pieces: framePieces(reader, header), window: header.window };
    }
  }
}

async function* framePieces(
  reader: ByteReader,
  { length, hasChecksum }: FrameHeader,
): AsyncGenerator<Uint8Array> {
  yield requireLength(await reader.read(length), length);
  for (let isLast = false; !isLast;) {
    const blocks = completeBlocks(await reader.peek(PIECE_BYTES));
    isLast = blocks.isLast;
    yield await reader.read(blocks.length);
  }
  if (hasChecksum) yield requireLength(await reader.read(CHECKSUM_BYTES), CHECKSUM_BYTES);
}

/** Returns a view, which throws a `RangeError` on reads past the end. */
function dataView(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function requireLength(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length < length) throw truncatedError();
  return bytes;
}

function truncatedError(): RangeError {
  return new RangeError('a zstd frame is cut off');
}

interface FrameHeader {
  readonly length: number;
  readonly window: number;
  readonly hasChecksum: boolean;
}

const MAX_HEADER_BYTES = 18;
const CHECKSUM_BYTES = 4;
const RESERVED = 0b1000;
const CHECKSUM = 0b100;
const SINGLE_SEGMENT = 0b10_0000;
const DICTIONARY = 0b11;

function parseHeader(view: DataView): FrameHeader {
  const flags = view.getUint8(4);
  if ((flags & RESERVED) !== 0) throw new RangeError('a zstd header has a reserved bit set');
  if ((flags & DICTIONARY) !== 0) throw new RangeError('a zstd frame needs a dictionary');
  const isSingle = (flags & SINGLE_SEGMENT) !== 0;
  const at = isSingle ? 5 : 6;
  const sizeLength = [isSingle ? 1 : 0, 2, 4, 8][flags >> 6]!;
  const size = contentSize(view, at, sizeLength);
  return {
    length: at + sizeLength,
    window: isSingle ? size! : windowSize(view.getUint8(5)),
    hasChecksum: (flags & CHECKSUM) !== 0,
  };
}

function contentSize(view: DataView, at: number, length: number): number | undefined {
  switch (length) {
    case 1:
      return view.getUint8(at);
    case 2:
      return view.getUint16(at, true) + 256;
    case 4:
      return view.getUint32(at, true);
    case 8:
      return Number(view.getBigUint64(at, true));
    default:
      return undefined;
  }
}

function windowSize(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}

const BLOCK_HEADER = 3;
/** Maximum block size by RFC 8878. */
const MAX_BLOCK_BYTES = 128 * 1024;
const RLE = 1;
const RESERVED_BLOCK = 3;

/** Large enough for the largest block and for many small ones, so that few reads are needed. */
const PIECE_BYTES = 2 * MAX_BLOCK_BYTES;

/** Returns the length of the complete blocks at the start, and whether the last is included. */
function completeBlocks(bytes: Uint8Array) {
  const view = dataView(bytes);
  let length = 0;
  while (length + BLOCK_HEADER <= bytes.length) {
    const block = blockAt(view, length);
    if (length + block.length > bytes.length) break;
    length += block.length;
    if (block.isLast) return { length, isLast: true };
  }
  if (length === 0) throw truncatedError();
  return { length, isLast: false };
}

/** Returns the length of the block at `at`, header included. */
function blockAt(view: DataView, at: number) {
  const header = view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
  const type = (header >> 1) & 3;
  if (type === RESERVED_BLOCK) throw new RangeError('a zstd block is of no known type');
  const size = header >> 3;
  if (size > MAX_BLOCK_BYTES) throw new RangeError('a zstd block is too large');
  return { length: BLOCK_HEADER + (type === RLE ? 1 : size), isLast: (header & 1) === 1 };
}
