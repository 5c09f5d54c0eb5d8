import { isDigest, type Digest, sha256 } from '../text/digest.js';
import { printable } from '../text/printable.js';
import { SourceError } from '../model/source-error.js';
import { PACKAGE_ANNOTATION } from '../image/package-place.js';
import { copyFileBlob, mismatch } from './copy-blob.js';
import { annotationsFrom, MEDIA_TYPE } from '../image/descriptor.js';
import type { FileTree } from './file-tree.js';
import type { ImageRepository, StoredManifest } from '../image/image-repository.js';
import { fieldsOf, listOf, parseJson, stringOf } from '../text/json.js';
import { LIMITS } from '../image/limits.js';

/**
 * The image in a `.xpkg` file, as `crossplane xpkg push` would store it.
 *
 * The file has the format of `docker save`, which has no annotations: `xpkg build` puts them in
 * labels of the config, and pushing turns the labels into annotations of the layers. The digest is
 * that of the resulting manifest.
 */
export async function openXpkg(tree: FileTree, tag: string): Promise<ImageRepository> {
  const { config, layers } = await partsOf(tree);
  const configBytes = await mustRead(tree, config, LIMITS.manifestBytes);
  const labels = labelsOf(configBytes);
  const blobs = new Map<string, string>([[sha256(configBytes), config]]);
  const descriptors = [];
  for (const path of layers) {
    const digest = await layerDigest(tree, path);
    blobs.set(digest, path);
    const mark = labels.get(`${PACKAGE_ANNOTATION}:${digest}`);
    descriptors.push({
      mediaType: 'application/vnd.docker.image.rootfs.diff.tar.gzip',
      size: await tree.size(path),
      digest,
      ...(mark === undefined ? {} : { annotations: { [PACKAGE_ANNOTATION]: mark } }),
    });
  }
  const manifest = stored({
    schemaVersion: 2,
    mediaType: MEDIA_TYPE.dockerManifest,
    config: {
      mediaType: 'application/vnd.docker.container.image.v1+json',
      size: configBytes.length,
      digest: sha256(configBytes),
    },
    layers: descriptors,
  });
  return {
    name: tree.shown,
    tags: async () => [tag],
    manifest: async (reference) =>
      reference === tag || reference === manifest.digest ? manifest : undefined,
    blob: async ({ digest }) => {
      const path = blobs.get(digest);
      return path === undefined ? undefined : verified(tree, path, digest);
    },
    copyBlob: async (expected, to) => {
      const path = blobs.get(expected.digest);
      return path !== undefined && copyFileBlob(tree, path, expected, to);
    },
  };
}

interface Parts {
  readonly config: string;
  readonly layers: readonly string[];
}

async function partsOf(tree: FileTree): Promise<Parts> {
  const bytes = await tree.read('manifest.json', LIMITS.manifestBytes);
  const images = listOf(parseJson(bytes ?? '')?.value);
  if (images === undefined) {
    throw new SourceError('BAD_SOURCE', tree.shown, 'not a `.xpkg` file: it lacks `manifest.json`');
  }
  if (images.length !== 1) {
    const what = `it holds ${images.length} images, and a \`.xpkg\` file holds one`;
    throw new SourceError('BAD_SOURCE', tree.shown, what);
  }
  const fields = fieldsOf(images[0]);
  const config = stringOf(fields?.get('Config'));
  const layers = listOf(fields?.get('Layers'))?.map((layer) => stringOf(layer));
  if (config === undefined || !layers?.every((layer) => layer !== undefined)) {
    throw new SourceError('BAD_SOURCE', tree.shown, '`manifest.json` lacks `Config` or `Layers`');
  }
  if (layers.length > LIMITS.layers) {
    const what = `\`manifest.json\` lists more than ${LIMITS.layers} layers`;
    throw new SourceError('TOO_LARGE', tree.shown, what);
  }
  return { config, layers };
}

/** Read from the name that `xpkg build` gives a layer; computed where another tool named it. */
async function layerDigest(tree: FileTree, path: string): Promise<Digest> {
  const named = `sha256:${path.replace(/\.tar\.gz$/, '')}`;
  if (isDigest(named) && (await tree.size(path)) !== undefined) return named;
  return sha256(await mustRead(tree, path, LIMITS.layerBytes));
}

function labelsOf(config: Uint8Array): ReadonlyMap<string, string> {
  const fields = fieldsOf(parseJson(config)?.value);
  return annotationsFrom(fieldsOf(fields?.get('config'))?.get('Labels'));
}

async function mustRead(tree: FileTree, path: string, limit: number): Promise<Uint8Array> {
  const bytes = await tree.read(path, limit);
  if (bytes !== undefined) return bytes;
  const what = `\`manifest.json\` names \`${printable(path)}\`, which is not in the file`;
  throw new SourceError('BAD_SOURCE', tree.shown, what);
}

async function verified(tree: FileTree, path: string, digest: Digest): Promise<Uint8Array> {
  const bytes = await mustRead(tree, path, LIMITS.layerBytes);
  const got = { digest: sha256(bytes), length: bytes.length };
  const problem = mismatch({ digest, size: undefined }, got);
  if (problem === undefined) return bytes;
  throw new SourceError('BAD_DIGEST', tree.shown, `\`${printable(path)}\` ${problem}`);
}

function stored(manifest: object): StoredManifest {
  const bytes = Buffer.from(JSON.stringify(manifest));
  return { digest: sha256(bytes), bytes };
}
