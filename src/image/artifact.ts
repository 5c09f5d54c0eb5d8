import { type Digest, sha256 } from '../text/digest.js';
import { printable } from '../text/printable.js';
import { joinReference } from '../model/reference.js';
import { SourceError } from '../model/source-error.js';
import { ARTIFACT_TYPE, EMPTY, manifestOf, TITLE } from './artifact-manifests.js';
import type { ImageRepository, StoredManifest } from './image-repository.js';
import { fieldsOf, parseJson, stringOf } from '../text/json.js';
import { parseManifest } from './manifest.js';

export interface ArtifactFile {
  /** Path below the folder that `oras pull` writes to. */
  readonly title: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** An artifact ready to be pushed; its digest depends on the files alone. */
export interface Artifact {
  readonly manifest: StoredManifest;
  /** Manifests below it, each after those that it names. */
  readonly manifests?: readonly StoredManifest[] | undefined;
  /** Every blob that a manifest names, but for those that are where it is pushed to already. */
  readonly blobs: ReadonlyMap<Digest, Uint8Array>;
}

/** How an artifact is pushed. */
export interface PushOptions {
  /** Whether the repository holds a blob or a manifest already. */
  readonly has?: ((digest: Digest) => boolean) | undefined;
  /** Asked when all is there but the tag, before each try to set it; false: it is left alone. */
  readonly before?: (() => Promise<boolean>) | undefined;
}

/** Files as an OCI artifact: an image manifest with a type, an empty config and a layer for each. */
export function artifactOf(kind: 'lock' | 'index', files: readonly ArtifactFile[]): Artifact {
  const blobs = new Map<Digest, Uint8Array>([[sha256(EMPTY), EMPTY]]);
  const layers = files.map(({ title, mediaType, bytes }) => {
    const digest = sha256(bytes);
    blobs.set(digest, bytes);
    return { mediaType, digest, size: bytes.length, title };
  });
  return { manifest: manifestOf(kind, layers), blobs };
}

/** An artifact that this tool pushed to a repository; its files are read on demand. */
export interface HeldArtifact {
  readonly kind: 'lock' | 'index' | 'parts';
  readonly manifest: StoredManifest;
  /** Where it is. */
  readonly images: ImageRepository;
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
  const kind = artifactKind(manifest, subject);
  const parsed = parseManifest(manifest, subject);
  const layers = parsed.kind === 'image' ? parsed.layers : [];
  return {
    kind,
    manifest,
    images: repository,
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

/** What this tool stored as an artifact; throws where it is nothing of that sort. */
export function artifactKind(manifest: StoredManifest, subject: string): HeldArtifact['kind'] {
  const type = artifactTypeOf(manifest);
  if (type === ARTIFACT_TYPE.lock) return 'lock';
  if (type === ARTIFACT_TYPE.index) return 'index';
  if (type === ARTIFACT_TYPE.parts) return 'parts';
  const what = `not something that xpkg-resolve pushed (\`${printable(type ?? 'no artifactType')}\`)`;
  throw new SourceError('BAD_SOURCE', subject, what, {
    hint: '`xpkg-resolve push` and `xpkg-resolve index push` store what can be named by `oci://`',
  });
}

/** What a manifest says that it is the top of; undefined: nothing. */
export function artifactTypeOf({ bytes }: StoredManifest): string | undefined {
  return stringOf(fieldsOf(parseJson(bytes)?.value)?.get('artifactType'));
}
