import type { ByteReader } from './byte-reader.js';

/** One frame of a zstd stream, by the format of RFC 8878. */
export interface ZstdFrame {
  /** Header, blocks, many at a time, and checksum; read them before the next frame. */
  readonly pieces: AsyncIterable<Uint8Array>;
  /** How far back in what was unpacked its blocks may refer, in bytes. */
  readonly window: number;
}

export const ZSTD_MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;
const SKIPPABLE_MASK = 0xfffffff0;

/**
 * The frames that bytes consist of, and nothing else; undefined: a skippable one, which holds
 * nothing. Throws `RangeError` where they are damaged.
 */
export async function* zstdFrames(reader: ByteReader): AsyncGenerator<ZstdFrame | undefined> {
  while ((await reader.peek(1)).length > 0) {
    const magic = viewOf(await reader.peek(4)).getUint32(0, true);
    if ((magic & SKIPPABLE_MASK) >>> 0 === SKIPPABLE_MAGIC) {
      await skipFrame(reader);
      yield undefined;
    } else {
      if (magic !== ZSTD_MAGIC) throw new RangeError('not a zstd frame');
      yield* contentFrame(reader);
    }
  }
}

async function skipFrame(reader: ByteReader): Promise<void> {
  const length = viewOf(await reader.read(8)).getUint32(4, true);
  if ((await reader.skip(length)) < length) throw cutOff();
}

async function* contentFrame(reader: ByteReader): AsyncGenerator<ZstdFrame> {
  const header = headerOf(viewOf(await reader.peek(LONGEST_HEADER)));
  yield { pieces: piecesOf(reader, header), window: header.window };
}

async function* piecesOf(
  reader: ByteReader,
  { length, hasChecksum }: FrameHeader,
): AsyncGenerator<Uint8Array> {
  yield whole(await reader.read(length), length);
  for (let isLast = false; !isLast;) {
    const blocks = wholeBlocks(await reader.peek(PIECE_BYTES));
    isLast = blocks.isLast;
    yield await reader.read(blocks.length);
  }
  if (hasChecksum) yield whole(await reader.read(CHECKSUM_BYTES), CHECKSUM_BYTES);
}

/** A view that throws `RangeError` where a field lies behind the end. */
function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function whole(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length < length) throw cutOff();
  return bytes;
}

function cutOff(): RangeError {
  return new RangeError('a zstd frame is cut off');
}

interface FrameHeader {
  readonly length: number;
  readonly window: number;
  readonly hasChecksum: boolean;
}

const LONGEST_HEADER = 18;
const CHECKSUM_BYTES = 4;
const RESERVED = 0b1000;
const CHECKSUM = 0b100;
const SINGLE_SEGMENT = 0b10_0000;
const DICTIONARY = 0b11;

function headerOf(view: DataView): FrameHeader {
  const flags = view.getUint8(4);
  if ((flags & RESERVED) !== 0) throw new RangeError('a zstd header has a reserved bit set');
  if ((flags & DICTIONARY) !== 0) throw new RangeError('a zstd frame needs a dictionary');
  const isSingle = (flags & SINGLE_SEGMENT) !== 0;
  const at = isSingle ? 5 : 6;
  const sizeLength = [isSingle ? 1 : 0, 2, 4, 8][flags >> 6]!;
  const size = sizeAt(view, at, sizeLength);
  return {
    length: at + sizeLength,
    window: isSingle ? size! : windowOf(view.getUint8(5)),
    hasChecksum: (flags & CHECKSUM) !== 0,
  };
}

function sizeAt(view: DataView, at: number, length: number): number | undefined {
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

function windowOf(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}

const BLOCK_HEADER = 3;
/** RFC 8878 lets no block be larger. */
const LARGEST_BLOCK = 128 * 1024;
const RLE = 1;
const RESERVED_BLOCK = 3;

/** Room for the largest block, and for many small ones: to wait for each would take long. */
const PIECE_BYTES = 2 * LARGEST_BLOCK;

/** How many bytes at the start are whole blocks of a frame, and whether its last is among them. */
function wholeBlocks(bytes: Uint8Array): { readonly length: number; readonly isLast: boolean } {
  const view = viewOf(bytes);
  let length = 0;
  while (length + BLOCK_HEADER <= bytes.length) {
    const block = blockAt(view, length);
    if (length + block.length > bytes.length) break;
    length += block.length;
    if (block.isLast) return { length, isLast: true };
  }
  if (length === 0) throw cutOff();
  return { length, isLast: false };
}

/** The block whose header is at `at`: how long it is, with the header. */
function blockAt(
  view: DataView,
  at: number,
): { readonly length: number; readonly isLast: boolean } {
  const header = view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
  const type = (header >> 1) & 3;
  if (type === RESERVED_BLOCK) throw new RangeError('a zstd block is of no known type');
  const size = header >> 3;
  if (size > LARGEST_BLOCK) throw new RangeError('a zstd block is too large');
  return { length: BLOCK_HEADER + (type === RLE ? 1 : size), isLast: (header & 1) === 1 };
}
