import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pack } from 'tar-stream';
import {
  attachmentsOf,
  blobsOf,
  copyAll,
  type FoundImage,
  incompleteError,
  walkImage,
} from './image-parts.js';
import type { ClosureImage } from './lockfile-images.js';
import { byCodePoint } from '../../base/collections.js';
import { fillAtomically } from '../../base/files/file-system.js';
import { joinReference } from '../../crossplane/packages/reference.js';
import { copyBlob, type StoredManifest } from '../../oci/image/image-repository.js';
import type { LayoutWriter } from '../../oci/store/layout-writer.js';

export interface FillOptions {
  readonly concurrency: number;
  /** Whether to copy signatures and other attachments. */
  readonly signatures: boolean;
  /** Called when the copy of an image begins. */
  readonly onImage: (reference: string) => void;
}

/** Copies whole images to a layout, each under its full name. */
export async function fillLayout(
  images: readonly ClosureImage[],
  layout: LayoutWriter,
  { concurrency, signatures, onImage }: FillOptions,
): Promise<void> {
  await copyAll(images, concurrency, async (image) => {
    const { repository } = image;
    const name = joinReference(repository, image.version);
    onImage(name);
    await copyImage(image, layout, name);
    if (!signatures) return;
    for (const attachment of await attachmentsOf(image)) {
      await copyImage(attachment, layout, joinReference(repository, attachment.reference));
    }
  });
}

async function copyImage(image: FoundImage, layout: LayoutWriter, reference: string) {
  const store = (stored: StoredManifest) => layout.blob(stored.digest, stored.bytes);
  await walkImage(image, {
    image: async ({ stored, manifest }) => {
      for (const blob of blobsOf(manifest)) {
        const size = await layout.blobFrom(blob.digest, (to) => copyBlob(image.images, blob, to));
        if (size === blob.size) continue;
        const problem = size === undefined ? 'not there' : 'of another size';
        throw incompleteError(reference, `the blob ${blob.digest} is ${problem}`);
      }
      await store(stored);
    },
    index: store,
  });
  layout.name(reference, image.manifest);
}

/** File mode before the umask: other users may read the file. */
const SHARED_FILE = 0o666;

/**
 * Writes texts and a layout to one tar file atomically; returns its size in bytes.
 *
 * Texts come first, then the index, then blobs, so that `tar -t` shows the texts at once.
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
      return { path, size: bytes.length, chunks: () => Readable.from([bytes]) };
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

interface TarFile {
  readonly path: string;
  readonly size: number;
  readonly chunks: () => AsyncIterable<Uint8Array>;
}

/** Yields the chunks of a tar; its bytes depend only on the paths and contents of the files. */
async function* writeTar(files: readonly TarFile[]): AsyncGenerator<Uint8Array> {
  const tar = pack();
  const adding = (async () => {
    for (const file of files) await addFile(tar, file);
    tar.finalize();
  })();
  // Passes the error to the loop below; an unhandled rejection would end the process.
  adding.catch((error: unknown) => tar.destroy(error as Error));
  for await (const chunk of tar) yield chunk as Uint8Array;
  await adding;
}

async function addFile(tar: ReturnType<typeof pack>, { path, size, chunks }: TarFile) {
  const header = { name: path, mode: 0o644, mtime: new Date(0), uid: 0, gid: 0, size };
  let entry: ReturnType<typeof tar.entry> | undefined;
  const added = new Promise<void>((resolve, reject) => {
    entry = tar.entry(header, (error) => (error ? reject(error) : resolve()));
  });
  for await (const chunk of chunks()) {
    if (!entry!.write(chunk)) await once(entry!, 'drain');
  }
  entry!.end(null);
  await added;
}
