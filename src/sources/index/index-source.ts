import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type IndexFile, type IndexPackage, INDEX_SCHEMA } from './index-file.js';
import { scanPackageRanges, unparsedTable, memorySource, tableSource } from '../memory-source.js';
import { SourceError } from '../../base/errors.js';
import { readError } from '../../base/files/file-system.js';
import { schemaCheck, type SchemaError } from '../../base/json-schema.js';
import { formatPath, isNestedDeeper } from '../../base/json.js';
import { printable } from '../../base/escape.js';
import { thousands } from '../../base/messages.js';
import { readUpTo, checkJsonSize } from '../../base/size-limits.js';
import type { PackageSource } from '../package-source.js';

/** Maximum uncompressed size. A compressed index is in memory twice while it is decompressed. */
const MAX_INDEX_BYTES = 48 * 1024 * 1024;

/** Maximum size of a package; a large one has 3 MB. */
export const MAX_PACKAGE_BYTES = 16 * 1024 * 1024;

/** Maximum packages per file; a sparse index may have more. */
const MAX_PACKAGES = 100_000;

const EXAMPLE = '{"packages": {"<repository>": {"kind": "Provider", "versions": {"<tag>": {}}}}}';

/** Opens an index file, gzipped or not. `shown` is the path in messages. */
export async function openIndex(file: string, shown = file): Promise<PackageSource> {
  return indexSource(await uncompressedBytes(file, shown), shown);
}

/** Smaller indexes are parsed completely when opened, so that all errors are reported at once. */
const PARSE_WHOLE_BYTES = 1024 * 1024;

/** Returns a source for an index. Packages of a large one are parsed and validated on demand. */
export function indexSource(
  bytes: Uint8Array,
  shown: string,
  { parseWholeBytes = PARSE_WHOLE_BYTES }: { readonly parseWholeBytes?: number } = {},
): PackageSource {
  const text = withoutMark(bytes);
  checkJsonSize(text, shown);
  const places =
    text.length > parseWholeBytes && isUtf8(text) ? scanPackageRanges(text) : undefined;
  // The scan failed, so the text has an error; the parser reports it with a message.
  if (places === undefined) return memorySource(parseIndex(bytes, shown));
  if (places.size > MAX_PACKAGES) {
    const what = `has more than ${thousands(MAX_PACKAGES)} packages, the most that is read`;
    throw new SourceError('TOO_LARGE', shown, what);
  }
  for (const [repository, { from, to }] of places) {
    if (to - from > MAX_PACKAGE_BYTES) throw packageTooLargeError(repository, shown);
  }
  const parse = (repository: string, part: Uint8Array) => parsePackage(part, repository, shown);
  return tableSource(unparsedTable(text, places, parse));
}

function packageTooLargeError(repository: string, shown: string): SourceError {
  const what = `\`${formatPath(['packages', printable(repository, 200)])}\` is larger than ${MAX_PACKAGE_BYTES >> 20} MiB`;
  return new SourceError('TOO_LARGE', shown, what);
}

function withoutMark(bytes: Uint8Array): Buffer {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return all.subarray(0, 3).equals(BYTE_ORDER_MARK) ? all.subarray(3) : all;
}

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

function parsePackage(text: Uint8Array, repository: string, shown: string): IndexPackage {
  const value = parseJson(text, shown, `\`${formatPath(['packages', repository])}\` is not JSON`);
  return requireIndex({ packages: { [repository]: value } }, shown).packages[repository]!;
}

export async function readIndex(file: string, shown = file): Promise<IndexFile> {
  return parseIndex(await uncompressedBytes(file, shown), shown);
}

/** Parses and validates an index. Errors state the position in the file. */
export function parseIndex(bytes: Uint8Array, shown: string): IndexFile {
  checkJsonSize(bytes, shown);
  return requireIndex(parseJson(bytes, shown), shown);
}

function requireIndex(value: unknown, shown: string): IndexFile {
  const index = checkIndex(value);
  if ('packages' in index) return index;
  const what = index.path === '' ? 'the file' : `\`${index.path}\``;
  throw new SourceError('BAD_SOURCE', shown, `${what} must be ${index.expected}`, {
    hint: `an index looks like ${EXAMPLE}`,
  });
}

async function uncompressedBytes(file: string, shown: string): Promise<Uint8Array> {
  const bytes = await readBytes(file, shown);
  if (!(bytes[0] === 0x1f && bytes[1] === 0x8b)) return bytes;
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: MAX_INDEX_BYTES });
  } catch (error) {
    if (error instanceof RangeError) throw tooLargeError(shown);
    throw new SourceError('BAD_SOURCE', shown, 'damaged: it begins as gzip and does not unpack', {
      cause: error,
    });
  }
}

async function readBytes(file: string, shown: string): Promise<Uint8Array> {
  try {
    const stats = await stat(file);
    if (stats.isFile() && stats.size > MAX_INDEX_BYTES) throw tooLargeError(shown);
    // Pipes, and files in /proc, have size 0 although they have content.
    if (stats.isFile() && stats.size > 0) return await readFile(file);
    const bytes = await readUpTo(createReadStream(file), MAX_INDEX_BYTES);
    if (bytes !== undefined) return bytes;
  } catch (error) {
    throw error instanceof SourceError ? error : readError(shown, error);
  }
  throw tooLargeError(shown);
}

function tooLargeError(shown: string): SourceError {
  return new SourceError('TOO_LARGE', shown, `an index larger than ${MAX_INDEX_BYTES >> 20} MiB`, {
    hint: 'split it, and give each part with a `--from index:` of its own',
  });
}

function parseJson(bytes: Uint8Array, shown: string, problem = 'not JSON'): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    const what = error instanceof SyntaxError ? error.message : 'the text is not UTF-8';
    throw new SourceError('BAD_SOURCE', shown, `${problem}: ${what}`, { cause: error });
  }
}

/** The first violation of the index schema; `path` is empty for the whole file. */
interface IndexProblem {
  readonly path: string;
  readonly expected: string;
}

/** Returns the value as an index, or its first error. Unknown fields are allowed. */
export function checkIndex(value: unknown): IndexFile | IndexProblem {
  const [error] = schemaErrors(value);
  if (error !== undefined) return problemOf(error);
  const index = value as IndexFile; // validated against the schema
  return nestingProblem(index) ?? index;
}

const schemaErrors = schemaCheck(INDEX_SCHEMA);

/** Maximum nesting of values that are copied unchanged; the same limit applies to package.yaml. */
const MAX_DEPTH = 100;

/** JSON text may be nested to any depth, but recursion is limited. */
function nestingProblem({ packages }: IndexFile): IndexProblem | undefined {
  for (const [repository, { versions }] of Object.entries(packages)) {
    for (const [version, entry] of Object.entries(versions)) {
      const { dependsOn = [], crossplaneAsWritten = null } = entry;
      const tooDeep = isNestedDeeper(crossplaneAsWritten, MAX_DEPTH)
        ? 'crossplaneAsWritten'
        : isNestedDeeper(dependsOn, MAX_DEPTH) && 'dependsOn';
      if (tooDeep === false) continue;
      const path = formatPath(['packages', repository, 'versions', version, tooDeep]);
      return { path, expected: `nested at most ${MAX_DEPTH} deep` };
    }
  }
  return undefined;
}

function problemOf({ keyword, params, path }: SchemaError): IndexProblem {
  if (keyword === 'required') {
    return { path: formatPath([...path, String(params['missingProperty'])]), expected: 'given' };
  }
  const expected =
    keyword === 'pattern'
      ? '`sha256:` and 64 lower-case hex digits'
      : (TYPES[String(params['type'])] ?? 'of another type');
  return { path: formatPath(path), expected };
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'a boolean',
  array: 'a list',
  object: 'an object',
};
