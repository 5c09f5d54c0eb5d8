import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tarOf, type Image, type TarEntry } from './image.js';

export interface LayoutImage {
  readonly image: Image;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Returns the files of an OCI image layout by path. */
export function layoutFiles(images: readonly LayoutImage[]): Map<string, string | Uint8Array> {
  const files = new Map<string, string | Uint8Array>([
    ['oci-layout', '{"imageLayoutVersion":"1.0.0"}'],
    [
      'index.json',
      JSON.stringify({
        schemaVersion: 2,
        manifests: images.map(({ image, annotations }) => ({
          mediaType: image.mediaType,
          digest: image.digest,
          size: image.bytes.length,
          ...(annotations === undefined ? {} : { annotations }),
        })),
      }),
    ],
  ]);
  for (const { image } of images) {
    for (const { digest, bytes } of [image, ...image.manifests, ...image.blobs]) {
      files.set(`blobs/${digest.replace(':', '/')}`, bytes);
    }
  }
  return files;
}

export async function writeFiles(
  folder: string,
  files: ReadonlyMap<string, string | Uint8Array>,
): Promise<string> {
  for (const [path, content] of files) {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

export async function writeTar(
  file: string,
  files: ReadonlyMap<string, string | Uint8Array>,
): Promise<string> {
  const entries: TarEntry[] = [...files].map(([name, content]) => ({ name, content }));
  await writeFile(file, await tarOf(entries));
  return file;
}

export function named(name: string): Readonly<Record<string, string>> {
  return { 'org.opencontainers.image.ref.name': name };
}
