import { gzipSync } from 'node:zlib';
import { blobOf, tarOf, type TarEntry } from './image.js';

/**
 * Returns the files of a `.xpkg` as `crossplane xpkg build` writes them: labels replace
 * annotations.
 */
export async function xpkgFiles(
  layers: readonly { readonly entries: readonly TarEntry[]; readonly label?: string }[],
): Promise<Map<string, string | Uint8Array>> {
  const blobs = await Promise.all(
    layers.map(async ({ entries }) => blobOf(gzipSync(await tarOf(entries)))),
  );
  const labels = layers.flatMap(({ label }, index) =>
    label === undefined ? [] : [[`io.crossplane.xpkg:${blobs[index]!.digest}`, label] as const],
  );
  const config = blobOf(JSON.stringify({ config: { Labels: Object.fromEntries(labels) } }));
  const names = blobs.map(({ digest }) => `${digest.slice('sha256:'.length)}.tar.gz`);
  return new Map<string, string | Uint8Array>([
    [config.digest, config.bytes],
    ...blobs.map(({ bytes }, index) => [names[index]!, bytes] as const),
    ['manifest.json', JSON.stringify([{ Config: config.digest, RepoTags: null, Layers: names }])],
  ]);
}
