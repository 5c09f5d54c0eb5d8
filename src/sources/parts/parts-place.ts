import { artifactTypeOf, type Artifact } from '../../image/artifact.js';
import { ARTIFACT_TYPE } from '../../image/artifact-manifests.js';
import type { ImageRepository, StoredManifest } from '../../image/image-repository.js';
import type { Reference } from '../../model/reference.js';
import type { IndexFolder } from '../../store/index-folder.js';
import type { Digest } from '../../text/digest.js';
import type { Registries } from '../registry/open-registries.js';
import { PartsSnapshot } from './parts-snapshot.js';

/** What stands at a place. */
export interface Standing {
  readonly digest: Digest;
  /**
   * What it is, or was when it had another digest; undefined: something else than an index in parts.
   */
  snapshot(digest?: Digest): Promise<PartsSnapshot | undefined>;
}

/** Where an index in parts is kept, and can be replaced by another. */
export interface PartsPlace {
  /** As the user named it. */
  readonly shown: string;
  /** `put` looks at the bytes of what is there, and replaces what is damaged. */
  readonly mends: boolean;
  /** Asked anew each time; undefined: there is nothing yet. */
  current(): Promise<Standing | undefined>;
  /** Removes what killed processes left, where nothing is put. */
  tidy(): Promise<void>;
  /** Puts an index in the place of `base`; false: another writer has put one there meanwhile. */
  put(
    artifact: Artifact,
    options: {
      readonly base: Digest | undefined;
      /** Blobs and manifests that are there already. */
      readonly held: ReadonlySet<Digest>;
      /** Blobs and manifests of what is put. */
      readonly wanted: ReadonlySet<Digest>;
    },
  ): Promise<boolean>;
}

export function folderPlace(folder: IndexFolder, shown: string): PartsPlace {
  return {
    shown,
    mends: true,
    current: async () => {
      const digest = await folder.digest();
      return (
        digest && {
          digest,
          snapshot: async (wanted) => opened(await folder.top(wanted), shown),
        }
      );
    },
    tidy: () => folder.tidy(),
    // What was there is kept for those who read it now, and goes with the next change.
    put: (artifact, { base, held, wanted }) =>
      folder.put(artifact, { base, keep: new Set([...held, ...wanted]) }),
  };
}

/** Registries cannot compare and set a tag, so it is looked at before it is set, and after. */
export function registryPlace(
  registries: Registries,
  reference: Reference,
  shown: string,
): PartsPlace {
  const images = registries.repository(reference);
  const top = () => images.manifest(reference.identifier);
  return {
    shown,
    mends: false,
    current: async () => {
      const stored = await top();
      if (stored === undefined) return undefined;
      return { digest: stored.digest, snapshot: () => opened({ images, top: stored }, shown) };
    },
    tidy: async () => {},
    put: async (artifact, { base, held }) => {
      const isBase = async () => (await top())?.digest === base;
      const has = (digest: Digest) => held.has(digest);
      if (!(await registries.push(reference, artifact, { has, before: isBase }))) return false;
      const after = (await top())?.digest;
      // A registry whose copies are late may still say what was there before.
      return after === artifact.manifest.digest || after === base;
    },
  };
}

async function opened(
  { images, top }: { readonly images: ImageRepository; readonly top: StoredManifest },
  shown: string,
): Promise<PartsSnapshot | undefined> {
  if (artifactTypeOf(top) !== ARTIFACT_TYPE.parts) return undefined;
  return PartsSnapshot.open(images, top, shown);
}
