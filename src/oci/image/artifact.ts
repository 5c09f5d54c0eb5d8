import { crc32 } from 'node:zlib';
import { MEDIA_TYPE } from './descriptor.js';
import type { ImageRepository, StoredManifest } from './image-repository.js';
import { manifestArtifactType, manifestMediaType, parseManifest } from './manifest.js';
import { type Digest, sha256 } from '../../base/digest.js';
import { SourceError } from '../../base/errors.js';
import { printable } from '../../base/escape.js';
import { joinReference } from '../../crossplane/packages/reference.js';
import { buildTar } from './build-image.js';
import { byCodePoint } from '../../base/collections.js';

export interface ArtifactFile {
  /** Path relative to the folder that `oras pull` writes to. */
  readonly title: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** An artifact to push. Its digest depends only on its files. */
export interface Artifact {
  readonly manifest: StoredManifest;
  /** Child manifests; each one follows the manifests that it refers to. */
  readonly manifests?: readonly StoredManifest[] | undefined;
  /** Blobs that the manifests refer to, without those that the destination already has. */
  readonly blobs: ReadonlyMap<Digest, Uint8Array>;
}

export interface PushOptions {
  /** Whether the repository already has a blob or manifest. */
  readonly has?: ((digest: Digest) => boolean) | undefined;
  /** Called before each attempt to set the tag, after all uploads. False cancels it. */
  readonly beforeTag?: (() => Promise<boolean>) | undefined;
}

/** An artifact that this tool pushed to a repository. Its files are read on demand. */
export interface StoredArtifact {
  readonly kind: 'lock' | 'index' | 'parts';
  readonly manifest: StoredManifest;
  readonly images: ImageRepository;
  readonly titles: readonly string[];
  /** Returns undefined if the artifact has no file with that title. */
  file(title: string): Promise<Uint8Array | undefined>;
}

/** Returns undefined if there is no such tag or digest. */
export async function openArtifact(
  repository: ImageRepository,
  reference: string,
): Promise<StoredArtifact | undefined> {
  const manifest = await repository.manifest(reference);
  if (manifest === undefined) return undefined;
  const subject = joinReference(repository.name, reference);
  const parsed = parseManifest(manifest, subject);
  const kind = artifactKind(manifest, subject);
  const layers = parsed.kind === 'image' ? parsed.layers : [];
  return {
    kind,
    manifest,
    images: repository,
    titles: layers.flatMap(({ annotations }) => annotations.get(TITLE_ANNOTATION) ?? []),
    file: async (title) => {
      const layer = layers.find(({ annotations }) => annotations.get(TITLE_ANNOTATION) === title);
      if (layer === undefined) return undefined;
      const bytes = await repository.blob(layer);
      if (bytes !== undefined) return bytes;
      const what = `its manifest names the blob ${layer.digest}, which is not there`;
      throw new SourceError('BAD_IMAGE', subject, what);
    },
  };
}

/** Throws if this tool did not store the artifact. */
function artifactKind(manifest: StoredManifest, subject: string): StoredArtifact['kind'] {
  const type = manifestArtifactType(manifest);
  const kind = (['lock', 'index', 'parts'] as const).find((each) => ARTIFACT_TYPE[each] === type);
  if (kind !== undefined) return kind;
  const what = `not something that xpkg-resolve pushed (\`${printable(type ?? 'no artifactType')}\`)`;
  throw new SourceError('BAD_SOURCE', subject, what, {
    hint: '`xpkg-resolve push` and `xpkg-resolve index push` store what can be named by `oci://`',
  });
}

/** Values of `artifactType` in artifacts and their child manifests. */
export const ARTIFACT_TYPE = {
  lock: 'application/vnd.xpkg-resolve.lock.v1',
  index: 'application/vnd.xpkg-resolve.index.v1',
  parts: 'application/vnd.xpkg-resolve.index.parts.v1',
  tables: 'application/vnd.xpkg-resolve.index.tables.v1',
  rest: 'application/vnd.xpkg-resolve.index.rest.v1',
} as const;

type ManifestType = keyof typeof ARTIFACT_TYPE;

/** A blob, as listed in a manifest. */
export interface ListedBlob extends Pick<ArtifactFile, 'title' | 'mediaType'> {
  readonly digest: Digest;
  readonly size: number;
}

export const TITLE_ANNOTATION = 'org.opencontainers.image.title';

/** The empty config of every artifact, as recommended by the OCI image specification. */
export const EMPTY_CONFIG: Uint8Array = Buffer.from('{}');

/** Builds an image manifest with an artifact type, an empty config and a layer for each blob. */
export function buildArtifactManifest(
  type: ManifestType,
  blobs: readonly ListedBlob[],
): StoredManifest {
  return storedManifest({
    schemaVersion: 2,
    mediaType: MEDIA_TYPE.ociManifest,
    artifactType: ARTIFACT_TYPE[type],
    config: {
      mediaType: 'application/vnd.oci.empty.v1+json',
      digest: sha256(EMPTY_CONFIG),
      size: EMPTY_CONFIG.length,
      data: Buffer.from(EMPTY_CONFIG).toString('base64'),
    },
    layers: blobs.map(({ mediaType, digest, size, title }) => ({
      mediaType,
      digest,
      size,
      annotations: { [TITLE_ANNOTATION]: title },
    })),
  });
}

interface ListedManifest {
  readonly type: ManifestType;
  readonly manifest: StoredManifest;
  /** Whether the index embeds the manifest in `data` (OCI 1.1), which saves a request. */
  readonly embedded?: boolean;
}

/** Builds an image index with an artifact type. The manifests keep their order. */
export function buildArtifactIndex(
  type: ManifestType,
  manifests: readonly ListedManifest[],
): StoredManifest {
  return storedManifest({
    schemaVersion: 2,
    mediaType: MEDIA_TYPE.ociIndex,
    artifactType: ARTIFACT_TYPE[type],
    manifests: manifests.map(({ type: below, manifest, embedded = false }) => ({
      mediaType: manifestMediaType(manifest),
      digest: manifest.digest,
      size: manifest.bytes.length,
      artifactType: ARTIFACT_TYPE[below],
      ...(embedded && { data: Buffer.from(manifest.bytes).toString('base64') }),
    })),
  });
}

export function storedManifest(manifest: object): StoredManifest {
  const bytes = Buffer.from(JSON.stringify(manifest));
  return { digest: sha256(bytes), bytes };
}

const FLUX_CONFIG = 'application/vnd.cncf.flux.config.v1+json';
const FLUX_CONTENT = 'application/vnd.cncf.flux.content.v1.tar+gzip';

interface FluxContent {
  readonly content: ReadonlyMap<string, string>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Builds the artifact of a lockfile. Flux's `OCIRepository` unpacks the first layer only. */
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
    addBlob(FLUX_CONTENT, uncompressedGzip(tar)),
    ...files.map(({ title, mediaType, bytes }) => ({
      ...addBlob(mediaType, bytes),
      annotations: { [TITLE_ANNOTATION]: title },
    })),
  ];
  const diffIds = [tar, ...files.map(({ bytes }) => bytes)].map((bytes) => sha256(bytes));
  const rootfs = { type: 'layers', diff_ids: diffIds };
  const config = Buffer.from(JSON.stringify({ architecture: '', os: '', config: {}, rootfs }));
  const manifest = storedManifest({
    schemaVersion: 2,
    mediaType: MEDIA_TYPE.ociManifest,
    artifactType: ARTIFACT_TYPE.lock,
    config: addBlob(FLUX_CONFIG, config),
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
