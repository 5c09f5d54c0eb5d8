import { once } from 'node:events';
import { pack } from 'tar-stream';

/** A file to put into a tar. */
export interface TarFile {
  readonly path: string;
  readonly size: number;
  readonly chunks: () => AsyncIterable<Uint8Array>;
}

/** A tar in chunks: the same bytes for the same files on every machine, however large they are. */
export async function* writeTar(files: readonly TarFile[]): AsyncGenerator<Uint8Array> {
  const tar = pack();
  const adding = (async () => {
    for (const file of files) await addFile(tar, file);
    tar.finalize();
  })();
  // The reader below sees the failure: an unread rejection would end the process.
  adding.catch((error: unknown) => tar.destroy(error as Error));
  for await (const chunk of tar) yield chunk as Uint8Array;
  await adding;
}

async function addFile(
  tar: ReturnType<typeof pack>,
  { path, size, chunks }: TarFile,
): Promise<void> {
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
