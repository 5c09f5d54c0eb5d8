import { buffer } from 'node:stream/consumers';
import type { Descriptor } from './descriptor.js';
import type { ImageRepository } from './image-repository.js';
import type { ImageManifest } from './manifest.js';
import { TAR_BLOCK_BYTES } from '../archive/tar-header.js';
import { type Digest, sha256 } from '../../base/digest.js';

export interface Blob {
  readonly mediaType: string;
  readonly digest: Digest;
  readonly bytes: Uint8Array;
}

/** A package image with one layer. A tag would point at `manifest.digest`. */
export interface BuiltImage {
  readonly manifest: Blob;
  readonly config: Blob;
  readonly layer: Blob;
}

/**
 * Builds an image with one `package.yaml` in a plain tar, so that no compressor affects its digest.
 * Crossplane reads such layers since v2.2.
 */
export async function buildImage(packageYaml: Uint8Array): Promise<BuiltImage> {
  return buildLayerImage([{ name: 'package.yaml', bytes: packageYaml }], BASE_ANNOTATION);
}

/** Builds an image without a base layer annotation, as images were built before it existed. */
export async function buildFlatImage(files: readonly PlainFile[]): Promise<BuiltImage> {
  return buildLayerImage(files, {});
}

interface LayerAnnotations {
  readonly annotations?: object;
}

async function buildLayerImage(
  files: readonly PlainFile[],
  mark: LayerAnnotations,
): Promise<BuiltImage> {
  const layer = blob('application/vnd.oci.image.layer.v1.tar', await buildTar(files));
  return { ...manifestAndConfig({ ...layer, size: layer.bytes.length }, mark), layer };
}

/** Builds the manifest and config for a layer. The layer itself is not needed. */
function manifestAndConfig(
  { mediaType, digest, size }: Pick<Descriptor, 'mediaType' | 'digest' | 'size'>,
  mark: LayerAnnotations,
): Pick<BuiltImage, 'manifest' | 'config'> {
  const { annotations } = mark;
  const config = jsonBlob('application/vnd.oci.image.config.v1+json', {
    architecture: 'amd64',
    os: 'linux',
    // Repeats the annotation as a label, because `crossplane validate` reads only labels.
    ...(annotations && { config: { Labels: { [`io.crossplane.xpkg:${digest}`]: 'base' } } }),
    rootfs: { type: 'layers', diff_ids: [digest] },
  });
  const manifest = jsonBlob('application/vnd.oci.image.manifest.v1+json', {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: blobDescriptor(config),
    layers: [{ mediaType, digest, size, ...mark }],
  });
  return { manifest, config };
}

/** Whether this module built the image. Lockfiles have such digests for packages in folders. */
export function isImageBuiltHere(
  { layers }: Pick<ImageManifest, 'layers'>,
  digest: Digest,
): boolean {
  const [layer, ...others] = layers;
  if (layer === undefined || others.length > 0) return false;
  const annotationVariants = [BASE_ANNOTATION, {}];
  return annotationVariants.some(
    (mark) => manifestAndConfig(layer, mark).manifest.digest === digest,
  );
}

const BASE_ANNOTATION: LayerAnnotations = { annotations: { 'io.crossplane.xpkg': 'base' } };

export function builtRepository(image: BuiltImage, name: string): ImageRepository {
  const { manifest, config, layer } = image;
  return {
    name,
    tags: async () => [],
    manifest: async (reference) => (reference === manifest.digest ? manifest : undefined),
    blob: async ({ digest }) => [config, layer].find((part) => part.digest === digest)?.bytes,
  };
}

/** Builds a tar whose bytes are the same on every machine. */
export async function buildTar(files: readonly PlainFile[]): Promise<Uint8Array> {
  const plain = buildPlainTar(files);
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

export function blobDescriptor({ mediaType, digest, bytes }: Blob): object {
  return { mediaType, digest, size: bytes.length };
}

interface PlainFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** ASCII names that fit into a header. */
const PLAIN_NAME = /^[\x20-\x7e]{1,100}$/;

/**
 * Builds the bytes of tar-stream, which is slow to load. Returns undefined if a name is too long or
 * not ASCII.
 */
export function buildPlainTar(files: readonly PlainFile[]): Uint8Array | undefined {
  if (!files.every(({ name }) => PLAIN_NAME.test(name))) return undefined;
  const blocks = files.reduce(
    (sum, { bytes }) => sum + 1 + Math.ceil(bytes.length / TAR_BLOCK_BYTES),
    2,
  );
  const tar = Buffer.alloc(blocks * TAR_BLOCK_BYTES);
  let at = 0;
  for (const { name, bytes } of files) {
    writeHeader(tar.subarray(at, at + TAR_BLOCK_BYTES), name, bytes.length);
    tar.set(bytes, at + TAR_BLOCK_BYTES);
    at += (1 + Math.ceil(bytes.length / TAR_BLOCK_BYTES)) * TAR_BLOCK_BYTES;
  }
  return tar;
}

function writeHeader(header: Buffer, name: string, size: number): void {
  header.write(name, 0, 'latin1');
  header.write('000644 ', 100);
  for (const owner of [108, 116]) header.write('000000 ', owner);
  header.write(octal(size, 11), 124);
  header.write(octal(0, 11), 136);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  for (const device of [329, 337]) header.write('000000 ', device);
  // The checksum is computed with spaces in its own field.
  const sum = header.reduce((total, byte) => total + byte, 8 * 0x20);
  header.write(octal(sum, 6), 148);
}

function octal(value: number, digits: number): string {
  return `${value.toString(8).padStart(digits, '0')} `;
}
