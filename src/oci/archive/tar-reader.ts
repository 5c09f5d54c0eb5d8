import { posix } from 'node:path';
import { ByteReader } from './byte-reader.js';
import {
  TAR_BLOCK_BYTES,
  parsePaxRecords,
  parseTarHeader,
  type PaxRecords,
  type TarHeader,
  tarText,
} from './tar-header.js';
import { SourceError } from '../../base/errors.js';
import { printable } from '../../base/escape.js';
import { LIMITS, type Limits } from '../image/limits.js';

export interface TarEntry {
  /** Name as written in the tar. */
  readonly name: string;
  /** Name as normalized by Go's `filepath.Clean`. */
  readonly path: string;
  readonly type: RawEntry['type'];
  /** Position of the content in the tar. */
  readonly extent: { readonly offset: number; readonly size: number };
  /** Must be read before the next entry is requested, or not at all. */
  readonly content: AsyncIterable<Uint8Array>;
}

/**
 * Yields the entries of an untrusted tar. Throws if a path occurs twice, or if Go rejects the tar.
 * Bytes after its end are read because they count toward the size limit.
 */
export async function* tarEntries(
  bytes: AsyncIterable<Uint8Array>,
  subject: string,
  limits: Limits = LIMITS,
): AsyncGenerator<TarEntry> {
  const pathOf = entryPaths(subject, limits);
  for await (const { name, type, offset, size, content } of readTar(bytes, subject)) {
    yield { name, path: pathOf(name, type), type, extent: { offset, size }, content };
  }
}

/** Thrown if bytes are not a tar, are truncated, or could be read differently by another reader. */
export class DamagedTarError extends SourceError {
  constructor(subject: string, what: string) {
    super('BAD_IMAGE', subject, `not a tar archive, or cut off (${what})`);
  }
}

/** Reads the blocks of a tar. */
class TarBlocks extends ByteReader {
  readonly #subject: string;

  constructor(bytes: AsyncIterable<Uint8Array>, subject: string) {
    super(bytes);
    this.#subject = subject;
  }

  damaged(what: string): DamagedTarError {
    return new DamagedTarError(this.#subject, what);
  }
}

/** Returns a function that normalizes, limits and checks the names of one tar. */
function entryPaths(
  subject: string,
  { tarEntries: maxEntries, tarNameChars, tarNamesChars, tarNameDepth }: Limits,
): (name: string, type: RawEntry['type']) => string {
  const paths = new Set<string>();
  let count = 0;
  let characters = 0;
  const tooLarge = (what: string) => new SourceError('TOO_LARGE', subject, what);
  return (name, type) => {
    count += 1;
    characters += name.length;
    if (count > maxEntries) throw tooLarge(`the layer has more than ${maxEntries} files`);
    if (name.length > tarNameChars) {
      throw tooLarge(`the layer has a file whose name is longer than ${tarNameChars} characters`);
    }
    if (characters > tarNamesChars) {
      throw tooLarge(
        `the names of the layer's files have more than ${tarNamesChars} characters together`,
      );
    }
    const path = normalizedPath(name);
    // Looking up all parents of a path takes quadratic time in its depth.
    if (path.split('/', tarNameDepth + 2).length > tarNameDepth + 1) {
      throw tooLarge(`the layer has a file that lies more than ${tarNameDepth} folders deep`);
    }
    if (paths.has(path)) {
      const what = `the layer holds \`${printable(path)}\` twice, so two readers could see two files`;
      throw new SourceError('BAD_IMAGE', subject, what);
    }
    // Archivers do repeat folders and global headers; these have no content to disagree about.
    if (type === 'file' || type === 'other') paths.add(path);
    return path;
  };
}

function normalizedPath(name: string): string {
  const path = posix.normalize(name);
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

interface RawEntry extends Pick<TarEntry, 'name' | 'content'> {
  /** `global` is a PAX header for all files, which Go ignores. */
  readonly type: 'file' | 'directory' | 'global' | 'other';
  readonly offset: number;
  readonly size: number;
}

/** Maximum size of long names and PAX headers, as in Go. */
const MAX_SPECIAL_BYTES = 1024 * 1024;

/** Flags of links, devices, folders and pipes, which have no content, whatever their size. */
const HEADER_ONLY = new Set(['1', '2', '3', '4', '5', '6']);

/** Attributes from PAX and GNU headers that apply to the next entry. */
interface PendingAttributes {
  readonly pax: PaxRecords;
  readonly longName: string;
}

const NO_ATTRIBUTES: PendingAttributes = { pax: {}, longName: '' };

/**
 * Yields the entries of a tar by the rules of Go's archive/tar, without sparse files. Throws
 * `DamagedTarError`. The content of an entry must be read before the next entry is requested, or not at
 * all.
 */
export async function* readTar(
  bytes: AsyncIterable<Uint8Array>,
  subject: string,
): AsyncGenerator<RawEntry> {
  const reader = new TarBlocks(bytes, subject);
  try {
    let pending = NO_ATTRIBUTES;
    for (;;) {
      const header = await nextHeader(reader);
      if (header === undefined) break;
      switch (header.flag) {
        case 'x':
          pending = { ...pending, pax: await readPax(reader, header) };
          continue;
        case 'g':
          yield await globalHeader(reader, header);
          break;
        case 'L':
          pending = { ...pending, longName: tarText(await readExtendedHeader(reader, header)) };
          continue;
        case 'K':
          await readExtendedHeader(reader, header);
          continue;
        case 'S':
          throw reader.damaged('a sparse file');
        default:
          yield* entry(reader, withAttributes(header, pending));
      }
      pending = NO_ATTRIBUTES;
    }
    // Trailing bytes belong to no file but count toward the size limit.
    await reader.skip(Infinity);
  } finally {
    await reader.close();
  }
}

/** Returns undefined at the end of the tar. */
async function nextHeader(reader: TarBlocks): Promise<TarHeader | undefined> {
  const block = await readBlock(reader);
  if (block === undefined) return undefined;
  if (isZero(block)) {
    const secondZeroBlock = await readBlock(reader);
    if (secondZeroBlock === undefined || isZero(secondZeroBlock)) return undefined;
    throw reader.damaged('a block of zeros, and no second');
  }
  const header = parseTarHeader(block);
  if (header === undefined) throw reader.damaged('a header that is none');
  return header;
}

/** Returns undefined at the end of the stream. */
async function readBlock(reader: TarBlocks): Promise<Uint8Array | undefined> {
  const block = await reader.read(TAR_BLOCK_BYTES);
  if (block.length === 0) return undefined;
  if (block.length < TAR_BLOCK_BYTES) throw reader.damaged('a header cut off');
  return block;
}

function isZero(block: Uint8Array): boolean {
  return block.every((byte) => byte === 0);
}

/** Returns the content of a header that describes the next entry. */
async function readExtendedHeader(reader: TarBlocks, { size }: TarHeader): Promise<Uint8Array> {
  if (size > MAX_SPECIAL_BYTES) throw reader.damaged('a header of more than a mebibyte');
  const content = await reader.read(size);
  if (content.length < size) throw reader.damaged('a header cut off');
  await reader.skip(paddingSize(size));
  return content;
}

async function readPax(reader: TarBlocks, header: TarHeader): Promise<PaxRecords> {
  const records = parsePaxRecords(await readExtendedHeader(reader, header));
  if (records === undefined) throw reader.damaged('a PAX header that is none');
  return records;
}

/** Go returns a global header as an entry, named by its own records, and ignores its values. */
async function globalHeader(reader: TarBlocks, header: TarHeader): Promise<RawEntry> {
  const { path = header.name } = await readPax(reader, header);
  return { name: path, type: 'global', offset: reader.position, size: 0, content: emptyContent() };
}

function withAttributes(header: TarHeader, { pax, longName }: PendingAttributes): TarHeader {
  const name = longName || pax.path || header.name;
  const isOldStyleFolder = header.flag === '\0' && name.endsWith('/');
  return { name, flag: isOldStyleFolder ? '5' : header.flag, size: pax.size ?? header.size };
}

async function* entry(reader: TarBlocks, header: TarHeader): AsyncGenerator<RawEntry> {
  const { name, flag } = header;
  const size = HEADER_ONLY.has(flag) ? 0 : header.size;
  const offset = reader.position;
  yield { name, type: entryType(flag), offset, size, content: contentOf(reader, size) };
  const unreadBytes = offset + size - reader.position;
  if ((await reader.skip(unreadBytes)) < unreadBytes) throw reader.damaged('a file cut off');
  await reader.skip(paddingSize(size));
}

function entryType(flag: string): RawEntry['type'] {
  if (flag === '0' || flag === '\0') return 'file';
  return flag === '5' ? 'directory' : 'other';
}

async function* contentOf(reader: TarBlocks, size: number): AsyncGenerator<Uint8Array> {
  let missing = size;
  for await (const chunk of reader.stream(size)) {
    missing -= chunk.length;
    yield chunk;
  }
  if (missing > 0) throw reader.damaged('a file cut off');
}

async function* emptyContent(): AsyncGenerator<Uint8Array> {}

function paddingSize(size: number): number {
  return (TAR_BLOCK_BYTES - (size % TAR_BLOCK_BYTES)) % TAR_BLOCK_BYTES;
}
