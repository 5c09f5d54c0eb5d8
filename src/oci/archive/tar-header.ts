export const TAR_BLOCK_BYTES = 512;

/** A header block, as Go's archive/tar parses it. */
export interface TarHeader {
  readonly name: string;
  /** The type flag, one character; `\0` is the oldest spelling of a regular file. */
  readonly flag: string;
  readonly size: number;
}

/** Offset and length of each field in a header block. */
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

/** Go rejects a header if one of these numbers is invalid. */
const NUMBERS: readonly Field[] = [FIELD.mode, FIELD.uid, FIELD.gid, FIELD.mtime];
/** Numbers of all formats but the oldest. */
const DEVICE_NUMBERS: readonly Field[] = [FIELD.deviceMajor, FIELD.deviceMinor];

/** Returns undefined if Go rejects the block or accepts it only due to a bug in its writer. */
export function parseTarHeader(block: Uint8Array): TarHeader | undefined {
  const format = formatOf(block);
  const size = numberField(block, FIELD.size);
  if (format === undefined || size === undefined || size < 0) return undefined;
  const numbers = format === 'v7' ? NUMBERS : [...NUMBERS, ...DEVICE_NUMBERS];
  if (numbers.some((field) => numberField(block, field) === undefined)) return undefined;
  const prefix = namePrefix(block, format);
  if (prefix === undefined) return undefined;
  const name = textField(block, FIELD.name);
  const flag = String.fromCharCode(block[FIELD.flag[0]]!);
  return { name: prefix === '' ? name : `${prefix}/${name}`, flag, size };
}

type Format = 'v7' | 'ustar' | 'star' | 'gnu';

/** Returns undefined if the checksum is wrong. */
function formatOf(block: Uint8Array): Format | undefined {
  const checksum = octal(bytesField(block, FIELD.checksum));
  if (checksum === undefined || !checksums(block).includes(checksum)) return undefined;
  const magic = latin1(bytesField(block, FIELD.magic));
  if (magic.startsWith('ustar\0')) {
    return latin1(bytesField(block, FIELD.starTrailer)) === 'tar\0' ? 'star' : 'ustar';
  }
  return magic === 'ustar  \0' ? 'gnu' : 'v7';
}

/** Returns the sums of unsigned and signed bytes, with spaces in the checksum field. */
function checksums(block: Uint8Array): [unsigned: number, signed: number] {
  const [offset, length] = FIELD.checksum;
  let unsigned = 0;
  let signed = 0;
  for (let i = 0; i < TAR_BLOCK_BYTES; i++) {
    const byte = i >= offset && i < offset + length ? 0x20 : block[i]!;
    unsigned += byte;
    signed += byte < 0x80 ? byte : byte - 0x100;
  }
  return [unsigned, signed];
}

/** Returns the prefix of the name, or undefined if the header is damaged. */
function namePrefix(block: Uint8Array, format: Format): string | undefined {
  const isDamaged = (field: Field) => numberField(block, field) === undefined;
  switch (format) {
    case 'v7':
      return '';
    case 'ustar':
      return textField(block, FIELD.prefix);
    case 'star': {
      const times = [FIELD.starAccessTime, FIELD.starChangeTime];
      return times.some(isDamaged) ? undefined : textField(block, FIELD.starPrefix);
    }
    case 'gnu': {
      // GNU stores times where other formats store a prefix. Old Go tar writers had
      // a bug, so Go reads an invalid time as a prefix; no package builder uses such an old Go.
      const times = [FIELD.gnuAccessTime, FIELD.gnuChangeTime];
      return times.some((field) => block[field[0]] !== 0 && isDamaged(field)) ? undefined : '';
    }
  }
}

function bytesField(block: Uint8Array, [offset, length]: Field): Uint8Array {
  return block.subarray(offset, offset + length);
}

function textField(block: Uint8Array, field: Field): string {
  return tarText(bytesField(block, field));
}

/** Decodes the bytes before the first zero byte. */
export function tarText(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return decodeText(end === -1 ? bytes : bytes.subarray(0, end));
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes UTF-8, or else Latin-1, so that different names stay different. */
function decodeText(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    return latin1(bytes);
  }
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** Returns undefined if the field is not a number or not a safe integer. */
function numberField(block: Uint8Array, field: Field): number | undefined {
  const bytes = bytesField(block, field);
  return (bytes[0]! & 0x80) === 0 ? octal(bytes) : base256(bytes);
}

/** Parses octal digits surrounded by spaces or zero bytes. An empty field is 0. */
function octal(bytes: Uint8Array): number | undefined {
  const text = latin1(bytes).replace(/^[ \0]+|(?<![ \0])[ \0]+$/g, '');
  if (text === '') return 0;
  const digits = text.split('\0', 1)[0]!;
  if (!/^[0-7]+$/.test(digits)) return undefined;
  const value = Number.parseInt(digits, 8);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** Parses a two's complement number. The top bit only marks this encoding. */
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

/** The records of a PAX header that affect the name and size of the next file. */
export interface PaxRecords {
  readonly path?: string | undefined;
  readonly size?: number | undefined;
}

const INTEGERS = new Set(['uid', 'gid', 'size']);
const TIMES = new Set(['atime', 'mtime', 'ctime']);
const TEXTS = new Set(['path', 'linkpath', 'uname', 'gname']);
/** A longer length field is invalid: no header is that large. */
const MAX_LENGTH_DIGITS = 8;

/**
 * Parses the records of a PAX header (`23 path=some/file\n`). The last record of a key wins.
 * Returns undefined if Go rejects the header, or if it describes a sparse file: no package builder
 * writes those, and readers disagree about their names and content.
 */
export function parsePaxRecords(bytes: Uint8Array): PaxRecords | undefined {
  const values = new Map<string, string>();
  let at = 0;
  while (at < bytes.length) {
    const record = recordAt(bytes, at);
    if (record === undefined) return undefined;
    at = record.end;
    if (record.key.startsWith('GNU.sparse.') || !isValid(record.key, record.value)) {
      return undefined;
    }
    values.set(record.key, record.value);
  }
  // An empty value does not override the header.
  const size = values.get('size') || undefined;
  return { path: values.get('path') || undefined, size: size === undefined ? size : Number(size) };
}

function recordAt(bytes: Uint8Array, at: number) {
  const spaceAt = bytes.indexOf(0x20, at);
  if (spaceAt === -1 || spaceAt - at > MAX_LENGTH_DIGITS) return undefined;
  const digits = decodeText(bytes.subarray(at, spaceAt));
  const end = at + Number(digits);
  if (!/^\d+$/.test(digits) || end > bytes.length || end <= spaceAt + 1) return undefined;
  const equalsAt = bytes.indexOf(0x3d, spaceAt);
  if (bytes[end - 1] !== 0x0a || equalsAt === -1 || equalsAt > end - 2) return undefined;
  const key = decodeText(bytes.subarray(spaceAt + 1, equalsAt));
  return { key, value: decodeText(bytes.subarray(equalsAt + 1, end - 1)), end };
}

function isValid(key: string, value: string): boolean {
  if (key === '' || key.includes('\0')) return false;
  if (TEXTS.has(key)) return !value.includes('\0');
  if (value === '') return true;
  if (INTEGERS.has(key)) return /^\d{1,15}$/.test(value);
  if (TIMES.has(key)) return /^-?\d{1,18}(?:\.\d*)?$/.test(value);
  return true;
}
