import { createReadStream } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { printable } from '../text/printable.js';
import { SourceError } from '../model/source-error.js';
import { isAbsent, isFileSystemError } from '../files/error-code.js';
import { tarEntries } from '../image/archive/tar-entries.js';

/** Files below a folder or inside a tar, by their path in it. */
export interface FileTree {
  /** As the user named it; for messages. */
  readonly shown: string;
  /** undefined: there is no such file. */
  size(path: string): Promise<number | undefined>;
  /** The whole file, refused if it is larger than `limit`; undefined: there is none. */
  read(path: string, limit: number): Promise<Uint8Array | undefined>;
  /** The file in chunks, refused if it is larger than `limit`; undefined: there is none. */
  stream(path: string, limit: number): Promise<AsyncIterable<Uint8Array> | undefined>;
}

/** Opens a folder or a tar; errors of the file system are thrown as they are. */
export async function openFileTree(path: string, shown: string): Promise<FileTree> {
  return (await stat(path)).isDirectory() ? folderTree(path, shown) : tarTree(path, shown);
}

/** The files below a folder. */
export function folderTree(folder: string, shown: string): FileTree {
  const size = async (path: string) => {
    try {
      const found = await stat(join(folder, path));
      return found.isFile() ? found.size : undefined;
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw unreadable(shown, path, error);
    }
  };
  return {
    shown,
    size,
    read: async (path, limit) => {
      const bytes = await size(path);
      if (bytes === undefined) return undefined;
      refuseLarge(shown, path, bytes, limit);
      return readFile(join(folder, path)).catch((error: unknown) => {
        throw unreadable(shown, path, error);
      });
    },
    stream: async (path, limit) => {
      const bytes = await size(path);
      if (bytes === undefined) return undefined;
      refuseLarge(shown, path, bytes, limit);
      return readable(createReadStream(join(folder, path)), shown, path);
    },
  };
}

/** Compressions by the first two bytes of a file, with which no tar begins. */
const COMPRESSION_BY_MAGIC: ReadonlyMap<string, string> = new Map([
  [[0x1f, 0x8b].join(), 'gzip'],
  [[0x28, 0xb5].join(), 'zstd'],
  [[0xfd, 0x37].join(), 'xz'],
]);

interface Extent {
  readonly offset: number;
  readonly size: number;
}

/** Reads a tar once, to learn at which offset each file is. */
async function tarTree(file: string, shown: string): Promise<FileTree> {
  const packer = COMPRESSION_BY_MAGIC.get((await readExtent(file, { offset: 0, size: 2 })).join());
  if (packer !== undefined) {
    const what = `the file is packed with ${packer}, and a tar is wanted as it is`;
    throw new SourceError('BAD_SOURCE', shown, what, { hint: `unpack it with \`${packer} -d\`` });
  }
  const extents = new Map<string, Extent>();
  for await (const entry of tarEntries(createReadStream(file), shown)) {
    if (entry.type === 'file') extents.set(entry.path, entry.extent);
  }
  return {
    shown,
    size: async (path) => extents.get(path)?.size,
    read: async (path, limit) => {
      const extent = extents.get(path);
      if (extent === undefined) return undefined;
      refuseLarge(shown, path, extent.size, limit);
      return readExtent(file, extent).catch((error: unknown) => {
        throw unreadable(shown, path, error);
      });
    },
    stream: async (path, limit) => {
      const extent = extents.get(path);
      if (extent === undefined) return undefined;
      refuseLarge(shown, path, extent.size, limit);
      return readable(streamExtent(file, extent), shown, path);
    },
  };
}

async function readExtent(file: string, { offset, size }: Extent): Promise<Uint8Array> {
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

async function* streamExtent(file: string, { offset, size }: Extent): AsyncGenerator<Uint8Array> {
  // `end` is inclusive, so that no range of it is empty.
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

/** Explains an error of the file system; others, such as a damaged image, stay as they are. */
function unreadable(shown: string, path: string, error: unknown): unknown {
  if (!isFileSystemError(error)) return error;
  const what = `\`${printable(path)}\` cannot be read: ${error.message}`;
  return new SourceError('BAD_SOURCE', shown, what, { cause: error });
}

function refuseLarge(shown: string, path: string, size: number, limit: number): void {
  if (size <= limit) return;
  throw new SourceError(
    'TOO_LARGE',
    shown,
    `\`${printable(path)}\` has ${size} bytes; at most ${limit} are read`,
  );
}
