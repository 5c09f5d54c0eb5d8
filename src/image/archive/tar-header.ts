/** Tars are made of blocks of this many bytes. */
export const BLOCK = 512;

/** A header block as Go's archive/tar reads it. */
export interface TarHeader {
  readonly name: string;
  /** The type flag, one character; `\0` is the oldest spelling of a regular file. */
  readonly flag: string;
  readonly size: number;
}

/** Where fields lie in a header block: offset and length. */
const FIELD = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  checksum: [148, 8],
  flag: [156, 1],
  magic: [257, 8],
  deviceMajor: [329, 8],
  deviceMinor: [337, 8],
  prefix: [345, 155],
  gnuAccessTime: [345, 12],
  gnuChangeTime: [357, 12],
  starPrefix: [345, 131],
  starAccessTime: [476, 12],
  starChangeTime: [488, 12],
  starTrailer: [508, 4],
} as const;

type Field = readonly [offset: number, length: number];

/** Every number that Go parses, whatever it is for: one that does not parse damages the header. */
const NUMBERS: readonly Field[] = [FIELD.mode, FIELD.uid, FIELD.gid, FIELD.mtime];
const DEVICE_NUMBERS: readonly Field[] = [FIELD.deviceMajor, FIELD.deviceMinor];

/**
 * Reads one header block; undefined: Go refuses it, or reads it by a rule for the sake of a writer
 * that was mended long ago.
 */
export function parseTarHeader(block: Uint8Array): TarHeader | undefined {
  const format = formatOf(block);
  const size = numberIn(block, FIELD.size);
  if (format === undefined || size === undefined || size < 0) return undefined;
  const numbers = format === 'v7' ? NUMBERS : [...NUMBERS, ...DEVICE_NUMBERS];
  if (numbers.some((field) => numberIn(block, field) === undefined)) return undefined;
  const prefix = prefixIn(block, format);
  if (prefix === undefined) return undefined;
  const name = textIn(block, FIELD.name);
  const flag = String.fromCharCode(block[FIELD.flag[0]]!);
  return { name: prefix === '' ? name : `${prefix}/${name}`, flag, size };
}

type Format = 'v7' | 'ustar' | 'star' | 'gnu';

/** undefined: the checksum is wrong. */
function formatOf(block: Uint8Array): Format | undefined {
  const checksum = octal(bytesIn(block, FIELD.checksum));
  if (checksum === undefined || !checksums(block).includes(checksum)) return undefined;
  const magic = latin1(bytesIn(block, FIELD.magic));
  if (magic.startsWith('ustar\0')) {
    return latin1(bytesIn(block, FIELD.starTrailer)) === 'tar\0' ? 'star' : 'ustar';
  }
  return magic === 'ustar  \0' ? 'gnu' : 'v7';
}

/** Of unsigned and of signed bytes, with blanks in place of the checksum itself: both are in use. */
function checksums(block: Uint8Array): [unsigned: number, signed: number] {
  const [offset, length] = FIELD.checksum;
  let unsigned = 0;
  let signed = 0;
  for (let i = 0; i < BLOCK; i++) {
    const byte = i >= offset && i < offset + length ? 0x20 : block[i]!;
    unsigned += byte;
    signed += byte < 0x80 ? byte : byte - 0x100;
  }
  return [unsigned, signed];
}

/** What stands before the name; undefined: damaged. */
function prefixIn(block: Uint8Array, format: Format): string | undefined {
  switch (format) {
    case 'v7':
      return '';
    case 'ustar':
      return textIn(block, FIELD.prefix);
    case 'star': {
      const times = [FIELD.starAccessTime, FIELD.starChangeTime];
      const damaged = times.some((field) => numberIn(block, field) === undefined);
      return damaged ? undefined : textIn(block, FIELD.starPrefix);
    }
    case 'gnu': {
      // GNU keeps times where others keep a prefix. Go takes what is no time for a prefix, because its
      // own writer once put one there; no package was built by that writer.
      const times = [FIELD.gnuAccessTime, FIELD.gnuChangeTime];
      const damaged = times.some(
        (field) => block[field[0]] !== 0 && numberIn(block, field) === undefined,
      );
      return damaged ? undefined : '';
    }
  }
}

function bytesIn(block: Uint8Array, [offset, length]: Field): Uint8Array {
  return block.subarray(offset, offset + length);
}

function textIn(block: Uint8Array, field: Field): string {
  return tarText(bytesIn(block, field));
}

/** Bytes up to the first zero, as text. */
export function tarText(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return decoded(end === -1 ? bytes : bytes.subarray(0, end));
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** UTF-8 where it is that; else a character for each byte, so that different names stay different. */
export function decoded(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    return latin1(bytes);
  }
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** undefined: no number, or one that no size or id is. */
function numberIn(block: Uint8Array, field: Field): number | undefined {
  const bytes = bytesIn(block, field);
  return (bytes[0]! & 0x80) === 0 ? octal(bytes) : base256(bytes);
}

/** Digits among blanks and zero bytes; nothing at all is 0. */
function octal(bytes: Uint8Array): number | undefined {
  const text = latin1(bytes).replace(/^[ \0]+|(?<![ \0])[ \0]+$/g, '');
  if (text === '') return 0;
  const digits = text.split('\0', 1)[0]!;
  if (!/^[0-7]+$/.test(digits)) return undefined;
  const value = Number.parseInt(digits, 8);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** Two's complement, the top bit aside, which says that the number is one of these. */
function base256(bytes: Uint8Array): number | undefined {
  const negative = (bytes[0]! & 0x40) !== 0;
  let value = 0;
  for (const [i, byte] of bytes.entries()) {
    const inverted = negative ? byte ^ 0xff : byte;
    value = value * 256 + (i === 0 ? inverted & 0x7f : inverted);
  }
  if (!Number.isSafeInteger(value)) return undefined;
  return negative ? -1 - value : value;
}
