import { buffer } from 'node:stream/consumers';
import { type Digest, sha256 } from '../text/digest.js';
import { plainTar, type PlainFile } from './archive/plain-tar.js';
import type { Descriptor } from './descriptor.js';
import type { ImageManifest } from './manifest.js';
import type { ImageRepository } from './image-repository.js';

/** A blob with the descriptor that points at it. */
export interface Blob {
  readonly mediaType: string;
  readonly digest: Digest;
  readonly bytes: Uint8Array;
}

/** A package image of one layer; `manifest.digest` is what a tag would point at. */
export interface BuiltImage {
  readonly manifest: Blob;
  readonly config: Blob;
  readonly layer: Blob;
}

/**
 * The image that holds one `package.yaml`: the same bytes on every machine.
 *
 * The layer is a plain tar, so that no compressor's version can change the digest. Crossplane reads
 * those from v2.2 on; releases before take gzip alone.
 */
export async function buildImage(packageYaml: Uint8Array): Promise<BuiltImage> {
  return imageOf(await layerOf([{ name: 'package.yaml', bytes: packageYaml }]), BASE_MARK);
}

/** The image that holds files in a layer without a mark, as images had before packages were marked. */
export async function buildFlatImage(files: readonly PlainFile[]): Promise<BuiltImage> {
  return imageOf(await layerOf(files), {});
}

async function layerOf(files: readonly PlainFile[]): Promise<Blob> {
  return blob('application/vnd.oci.image.layer.v1.tar', await tarOf(files));
}

interface Mark {
  readonly annotations?: object;
}

function imageOf(layer: Blob, mark: Mark): BuiltImage {
  const { digest, mediaType, bytes } = layer;
  return { ...aroundLayer({ digest, mediaType, size: bytes.length }, mark), layer };
}

/** What points at a layer, which need not be at hand. */
function aroundLayer(
  { mediaType, digest, size }: Pick<Descriptor, 'mediaType' | 'digest' | 'size'>,
  mark: Mark,
): Pick<BuiltImage, 'manifest' | 'config'> {
  const config = jsonBlob('application/vnd.oci.image.config.v1+json', configOf(digest, mark));
  const manifest = jsonBlob('application/vnd.oci.image.manifest.v1+json', {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: descriptorOf(config),
    layers: [{ mediaType, digest, size, ...mark }],
  });
  return { manifest, config };
}

/** Whether an image is one that is built here, by its digest: of a folder, that is in lockfiles. */
export function isBuiltImage({ layers }: Pick<ImageManifest, 'layers'>, digest: Digest): boolean {
  const [layer] = layers;
  if (layer === undefined || layers.length > 1) return false;
  const marks = [BASE_MARK, {}];
  return marks.some((mark) => aroundLayer(layer, mark).manifest.digest === digest);
}

const BASE_MARK: Mark = { annotations: { 'io.crossplane.xpkg': 'base' } };

/** A repository that holds one built image. */
export function builtRepository(image: BuiltImage, name: string): ImageRepository {
  const { manifest, config, layer } = image;
  return {
    name,
    tags: async () => [],
    manifest: async (reference) => (reference === manifest.digest ? manifest : undefined),
    blob: async ({ digest }) => [config, layer].find((held) => held.digest === digest)?.bytes,
  };
}

/** Repeats the layer's annotation as a label, because `crossplane validate` reads labels only. */
function configOf(layer: Digest, { annotations }: Mark): object {
  return {
    architecture: 'amd64',
    os: 'linux',
    ...(annotations && { config: { Labels: { [`io.crossplane.xpkg:${layer}`]: 'base' } } }),
    rootfs: { type: 'layers', diff_ids: [layer] },
  };
}

/** A tar that is the same on every machine. */
export async function tarOf(files: readonly PlainFile[]): Promise<Uint8Array> {
  const plain = plainTar(files);
  if (plain !== undefined) return plain;
  const { pack } = await import('tar-stream');
  const tar = pack();
  for (const { name, bytes } of files) {
    const header = { name, mode: 0o644, mtime: new Date(0), uid: 0, gid: 0, size: bytes.length };
    tar.entry(header, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  }
  tar.finalize();
  return buffer(tar);
}

export function jsonBlob(mediaType: string, value: object): Blob {
  return blob(mediaType, new TextEncoder().encode(JSON.stringify(value)));
}

export function blob(mediaType: string, bytes: Uint8Array): Blob {
  return { mediaType, digest: sha256(bytes), bytes };
}

export function descriptorOf({ mediaType, digest, bytes }: Blob): object {
  return { mediaType, digest, size: bytes.length };
}
