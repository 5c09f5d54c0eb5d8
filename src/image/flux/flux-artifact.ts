import { byCodePoint } from '../../text/code-point-order.js';
import { sha256, type Digest } from '../../text/digest.js';
import { storedGzip } from '../archive/stored-gzip.js';
import { ARTIFACT_TYPE, TITLE } from '../artifact-manifests.js';
import type { Artifact, ArtifactFile } from '../artifact.js';
import { tarOf } from '../build-image.js';
import { MEDIA_TYPE } from '../descriptor.js';

/** Media types by which Flux knows an artifact of its own. */
const FLUX = {
  config: 'application/vnd.cncf.flux.config.v1+json',
  content: 'application/vnd.cncf.flux.content.v1.tar+gzip',
} as const;

interface FluxContent {
  /** Files of the folder by path. */
  readonly content: ReadonlyMap<string, string>;
  readonly annotations: Readonly<Record<string, string>>;
}

/**
 * A lockfile and its files as `artifactOf` stores them, and with a first layer that Flux unpacks for a
 * folder: an `OCIRepository` takes the first layer, or the one of its media type, and leaves the rest.
 */
export async function fluxArtifactOf(
  files: readonly ArtifactFile[],
  { content, annotations }: FluxContent,
): Promise<Artifact> {
  const folder = Array.from(content, ([name, text]) => ({ name, bytes: Buffer.from(text) }));
  const tar = await tarOf(folder.sort((a, b) => byCodePoint(a.name, b.name)));
  const blobs = new Map<Digest, Uint8Array>();
  const stored = (mediaType: string, bytes: Uint8Array) => {
    const digest = sha256(bytes);
    blobs.set(digest, bytes);
    return { mediaType, digest, size: bytes.length };
  };
  const layers = [
    stored(FLUX.content, storedGzip(tar)),
    ...files.map(({ title, mediaType, bytes }) => {
      return { ...stored(mediaType, bytes), annotations: { [TITLE]: title } };
    }),
  ];
  const diffs = [sha256(tar), ...files.map(({ bytes }) => sha256(bytes))];
  const rootfs = { type: 'layers', diff_ids: diffs };
  const config = Buffer.from(JSON.stringify({ architecture: '', os: '', config: {}, rootfs }));
  const manifest = {
    schemaVersion: 2,
    mediaType: MEDIA_TYPE.ociManifest,
    artifactType: ARTIFACT_TYPE.lock,
    config: stored(FLUX.config, config),
    layers,
    annotations,
  };
  const bytes = Buffer.from(JSON.stringify(manifest));
  return { manifest: { digest: sha256(bytes), bytes }, blobs };
}
