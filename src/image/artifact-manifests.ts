import { sha256, type Digest } from '../text/digest.js';
import { MEDIA_TYPE } from './descriptor.js';
import type { StoredManifest } from './image-repository.js';
import { manifestMediaType } from './manifest.js';

/** What an artifact is, or a manifest below one, by its `artifactType`. */
export const ARTIFACT_TYPE = {
  lock: 'application/vnd.xpkg-resolve.lock.v1',
  index: 'application/vnd.xpkg-resolve.index.v1',
  parts: 'application/vnd.xpkg-resolve.index.parts.v1',
  tables: 'application/vnd.xpkg-resolve.index.tables.v1',
  rest: 'application/vnd.xpkg-resolve.index.rest.v1',
} as const;

type ManifestType = keyof typeof ARTIFACT_TYPE;

/** A blob as a manifest lists it. */
export interface ListedBlob {
  /** Path below the folder that `oras pull` writes to. */
  readonly title: string;
  readonly mediaType: string;
  readonly digest: Digest;
  readonly size: number;
}

export const TITLE = 'org.opencontainers.image.title';

/** The config of every artifact, as the OCI image specification advises. */
export const EMPTY = Buffer.from('{}');

/** An image manifest with a type, an empty config and a layer for each blob. */
export function manifestOf(type: ManifestType, blobs: readonly ListedBlob[]): StoredManifest {
  return stored({
    schemaVersion: 2,
    mediaType: MEDIA_TYPE.ociManifest,
    artifactType: ARTIFACT_TYPE[type],
    config: {
      mediaType: 'application/vnd.oci.empty.v1+json',
      digest: sha256(EMPTY),
      size: EMPTY.length,
      data: EMPTY.toString('base64'),
    },
    layers: blobs.map(({ mediaType, digest, size, title }) => ({
      mediaType,
      digest,
      size,
      annotations: { [TITLE]: title },
    })),
  });
}

interface ListedManifest {
  readonly type: ManifestType;
  readonly manifest: StoredManifest;
  /** Carries its bytes along, as `data` of OCI image specification 1.1, which saves a request. */
  readonly embedded?: boolean;
}

/** An image index with a type, over manifests in the order given. */
export function manifestIndexOf(
  type: ManifestType,
  manifests: readonly ListedManifest[],
): StoredManifest {
  return stored({
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

function stored(manifest: object): StoredManifest {
  const bytes = Buffer.from(JSON.stringify(manifest));
  return { digest: sha256(bytes), bytes };
}
