import { posix } from 'node:path';
import { extract, type Extract, type Header } from 'tar-stream';
import { printable } from '../../text/printable.js';
import { SourceError } from '../../model/source-error.js';
import { isFileSystemError } from '../../files/error-code.js';
import { LIMITS, type Limits } from '../limits.js';
import { BLOCK_BYTES, ZeroBlocks } from './zero-blocks.js';

export interface TarEntry {
  /** As written. */
  readonly name: string;
  /** As Go's `filepath.Clean` leaves it. */
  readonly path: string;
  readonly type: Header['type'];
  /** Position of its content in the tar. */
  readonly extent: { readonly offset: number; readonly size: number };
  /** Can be read until the next entry is requested. */
  readonly content: AsyncIterable<Uint8Array>;
}

/**
 * The entries of a tar, in order; a path that occurs twice is refused, as is a tar that breaks off.
 *
 * Nothing is written to disk, so links and devices are harmless. Bytes after the end of the tar are
 * read and ignored, because they count towards the limit of unpacked bytes.
 */
export async function* tarEntries(
  bytes: AsyncIterable<Uint8Array>,
  subject: string,
  limits: Limits = LIMITS,
): AsyncGenerator<TarEntry> {
  const seen = new Set<string>();
  let count = 0;
  for await (const entry of untarred(bytes, subject)) {
    count += 1;
    if (count > limits.tarEntries) {
      const what = `the layer has more than ${limits.tarEntries} files`;
      throw new SourceError('TOO_LARGE', subject, what);
    }
    if (entry.header.name.length > limits.tarNameChars) {
      const what = `the layer has a file whose name is longer than ${limits.tarNameChars} characters`;
      throw new SourceError('TOO_LARGE', subject, what);
    }
    const path = cleaned(entry.header.name);
    if (seen.has(path)) {
      const what = `the layer holds \`${printable(path)}\` twice, so two readers could see two files`;
      throw new SourceError('BAD_IMAGE', subject, what);
    }
    // Folders may occur twice: archivers write them so, and all readers agree on the result.
    if (entry.header.type !== 'directory') seen.add(path);
    const { header, extent, content } = entry;
    yield { name: header.name, path, type: header.type, extent, content };
    entry.skip();
  }
}

function cleaned(name: string): string {
  const path = posix.normalize(name);
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

interface RawEntry {
  readonly header: Header;
  readonly extent: TarEntry['extent'];
  readonly content: AsyncIterable<Uint8Array>;
  skip(): void;
}

async function* untarred(
  bytes: AsyncIterable<Uint8Array>,
  subject: string,
): AsyncGenerator<RawEntry> {
  const tar = extract();
  const zeros = new ZeroBlocks();
  const feeding: Feeding = { failure: undefined, wanted: true };
  const fed = feed(bytes, tar, zeros, feeding);
  let contentEnd = 0;
  let end = 0;
  let over = false;
  const reason = (error: unknown) => brokenTar(feeding.failure ?? error, subject);
  try {
    for await (const entry of tar) {
      // Go ends at two blocks of zeros and fails at a single one; tar-stream would go on.
      if (zeros.hasStrayBlock()) throw new NotATar(subject);
      if (zeros.endsBefore(entry.offset)) break;
      const { header } = entry;
      const extent = { offset: entry.offset + BLOCK_BYTES, size: header.size };
      contentEnd = extent.offset + (header.type === 'directory' ? 0 : header.size);
      end = Math.ceil(contentEnd / BLOCK_BYTES) * BLOCK_BYTES;
      zeros.skipTo(end);
      yield {
        header,
        extent,
        content: chunksOf(entry, reason),
        skip: () => void entry.resume(),
      };
    }
    if (zeros.hasStrayBlock()) throw new NotATar(subject);
    over = true;
  } catch (error) {
    // Not an error: bytes after the end of the tar, or a last content without padding.
    const ended = zeros.endsHere() || (contentEnd <= zeros.seen && zeros.seen < end);
    over = feeding.failure === undefined && ended;
    if (!over) throw reason(error);
  } finally {
    feeding.wanted = over;
  }
  await fed;
  if (feeding.failure !== undefined) throw reason(feeding.failure);
}

async function* chunksOf(
  entry: AsyncIterable<unknown>,
  reason: (error: unknown) => Error,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of entry) {
      if (chunk instanceof Uint8Array) yield chunk;
    }
  } catch (error) {
    throw reason(error);
  }
}

/** Errors of the file system are left to the caller, which knows the path, to explain. */
function brokenTar(error: unknown, subject: string): Error {
  if (error instanceof SourceError || isFileSystemError(error)) return error;
  return new NotATar(subject, { cause: error });
}

/** The bytes are not a tar, or only a part of one. */
export class NotATar extends SourceError {
  constructor(subject: string, options?: ErrorOptions) {
    super('BAD_IMAGE', subject, 'not a tar archive, or cut off', options);
  }
}

interface Feeding {
  failure: unknown;
  /** false: the reader has stopped, so the rest need not be read. */
  wanted: boolean;
}

/** Feeds a tar reader; once that has ended, reads the rest without it. */
async function feed(
  bytes: AsyncIterable<Uint8Array>,
  tar: Extract,
  zeros: ZeroBlocks,
  feeding: Feeding,
): Promise<void> {
  try {
    for await (const chunk of bytes) {
      if (!feeding.wanted) return;
      if (tar.destroying) continue;
      zeros.see(chunk);
      if (!tar.write(chunk)) await drained(tar);
    }
    if (!tar.destroying) tar.end(undefined);
  } catch (error) {
    feeding.failure = error;
    tar.destroy(new Error('the layer cannot be read on'));
  }
}

function drained(tar: Extract): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      tar.off('drain', done);
      tar.off('close', done);
      resolve();
    };
    tar.on('drain', done);
    tar.on('close', done);
  });
}
