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
  /** Returns undefined if there is no such file. */
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
        throw unreadable(shown, path, error);
      });
      return stats?.isFile() === true ? stats.size : undefined;
    },
    read: (path) => readFile(join(folder, path)),
    stream: (path) => createReadStream(join(folder, path)),
  });
}

interface FileAccess {
  readonly size: FileTree['size'];
  readonly read: (path: string) => Promise<Uint8Array>;
  readonly stream: (path: string) => AsyncIterable<Uint8Array>;
}

/** Adds limits and error messages to the access to files. */
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
        throw unreadable(shown, path, error);
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
  const packer = COMPRESSION_BY_MAGIC.get((await readExtent(file, { offset: 0, size: 2 })).join());
  if (packer !== undefined) {
    const what = `the file is packed with ${packer}, and a tar is wanted as it is`;
    throw new SourceError('BAD_SOURCE', shown, what, { hint: `unpack it with \`${packer} -d\`` });
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
    throw unreadable(shown, path, error);
  }
}

/** Wraps file system errors. Returns others, such as a damaged image, unchanged. */
function unreadable(shown: string, path: string, error: unknown): unknown {
  if (!isFileSystemError(error)) return error;
  const what = `\`${printable(path)}\` cannot be read: ${error.message}`;
  return new SourceError('BAD_SOURCE', shown, what, { cause: error });
}

/** Expected content of a blob; any size if `size` is undefined. */
type Expected = Pick<ExpectedBlob, 'digest'> & { readonly size: number | undefined };

export class FileBlob {
  readonly #tree: FileTree;
  readonly #path: string;
  readonly #expected: Expected;

  constructor(tree: FileTree, path: string, expected: Expected) {
    this.#tree = tree;
    this.#path = path;
    this.#expected = expected;
  }

  /** Reads and verifies the whole file. Returns undefined if there is none. */
  async bytes(limit: number): Promise<Uint8Array | undefined> {
    const { size = limit } = this.#expected;
    const length = (await this.#tree.size(this.#path)) ?? 0;
    // Fails without reading a file that is larger than expected.
    if (length > size && length <= limit) throw this.#wrongSize(length);
    const bytes = await this.#tree.read(this.#path, limit);
    if (bytes === undefined) return undefined;
    this.#check(sha256(bytes), bytes.length);
    return bytes;
  }

  /** Copies and verifies the file. Returns false if there is none. */
  async copy(to: Pick<BlobSink, 'add'>, limit: number = LIMITS.copiedLayerBytes): Promise<boolean> {
    const chunks = await this.#tree.stream(this.#path, limit);
    if (chunks === undefined) return false;
    for await (const chunk of this.#checked(chunks)) await to.add(chunk);
    return true;
  }

  /** Verifies the file now and on every read. Returns undefined if there is none. */
  async open(limit: number): Promise<OpenBlob | undefined> {
    if (!(await this.copy({ add: async () => {} }, limit))) return undefined;
    const [tree, path] = [this.#tree, this.#path];
    const checked = (chunks: AsyncIterable<Uint8Array>) => this.#checked(chunks);
    return {
      async *chunks() {
        yield* checked((await tree.stream(path, limit)) ?? nothing());
      },
      close: async () => {},
    };
  }

  async *#checked(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const hash = createHash('sha256');
    let length = 0;
    for await (const chunk of chunks) {
      length += chunk.byteLength;
      hash.update(chunk);
      yield chunk;
    }
    this.#check(finishDigest(hash), length);
  }

  #check(digest: Digest, length: number): void {
    const { size } = this.#expected;
    if (digest !== this.#expected.digest) {
      throw this.#bad(`is damaged: its digest is ${digest}`);
    }
    if (size !== undefined && size !== length) throw this.#wrongSize(length);
  }

  #wrongSize(length: number): SourceError {
    return this.#bad(`has ${length} bytes, and is said to have ${this.#expected.size}`);
  }

  #bad(what: string): SourceError {
    return new SourceError('BAD_DIGEST', this.#tree.shown, `\`${printable(this.#path)}\` ${what}`);
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** What a sink needs of an open file; declarations of the library need no types of Node.js. */
interface OpenFile {
  writeFile(chunk: Uint8Array): Promise<void>;
  truncate(length: number): Promise<void>;
}

/**
 * Writes a blob to a file. Stores write errors separately, because the registry client would retry
 * them like broken connections.
 */
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
