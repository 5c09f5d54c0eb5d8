import { type Digest, isDigest, sha256, sha256OfStream } from '../../base/digest.js';
import { printable } from '../../base/escape.js';
import { SourceError } from '../../base/errors.js';
import { storedManifest } from '../image/artifact.js';
import { PACKAGE_ANNOTATION } from '../image/locate-package.js';
import { fileBlob, type FileTree } from './file-tree.js';
import type { ExpectedBlob, ImageRepository } from '../image/image-repository.js';
import { DESCRIPTOR_SHAPE, MEDIA_TYPE } from '../image/descriptor.js';
import { parseImageConfig } from '../image/image-config.js';
import { fieldsOf, listOf, stringOf } from '../../base/json.js';
import { readJson, type JsonShape } from '../../base/strict-json.js';
import { LIMITS } from '../image/limits.js';

/**
 * Opens a `.xpkg` file, in the format of `docker save`, as the image that `crossplane xpkg push`
 * would store: labels of the config become layer annotations.
 */
export async function openXpkg(tree: FileTree, tag: string): Promise<ImageRepository> {
  const { config, layers } = await readParts(tree);
  const configBytes = await tree.read(config, LIMITS.manifestBytes);
  if (configBytes === undefined) throw missingPathError(tree, config);
  const { labels } = parseImageConfig(configBytes, tree.shown);
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
  const manifest = storedManifest({
    schemaVersion: 2,
    mediaType: MEDIA_TYPE.dockerManifest,
    config: {
      mediaType: 'application/vnd.docker.container.image.v1+json',
      size: configBytes.length,
      digest: sha256(configBytes),
    },
    layers: descriptors,
  });
  const blobIn = ({ digest }: ExpectedBlob) => {
    const path = blobs.get(digest);
    return path === undefined ? undefined : fileBlob(tree, path, { digest, size: undefined });
  };
  return {
    name: tree.shown,
    tags: async () => [tag],
    manifest: async (reference) =>
      reference === tag || reference === manifest.digest ? manifest : undefined,
    blob: async (expected) => blobIn(expected)?.bytes(LIMITS.layerBytes),
    copyBlob: async (expected, to) => (await blobIn(expected)?.copy(to)) ?? false,
    openBlob: async (expected) => blobIn(expected)?.open(LIMITS.layerBytes),
  };
}

/** The fields of go-containerregistry's `tarball.Manifest`. */
const MANIFEST_SHAPE: JsonShape = [
  {
    fields: {
      Config: 'string',
      RepoTags: ['string'],
      Layers: ['string'],
      LayerSources: { each: DESCRIPTOR_SHAPE },
    },
  },
];

async function readParts(tree: FileTree) {
  const bad = (what: string) => new SourceError('BAD_SOURCE', tree.shown, what);
  const bytes = await tree.read('manifest.json', LIMITS.manifestBytes);
  if (bytes === undefined) throw bad('not a `.xpkg` file: it lacks `manifest.json`');
  const json = readJson(bytes, MANIFEST_SHAPE);
  if ('problem' in json) throw bad(`\`manifest.json\` ${json.problem}`);
  const images = listOf(json.value) ?? [];
  if (images.length !== 1) {
    throw bad(`it holds ${images.length} images, and a \`.xpkg\` file holds one`);
  }
  const fields = fieldsOf(images[0]);
  const config = stringOf(fields?.get('Config'));
  const layers = listOf(fields?.get('Layers'))?.map(stringOf);
  if (config === undefined || !layers?.every((layer) => layer !== undefined)) {
    throw bad('`manifest.json` lacks `Config` or `Layers`');
  }
  if (layers.length > LIMITS.layers) {
    const what = `\`manifest.json\` lists more than ${LIMITS.layers} layers`;
    throw new SourceError('TOO_LARGE', tree.shown, what);
  }
  return { config, layers };
}

/** Returns the digest in the file name that `xpkg build` writes, or computes it for other names. */
async function layerDigest(tree: FileTree, path: string): Promise<Digest> {
  const named = `sha256:${path.replace(/\.tar\.gz$/, '')}`;
  if (isDigest(named) && (await tree.size(path)) !== undefined) return named;
  const chunks = await tree.stream(path, LIMITS.layerBytes);
  if (chunks === undefined) throw missingPathError(tree, path);
  return sha256OfStream(chunks);
}

function missingPathError(tree: FileTree, path: string): SourceError {
  const what = `\`manifest.json\` names \`${printable(path)}\`, which is not in the file`;
  return new SourceError('BAD_SOURCE', tree.shown, what);
}
