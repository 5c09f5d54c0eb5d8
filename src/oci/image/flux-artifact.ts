import { crc32 } from 'node:zlib';
import {
  type Artifact,
  ARTIFACT_TYPE,
  type ArtifactFile,
  storedManifest,
  TITLE_ANNOTATION,
} from './artifact.js';
import { buildTar } from './build-image.js';
import { MEDIA_TYPE } from './descriptor.js';
import { byCodePoint } from '../../base/collections.js';
import { type Digest, sha256 } from '../../base/digest.js';

/** Media types of Flux artifacts. */
const FLUX = {
  config: 'application/vnd.cncf.flux.config.v1+json',
  content: 'application/vnd.cncf.flux.content.v1.tar+gzip',
} as const;

interface FluxContent {
  /** Files of the folder, by path. */
  readonly content: ReadonlyMap<string, string>;
  readonly annotations: Readonly<Record<string, string>>;
}

/**
 * Builds an artifact like `buildArtifact`, with an additional first layer for Flux: an `OCIRepository`
 * unpacks the first layer, or the one with its media type, and ignores the others.
 */
export async function buildFluxArtifact(
  files: readonly ArtifactFile[],
  { content, annotations }: FluxContent,
): Promise<Artifact> {
  const folder = Array.from(content, ([name, text]) => ({ name, bytes: Buffer.from(text) }));
  const tar = await buildTar(folder.sort((a, b) => byCodePoint(a.name, b.name)));
  const blobs = new Map<Digest, Uint8Array>();
  const addBlob = (mediaType: string, bytes: Uint8Array) => {
    const digest = sha256(bytes);
    blobs.set(digest, bytes);
    return { mediaType, digest, size: bytes.length };
  };
  const layers = [
    addBlob(FLUX.content, uncompressedGzip(tar)),
    ...files.map(({ title, mediaType, bytes }) => {
      return { ...addBlob(mediaType, bytes), annotations: { [TITLE_ANNOTATION]: title } };
    }),
  ];
  const diffs = [sha256(tar), ...files.map(({ bytes }) => sha256(bytes))];
  const rootfs = { type: 'layers', diff_ids: diffs };
  const config = Buffer.from(JSON.stringify({ architecture: '', os: '', config: {}, rootfs }));
  const manifest = storedManifest({
    schemaVersion: 2,
    mediaType: MEDIA_TYPE.ociManifest,
    artifactType: ARTIFACT_TYPE.lock,
    config: addBlob(FLUX.config, config),
    layers,
    annotations,
  });
  return { manifest, blobs };
}

/** Maximum size of an uncompressed block (RFC 1951, 3.2.4). */
const MAX_BLOCK = 0xffff;
/** Header fields: deflate, no flags, no time, no extra flags, unknown system (RFC 1952, 2.3). */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);

/**
 * Wraps bytes as gzip without compression. Compressed output could differ between Node.js releases.
 */
export function uncompressedGzip(bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [HEADER];
  for (let at = 0; at === 0 || at < bytes.length; at += MAX_BLOCK) {
    const block = bytes.subarray(at, at + MAX_BLOCK);
    const head = Buffer.alloc(5);
    head.writeUInt8(at + MAX_BLOCK >= bytes.length ? 1 : 0, 0);
    head.writeUInt16LE(block.length, 1);
    head.writeUInt16LE(block.length ^ MAX_BLOCK, 3);
    parts.push(head, block);
  }
  const tail = Buffer.alloc(8);
  tail.writeUInt32LE(crc32(bytes), 0);
  tail.writeUInt32LE(bytes.length % 2 ** 32, 4);
  return Buffer.concat([...parts, tail]);
}
