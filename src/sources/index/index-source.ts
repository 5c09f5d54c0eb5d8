import { createReadStream } from 'node:fs';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { IndexFile } from '../../model/index-file.js';
import type { PackageSource } from '../../model/package-source.js';
import { SourceError } from '../../model/source-error.js';
import { boundedBytes } from '../../text/bounded-bytes.js';
import { checkIndex } from './check-index.js';
import { memorySource } from '../memory-source.js';
import { unreadable } from '../unreadable.js';

/** Of an index, unpacked: Node cannot make a string of twice this size. */
const MAX_INDEX_BYTES = 256 * 1024 * 1024;

const EXAMPLE = '{"packages": {"<repository>": {"kind": "Provider", "versions": {"<tag>": {}}}}}';

/** Opens an index file, gzipped or not. `shown` is the path as the user knows it. */
export async function openIndex(file: string, shown = file): Promise<PackageSource> {
  return memorySource(await readIndex(file, shown));
}

/** All that an index file holds. */
export async function readIndex(file: string, shown = file): Promise<IndexFile> {
  return parseIndex(await bytesOf(file, shown), shown);
}

/** Reads an index; what is wrong with it is told with its place in the file. */
export function parseIndex(bytes: Uint8Array, shown: string): IndexFile {
  const index = checkIndex(parseJson(bytes, shown));
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
    bytes = await boundedBytes(createReadStream(file), MAX_INDEX_BYTES);
  } catch (error) {
    throw unreadable(shown, error);
  }
  if (bytes === undefined) throw tooLarge(shown);
  return bytes;
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
