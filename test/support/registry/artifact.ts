import { sha256, type Digest } from '../../../src/base/digest.js';
import {
  type Artifact,
  type ArtifactFile,
  buildArtifactManifest,
  EMPTY_CONFIG,
} from '../../../src/oci/image/artifact.js';

/** Builds an OCI artifact: a typed image manifest with an empty config and a layer per file. */
export function buildArtifact(kind: 'lock' | 'index', files: readonly ArtifactFile[]): Artifact {
  const blobs = new Map<Digest, Uint8Array>([[sha256(EMPTY_CONFIG), EMPTY_CONFIG]]);
  const layers = files.map(({ title, mediaType, bytes }) => {
    const digest = sha256(bytes);
    blobs.set(digest, bytes);
    return { mediaType, digest, size: bytes.length, title };
  });
  return { manifest: buildArtifactManifest(kind, layers), blobs };
}
