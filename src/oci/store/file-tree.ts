import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Digest, finishDigest, sha256 } from '../../base/digest.js';
import { SourceError } from '../../base/errors.js';
import { printable } from '../../base/escape.js';
import { isFileSystemError, undefinedIfAbsent } from '../../base/files/file-system.js';
import { tarEntries } from '../archive/tar-reader.js';
import type { BlobSink, ExpectedBlob, OpenBlob } from '../image/image-repository.js';
import { LIMITS } from '../image/limits.js';

/** The files of a folder or tar, by relative path. */
export interface FileTree {
  /** Path as the user wrote it; for messages. */
  readonly shown: string;
  size(path: string): Promise<number | undefined>;
  /** Returns the whole file, or undefined if there is none. Throws if it exceeds `limit`. */
  read(path: string, limit: number): Promise<Uint8Array | undefined>;
  /** Returns the file in chunks, or undefined if there is none. Throws if it exceeds `limit`. */
  stream(path: string, limit: number): Promise<AsyncIterable<Uint8Array> | undefined>;
}

/** Opens a folder or tar. File system errors are thrown unchanged. */
export async function openFileTree(path: string, shown: string): Promise<FileTree> {
  return (await stat(path)).isDirectory() ? folderTree(path, shown) : tarTree(path, shown);
}

export function folderTree(folder: string, shown: string): FileTree {
  return fileTree(shown, {
    size: async (path) => {
      const stats = await undefinedIfAbsent(stat(join(folder, path))).catch((error: unknown) => {
        throw wrapReadError(shown, path, error);
      });
      return stats?.isFile() === true ? stats.size : undefined;
    },
    read: (path) => readFile(join(folder, path)),
    stream: (path) => createReadStream(join(folder, path)),
  });
}

interface FileAccess extends Pick<FileTree, 'size'> {
  readonly read: (path: string) => Promise<Uint8Array>;
  readonly stream: (path: string) => AsyncIterable<Uint8Array>;
}

function fileTree(shown: string, { size, read, stream }: FileAccess): FileTree {
  const exists = async (path: string, limit: number) => {
    const bytes = await size(path);
    if (bytes !== undefined && bytes > limit) {
      const what = `\`${printable(path)}\` has ${bytes} bytes; at most ${limit} are read`;
      throw new SourceError('TOO_LARGE', shown, what);
    }
    return bytes !== undefined;
  };
  return {
    shown,
    size,
    read: async (path, limit) => {
      if (!(await exists(path, limit))) return undefined;
      return read(path).catch((error: unknown) => {
        throw wrapReadError(shown, path, error);
      });
    },
    stream: async (path, limit) =>
      (await exists(path, limit)) ? readable(stream(path), shown, path) : undefined,
  };
}

/** Compressions by the first two bytes of a file. No tar starts with these bytes. */
const COMPRESSION_BY_MAGIC: ReadonlyMap<string, string> = new Map([
  [[0x1f, 0x8b].join(), 'gzip'],
  [[0x28, 0xb5].join(), 'zstd'],
  [[0xfd, 0x37].join(), 'xz'],
]);

interface ByteRange {
  readonly offset: number;
  readonly size: number;
}

/** Reads a tar once to find the offset of each file. */
async function tarTree(file: string, shown: string): Promise<FileTree> {
  const compression = COMPRESSION_BY_MAGIC.get(
    (await readExtent(file, { offset: 0, size: 2 })).join(),
  );
  if (compression !== undefined) {
    const what = `the file is packed with ${compression}, and a tar is wanted as it is`;
    throw new SourceError('BAD_SOURCE', shown, what, {
      hint: `unpack it with \`${compression} -d\``,
    });
  }
  const extents = new Map<string, ByteRange>();
  for await (const entry of tarEntries(createReadStream(file), shown)) {
    if (entry.type === 'file') extents.set(entry.path, entry.extent);
  }
  return fileTree(shown, {
    size: async (path) => extents.get(path)?.size,
    read: (path) => readExtent(file, extents.get(path)!),
    stream: (path) => streamExtent(file, extents.get(path)!),
  });
}

async function readExtent(file: string, { offset, size }: ByteRange): Promise<Uint8Array> {
  const handle = await open(file, 'r');
  try {
    const bytes = Buffer.alloc(size);
    let at = 0;
    while (at < size) {
      const { bytesRead } = await handle.read(bytes, at, size - at, offset + at);
      if (bytesRead === 0) break;
      at += bytesRead;
    }
    return bytes.subarray(0, at);
  } finally {
    await handle.close();
  }
}

async function* streamExtent(
  file: string,
  { offset, size }: ByteRange,
): AsyncGenerator<Uint8Array> {
  // `end` is inclusive, so an empty range cannot be expressed.
  if (size > 0) yield* createReadStream(file, { start: offset, end: offset + size - 1 });
}

async function* readable(
  chunks: AsyncIterable<Uint8Array>,
  shown: string,
  path: string,
): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    throw wrapReadError(shown, path, error);
  }
}

/** Wraps file system errors. Returns others, such as a damaged image, unchanged. */
function wrapReadError(shown: string, path: string, error: unknown): unknown {
  if (!isFileSystemError(error)) return error;
  const what = `\`${printable(path)}\` cannot be read: ${error.message}`;
  return new SourceError('BAD_SOURCE', shown, what, { cause: error });
}

/** Expected content of a blob; any size if `size` is undefined. */
type ExpectedContent = Pick<ExpectedBlob, 'digest'> & { readonly size: number | undefined };

/** Returns the file of a blob. Everything that is read from it is verified. */
export function fileBlob(tree: FileTree, path: string, expected: ExpectedContent) {
  const bad = (what: string) =>
    new SourceError('BAD_DIGEST', tree.shown, `\`${printable(path)}\` ${what}`);
  const wrongSize = (length: number) =>
    bad(`has ${length} bytes, and is said to have ${expected.size}`);
  const check = (digest: Digest, length: number) => {
    if (digest !== expected.digest) throw bad(`is damaged: its digest is ${digest}`);
    if (expected.size !== undefined && expected.size !== length) throw wrongSize(length);
  };
  async function* checked(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const hash = createHash('sha256');
    let length = 0;
    for await (const chunk of chunks) {
      length += chunk.byteLength;
      hash.update(chunk);
      yield chunk;
    }
    check(finishDigest(hash), length);
  }
  const copy = async (to: Pick<BlobSink, 'add'>, limit: number = LIMITS.copiedLayerBytes) => {
    const chunks = await tree.stream(path, limit);
    if (chunks === undefined) return false;
    for await (const chunk of checked(chunks)) await to.add(chunk);
    return true;
  };
  return {
    /** Reads the whole file. Returns undefined if there is none. */
    bytes: async (limit: number): Promise<Uint8Array | undefined> => {
      const length = (await tree.size(path)) ?? 0;
      // Fails without reading a file that is larger than expected.
      if (length > (expected.size ?? limit) && length <= limit) throw wrongSize(length);
      const bytes = await tree.read(path, limit);
      if (bytes !== undefined) check(sha256(bytes), bytes.length);
      return bytes;
    },
    /** Copies the file. Returns false if there is none. */
    copy,
    /** Verifies the file now and on every read. Returns undefined if there is none. */
    open: async (limit: number): Promise<OpenBlob | undefined> => {
      if (!(await copy({ add: async () => {} }, limit))) return undefined;
      return {
        async *chunks() {
          const chunks = await tree.stream(path, limit);
          yield* checked(chunks ?? emptyContent());
        },
        close: async () => {},
      };
    },
  };
}

async function* emptyContent(): AsyncGenerator<Uint8Array> {}

/** The methods of a file handle that a sink uses. Not Node's type, which users may not have. */
interface OpenFile {
  writeFile(chunk: Uint8Array): Promise<void>;
  truncate(length: number): Promise<void>;
}

/** Stores write errors separately: the registry client would retry them like network errors. */
export class FileSink implements BlobSink {
  size = 0;
  failure: unknown;
  readonly #file: OpenFile;

  constructor(file: OpenFile) {
    this.#file = file;
  }

  async add(chunk: Uint8Array): Promise<void> {
    await this.#attempt(() => this.#file.writeFile(chunk));
    this.size += chunk.byteLength;
  }

  async restart(): Promise<void> {
    await this.#attempt(() => this.#file.truncate(0));
    this.size = 0;
  }

  async #attempt(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      this.failure = error;
      throw new Error('the blob cannot be written', { cause: error });
    }
  }
}
