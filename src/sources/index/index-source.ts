import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { IndexFile, IndexPackage } from '../../model/index-file.js';
import type { PackageSource } from '../../model/package-source.js';
import { SourceError } from '../../model/source-error.js';
import { boundedBytes } from '../../text/bounded-bytes.js';
import { formatPath } from '../../text/yaml/path.js';
import { checkIndex } from './check-index.js';
import { UnparsedTable } from './index-table.js';
import { memorySource, tableSource } from '../memory-source.js';
import { packagePlaces } from './package-places.js';
import { unreadable } from '../unreadable.js';

/** Of an index, unpacked: Node cannot make a string of twice this size. */
const MAX_INDEX_BYTES = 256 * 1024 * 1024;

const EXAMPLE = '{"packages": {"<repository>": {"kind": "Provider", "versions": {"<tag>": {}}}}}';

/** Opens an index file, gzipped or not. `shown` is the path as the user knows it. */
export async function openIndex(file: string, shown = file): Promise<PackageSource> {
  return indexSource(await bytesOf(file, shown), shown);
}

/** Up to here an index is parsed at once, and told all that is wrong with it when it is opened. */
const WHOLE_BYTES = 1024 * 1024;

/**
 * A source over the text of an index. Of a large one a package is parsed when it is asked for, and
 * what is wrong with it is told then: of a million versions a run may want a dozen.
 */
export function indexSource(
  bytes: Uint8Array,
  shown: string,
  { wholeUpTo = WHOLE_BYTES }: { readonly wholeUpTo?: number } = {},
): PackageSource {
  const text = withoutMark(bytes);
  const places = text.length > wholeUpTo && isUtf8(text) ? packagePlaces(text) : undefined;
  // What has no places has a fault, which is found anew with words for it.
  if (places === undefined) return memorySource(parseIndex(bytes, shown));
  const parse = (repository: string, part: Uint8Array) => parsePackage(part, repository, shown);
  return tableSource(new UnparsedTable(text, places, parse));
}

function withoutMark(bytes: Uint8Array): Buffer {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return all.subarray(0, 3).equals(BYTE_ORDER_MARK) ? all.subarray(3) : all;
}

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

function parsePackage(text: Uint8Array, repository: string, shown: string): IndexPackage {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString());
  } catch (error) {
    const what = `not JSON: ${(error as SyntaxError).message}`; // JSON.parse throws no other
    const place = formatPath(['packages', repository]);
    throw new SourceError('BAD_SOURCE', shown, `\`${place}\` is ${what}`, { cause: error });
  }
  return held({ packages: { [repository]: value } }, shown).packages[repository]!;
}

/** All that an index file holds. */
export async function readIndex(file: string, shown = file): Promise<IndexFile> {
  return parseIndex(await bytesOf(file, shown), shown);
}

/** Reads an index; what is wrong with it is told with its place in the file. */
export function parseIndex(bytes: Uint8Array, shown: string): IndexFile {
  return held(parseJson(bytes, shown), shown);
}

function held(value: unknown, shown: string): IndexFile {
  const index = checkIndex(value);
  if ('packages' in index) return index;
  const what = index.path === '' ? 'the file' : `\`${index.path}\``;
  throw new SourceError('BAD_SOURCE', shown, `${what} must be ${index.want}`, {
    hint: `an index looks like ${EXAMPLE}`,
  });
}

async function bytesOf(file: string, shown: string): Promise<Uint8Array> {
  const bytes = await read(file, shown);
  if (!(bytes[0] === 0x1f && bytes[1] === 0x8b)) return bytes;
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: MAX_INDEX_BYTES });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(shown);
    throw new SourceError('BAD_SOURCE', shown, 'damaged: it begins as gzip and does not unpack', {
      cause: error,
    });
  }
}

async function read(file: string, shown: string): Promise<Uint8Array> {
  let bytes;
  try {
    const { size, isFile } = await sizeOf(file);
    // A file is read into memory of its size; of what is none, such as a pipe, the end is not known.
    if (isFile && size > MAX_INDEX_BYTES) throw tooLarge(shown);
    bytes = isFile
      ? await readFile(file)
      : await boundedBytes(createReadStream(file), MAX_INDEX_BYTES);
  } catch (error) {
    throw error instanceof SourceError ? error : unreadable(shown, error);
  }
  if (bytes === undefined) throw tooLarge(shown);
  return bytes;
}

async function sizeOf(file: string): Promise<{ size: number; isFile: boolean }> {
  const found = await stat(file);
  // What has no size though it has bytes stands in /proc.
  return { size: found.size, isFile: found.isFile() && found.size > 0 };
}

function tooLarge(shown: string): SourceError {
  return new SourceError('TOO_LARGE', shown, `an index larger than ${MAX_INDEX_BYTES >> 20} MiB`, {
    hint: 'split it, and give each part with a `--from index:` of its own',
  });
}

function parseJson(bytes: Uint8Array, shown: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    const what = error instanceof SyntaxError ? error.message : 'the text is not UTF-8';
    throw new SourceError('BAD_SOURCE', shown, `not JSON: ${what}`, { cause: error });
  }
}
