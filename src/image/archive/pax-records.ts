import { decoded } from './tar-header.js';

/** What a PAX header says of the file that follows it, as far as it bears on which bytes it has. */
export interface PaxRecords {
  readonly path?: string;
  readonly size?: number;
}

const INTEGERS = new Set(['uid', 'gid', 'size']);
const TIMES = new Set(['atime', 'mtime', 'ctime']);
const TEXTS = new Set(['path', 'linkpath', 'uname', 'gname']);
/** Of a length of this many digits no record is. */
const MAX_LENGTH_DIGITS = 8;

/**
 * The records of a PAX header (`23 path=some/file\n`), the last of each key. undefined: Go refuses
 * them, or they describe a sparse file: no builder of packages writes one, and readers differ over
 * its name and content.
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
  // An empty value takes nothing away: the header's own counts.
  const path = values.get('path') || undefined;
  const size = values.get('size') || undefined;
  return {
    ...(path !== undefined && { path }),
    ...(size !== undefined && { size: Number(size) }),
  };
}

interface PaxRecord {
  readonly key: string;
  readonly value: string;
  readonly end: number;
}

function recordAt(bytes: Uint8Array, at: number): PaxRecord | undefined {
  const blank = bytes.indexOf(0x20, at);
  if (blank === -1 || blank - at > MAX_LENGTH_DIGITS) return undefined;
  const digits = decoded(bytes.subarray(at, blank));
  const end = at + Number(digits);
  if (!/^\d+$/.test(digits) || end > bytes.length || end <= blank + 1) return undefined;
  const equals = bytes.indexOf(0x3d, blank);
  if (bytes[end - 1] !== 0x0a || equals === -1 || equals > end - 2) return undefined;
  const key = decoded(bytes.subarray(blank + 1, equals));
  return { key, value: decoded(bytes.subarray(equals + 1, end - 1)), end };
}

function isValid(key: string, value: string): boolean {
  if (key === '' || key.includes('\0')) return false;
  if (TEXTS.has(key)) return !value.includes('\0');
  if (value === '') return true;
  if (INTEGERS.has(key)) return /^\d{1,15}$/.test(value);
  if (TIMES.has(key)) return /^-?\d{1,18}(?:\.\d*)?$/.test(value);
  return true;
}
