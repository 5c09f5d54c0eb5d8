/** One frame of a zstd stream, by the format of RFC 8878. */
export interface ZstdFrame {
  /** All of its bytes. */
  readonly bytes: Uint8Array;
  /** undefined: a skippable frame, which holds nothing. */
  readonly content: ZstdContent | undefined;
}

export interface ZstdContent {
  /** How far back in what was unpacked its blocks may refer, in bytes. */
  readonly window: number;
}

export const ZSTD_MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;
const SKIPPABLE_MASK = 0xfffffff0;

/** The frames that bytes consist of, and nothing else; throws `RangeError` where they are damaged. */
export function* zstdFrames(bytes: Uint8Array): Generator<ZstdFrame> {
  for (let at = 0; at < bytes.length;) {
    const frame = frameAt(bytes.subarray(at));
    at += frame.bytes.length;
    yield frame;
  }
}

function frameAt(bytes: Uint8Array): ZstdFrame {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const magic = view.getUint32(0, true);
  if ((magic & SKIPPABLE_MASK) >>> 0 === SKIPPABLE_MAGIC) {
    return { bytes: part(bytes, 8 + view.getUint32(4, true)), content: undefined };
  }
  if (magic !== ZSTD_MAGIC) throw new RangeError('not a zstd frame');
  const header = headerOf(view);
  const end = blocksEnd(view, header.length);
  const frame = part(bytes, header.hasChecksum ? end + 4 : end);
  return { bytes: frame, content: { window: header.window } };
}

/** The first bytes; throws where there are fewer. */
function part(bytes: Uint8Array, length: number): Uint8Array {
  if (length > bytes.length) throw new RangeError('a zstd frame is cut off');
  return bytes.subarray(0, length);
}

interface FrameHeader {
  readonly length: number;
  readonly window: number;
  readonly hasChecksum: boolean;
}

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

const RLE = 1;
const RESERVED_BLOCK = 3;

/** Where the last block ends, for blocks that begin at `at`. */
function blocksEnd(view: DataView, at: number): number {
  for (let next = at; ;) {
    const header = view.getUint16(next, true) | (view.getUint8(next + 2) << 16);
    const type = (header >> 1) & 3;
    if (type === RESERVED_BLOCK) throw new RangeError('a zstd block is of no known type');
    next += 3 + (type === RLE ? 1 : header >> 3);
    if (next > view.byteLength) throw new RangeError('a zstd block is cut off');
    if ((header & 1) === 1) return next;
  }
}
