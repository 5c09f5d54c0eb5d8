import { createHash } from 'node:crypto';
import { isDigest, type Digest, sha256 } from '../text/digest.js';
import { printable } from '../text/printable.js';
import { SourceError } from '../model/source-error.js';
import { PACKAGE_ANNOTATION } from '../image/package-place.js';
import { FileBlob } from './file-blob.js';
import type { ExpectedBlob } from '../image/blob.js';
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
  const held = ({ digest }: ExpectedBlob) => {
    const path = blobs.get(digest);
    return path === undefined ? undefined : new FileBlob(tree, path, { digest, size: undefined });
  };
  return {
    name: tree.shown,
    tags: async () => [tag],
    manifest: async (reference) =>
      reference === tag || reference === manifest.digest ? manifest : undefined,
    blob: async (expected) => held(expected)?.bytes(LIMITS.layerBytes),
    copyBlob: async (expected, to) => (await held(expected)?.copy(to)) ?? false,
    openBlob: async (expected) => held(expected)?.open(LIMITS.layerBytes),
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
  const chunks = await tree.stream(path, LIMITS.layerBytes);
  if (chunks === undefined) throw missing(tree, path);
  const hash = createHash('sha256');
  for await (const chunk of chunks) hash.update(chunk);
  const digest = `sha256:${hash.digest('hex')}`;
  if (!isDigest(digest)) throw new Error(`not a digest: ${digest}`);
  return digest;
}

function labelsOf(config: Uint8Array): ReadonlyMap<string, string> {
  const fields = fieldsOf(parseJson(config)?.value);
  return annotationsFrom(fieldsOf(fields?.get('config'))?.get('Labels'));
}

async function mustRead(tree: FileTree, path: string, limit: number): Promise<Uint8Array> {
  const bytes = await tree.read(path, limit);
  if (bytes !== undefined) return bytes;
  throw missing(tree, path);
}

function missing(tree: FileTree, path: string): SourceError {
  const what = `\`manifest.json\` names \`${printable(path)}\`, which is not in the file`;
  return new SourceError('BAD_SOURCE', tree.shown, what);
}

function stored(manifest: object): StoredManifest {
  const bytes = Buffer.from(JSON.stringify(manifest));
  return { digest: sha256(bytes), bytes };
}
