import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fillAtomically } from '../files/atomic-file.js';
import { writeTar, type TarFile } from '../image/archive/write-tar.js';
import { byCodePoint } from '../text/code-point-order.js';

/** Before the user's umask: the file is made to be handed on. */
const SHARED_FILE = 0o666;

/**
 * Writes a layout, and texts beside it, as one tar, whole or not at all; returns its size.
 *
 * Texts come first, then the index, then blobs: `tar -t` shows soon what it holds.
 */
export async function writeBundleFile(
  file: string,
  layout: string,
  texts: ReadonlyMap<string, string>,
): Promise<number> {
  const files = [...textFiles(texts), ...(await filesOf(layout))];
  let size = 0;
  await fillAtomically(
    file,
    async (to) => {
      for await (const chunk of writeTar(files)) {
        await to.writeFile(chunk);
        size += chunk.length;
      }
    },
    { mode: SHARED_FILE },
  );
  return size;
}

function textFiles(texts: ReadonlyMap<string, string>): TarFile[] {
  return [...texts]
    .sort(([a], [b]) => byCodePoint(a, b))
    .map(([path, text]) => {
      const bytes = Buffer.from(text);
      return {
        path,
        size: bytes.length,
        async *chunks() {
          yield bytes;
        },
      };
    });
}

async function filesOf(layout: string): Promise<TarFile[]> {
  const entries = await readdir(layout, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(layout.length + 1))
    .sort((a, b) => Number(isBlob(a)) - Number(isBlob(b)) || byCodePoint(a, b));
  return Promise.all(
    paths.map(async (path) => ({
      path: path.split(sep).join('/'),
      size: (await stat(join(layout, path))).size,
      chunks: () => createReadStream(join(layout, path)),
    })),
  );
}

function isBlob(path: string): boolean {
  return path.startsWith(`blobs${sep}`);
}
