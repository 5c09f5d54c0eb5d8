import { type Digest, sha256 } from '../text/digest.js';
import { printable } from '../text/printable.js';
import { joinReference } from '../model/reference.js';
import { SourceError } from '../model/source-error.js';
import { MEDIA_TYPE } from './descriptor.js';
import type { ImageRepository, StoredManifest } from './image-repository.js';
import { fieldsOf, parseJson, stringOf } from '../text/json.js';
import { parseManifest } from './manifest.js';

/** What an artifact is, by its `artifactType`. */
const ARTIFACT_TYPE = {
  lock: 'application/vnd.xpkg-resolve.lock.v1',
  index: 'application/vnd.xpkg-resolve.index.v1',
} as const;

type ArtifactKind = keyof typeof ARTIFACT_TYPE;

export interface ArtifactFile {
  /** Path below the folder that `oras pull` writes to. */
  readonly title: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** An artifact ready to be pushed; its digest depends on the files alone. */
export interface Artifact {
  readonly manifest: StoredManifest;
  /** Everything that the manifest names. */
  readonly blobs: ReadonlyMap<Digest, Uint8Array>;
}

const TITLE = 'org.opencontainers.image.title';
const EMPTY = Buffer.from('{}');

/** Files as an OCI artifact: an image manifest with a type, an empty config and a layer for each. */
export function artifactOf(kind: ArtifactKind, files: readonly ArtifactFile[]): Artifact {
  const blobs = new Map<Digest, Uint8Array>([[sha256(EMPTY), EMPTY]]);
  const layers = files.map(({ title, mediaType, bytes }) => {
    const digest = sha256(bytes);
    blobs.set(digest, bytes);
    return { mediaType, digest, size: bytes.length, annotations: { [TITLE]: title } };
  });
  const manifest = {
    schemaVersion: 2,
    mediaType: MEDIA_TYPE.ociManifest,
    artifactType: ARTIFACT_TYPE[kind],
    config: {
      mediaType: 'application/vnd.oci.empty.v1+json',
      digest: sha256(EMPTY),
      size: EMPTY.length,
      data: EMPTY.toString('base64'),
    },
    layers,
  };
  const bytes = Buffer.from(JSON.stringify(manifest));
  return { manifest: { digest: sha256(bytes), bytes }, blobs };
}

/** An artifact that this tool pushed to a repository; its files are read on demand. */
export interface HeldArtifact {
  readonly kind: ArtifactKind;
  readonly titles: readonly string[];
  /** undefined: it has no file of that title. */
  file(title: string): Promise<Uint8Array | undefined>;
}

/** undefined: there is no such tag or digest. */
export async function openArtifact(
  repository: ImageRepository,
  reference: string,
): Promise<HeldArtifact | undefined> {
  const manifest = await repository.manifest(reference);
  if (manifest === undefined) return undefined;
  const subject = joinReference(repository.name, reference);
  const kind = kindOf(manifest, subject);
  const parsed = parseManifest(manifest, subject);
  const layers = parsed.kind === 'image' ? parsed.layers : [];
  return {
    kind,
    titles: layers.flatMap(({ annotations }) => annotations.get(TITLE) ?? []),
    file: async (title) => {
      const layer = layers.find(({ annotations }) => annotations.get(TITLE) === title);
      if (layer === undefined) return undefined;
      const bytes = await repository.blob(layer);
      if (bytes !== undefined) return bytes;
      const what = `its manifest names the blob ${layer.digest}, which is not there`;
      throw new SourceError('BAD_IMAGE', subject, what);
    },
  };
}

function kindOf({ bytes }: StoredManifest, subject: string): ArtifactKind {
  const type = stringOf(fieldsOf(parseJson(bytes)?.value)?.get('artifactType'));
  if (type === ARTIFACT_TYPE.lock) return 'lock';
  if (type === ARTIFACT_TYPE.index) return 'index';
  const what = `not something that xpkg-resolve pushed (\`${printable(type ?? 'no artifactType')}\`)`;
  throw new SourceError('BAD_SOURCE', subject, what, {
    hint: '`xpkg-resolve push` and `xpkg-resolve index push` store what can be named by `oci://`',
  });
}
