import { ByteReader } from './byte-reader.js';
import { parsePaxRecords, type PaxRecords } from './pax-records.js';
import { BLOCK, parseTarHeader, tarText, type TarHeader } from './tar-header.js';

/** One file of a tar as it stands there. */
export interface RawEntry {
  readonly name: string;
  /** `global`: a PAX header that says something of all files, and that Go applies to none. */
  readonly type: 'file' | 'directory' | 'global' | 'other';
  /** Where its content begins in the tar. */
  readonly offset: number;
  readonly size: number;
  readonly content: AsyncIterable<Uint8Array>;
}

/** Bytes that Go refuses, or that another reader could read otherwise. */
export class DamagedTar extends Error {
  override readonly name = 'DamagedTar';
}

/** Go refuses longer names and PAX headers. */
const MAX_SPECIAL_BYTES = 1024 * 1024;

/** Links, devices, folders and pipes: whatever their size says, no content follows. */
const HEADER_ONLY = new Set(['1', '2', '3', '4', '5', '6']);

/** What goes before a file and says more of it than its header has room for. */
interface Announced {
  pax: PaxRecords;
  longName: string;
}

/**
 * The entries of a tar, in order, read by the rules of Go's archive/tar, which Crossplane reads
 * layers with. What Go refuses throws `DamagedTar`; so do sparse files, which Go would read.
 *
 * Two blocks of zeros end a tar, as does the last byte at a border between blocks. Content must be
 * read before the next entry is asked for, or not at all.
 */
export async function* readTar(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<RawEntry> {
  const reader = new ByteReader(bytes);
  try {
    let announced: Announced = { pax: {}, longName: '' };
    for (;;) {
      const header = await nextHeader(reader);
      if (header === undefined) break;
      switch (header.flag) {
        case 'x':
          announced.pax = parsed(await special(reader, header));
          continue;
        case 'g':
          yield globalHeader(parsed(await special(reader, header)), header, reader.position);
          break;
        case 'L':
          announced.longName = tarText(await special(reader, header));
          continue;
        case 'K':
          await special(reader, header);
          continue;
        case 'S':
          throw new DamagedTar('a sparse file');
        default:
          yield* entry(reader, described(header, announced));
      }
      announced = { pax: {}, longName: '' };
    }
    // What stands behind the end belongs to no file, but counts as unpacked.
    await reader.skip(Infinity);
  } finally {
    await reader.close();
  }
}

/** undefined: the end. */
async function nextHeader(reader: ByteReader): Promise<TarHeader | undefined> {
  const block = await wholeBlock(reader);
  if (block === undefined) return undefined;
  if (isZero(block)) {
    const second = await wholeBlock(reader);
    if (second === undefined || isZero(second)) return undefined;
    throw new DamagedTar('a block of zeros, and no second');
  }
  const header = parseTarHeader(block);
  if (header === undefined) throw new DamagedTar('a header that is none');
  return header;
}

/** undefined: the stream ends here. */
async function wholeBlock(reader: ByteReader): Promise<Uint8Array | undefined> {
  const block = await reader.read(BLOCK);
  if (block.length === 0) return undefined;
  if (block.length < BLOCK) throw new DamagedTar('a header cut off');
  return block;
}

function isZero(block: Uint8Array): boolean {
  return block.every((byte) => byte === 0);
}

/** The content of a header that is about the next one. */
async function special(reader: ByteReader, { size }: TarHeader): Promise<Uint8Array> {
  if (size > MAX_SPECIAL_BYTES) throw new DamagedTar('a header of more than a mebibyte');
  const content = await reader.read(size);
  if (content.length < size) throw new DamagedTar('a header cut off');
  await reader.skip(padding(size));
  return content;
}

function parsed(bytes: Uint8Array): PaxRecords {
  const records = parsePaxRecords(bytes);
  if (records === undefined) throw new DamagedTar('a PAX header that is none');
  return records;
}

/** Go hands a global header on as an entry, named by its own records, and applies it to no file. */
function globalHeader({ path }: PaxRecords, { name }: TarHeader, offset: number): RawEntry {
  return { name: path ?? name, type: 'global', offset, size: 0, content: nothing() };
}

function described(header: TarHeader, { pax, longName }: Announced): TarHeader {
  const name = longName || pax.path || header.name;
  const isOldFolder = header.flag === '\0' && name.endsWith('/');
  return { name, flag: isOldFolder ? '5' : header.flag, size: pax.size ?? header.size };
}

async function* entry(reader: ByteReader, header: TarHeader): AsyncGenerator<RawEntry> {
  const { name, flag } = header;
  const size = HEADER_ONLY.has(flag) ? 0 : header.size;
  const offset = reader.position;
  yield { name, type: typeOf(flag), offset, size, content: contentOf(reader, size) };
  const left = offset + size - reader.position;
  if ((await reader.skip(left)) < left) throw new DamagedTar('a file cut off');
  await reader.skip(padding(size));
}

function typeOf(flag: string): RawEntry['type'] {
  if (flag === '0' || flag === '\0') return 'file';
  return flag === '5' ? 'directory' : 'other';
}

async function* contentOf(reader: ByteReader, size: number): AsyncGenerator<Uint8Array> {
  let left = size;
  for await (const chunk of reader.stream(size)) {
    left -= chunk.length;
    yield chunk;
  }
  if (left > 0) throw new DamagedTar('a file cut off');
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

function padding(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}
