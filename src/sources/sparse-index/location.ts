import { type Artifact, ARTIFACT_TYPE } from '../../oci/image/artifact.js';
import { manifestArtifactType } from '../../oci/image/manifest.js';
import type { ImageRepository, StoredManifest } from '../../oci/image/image-repository.js';
import type { Reference } from '../../crossplane/packages/reference.js';
import type { IndexFolder } from '../../oci/store/index-folder.js';
import type { Digest } from '../../base/digest.js';
import { realClock, type Clock } from '../../base/time.js';
import type { Registries } from '../images/open-registries.js';
import { SparseIndexSnapshot } from './snapshot.js';

/** The current state of a location. */
export interface CurrentState {
  readonly digest: Digest;
  /**
   * Returns the state, or the earlier one with another digest. Returns undefined if it is not a
   * sparse index.
   */
  snapshot(digest?: Digest): Promise<SparseIndexSnapshot | undefined>;
}

/**
 * The result of a write: `written` if it succeeded, `conflict` if another writer changed the
 * location first, `overwritten` if another writer changed it afterwards.
 */
type PutResult = 'written' | 'conflict' | 'overwritten';

/** The location of a sparse index, with compare-and-swap updates. */
export interface SparseIndexLocation {
  /** Location as named by the user. */
  readonly shown: string;
  /** Whether `put` verifies existing parts and replaces damaged ones. */
  readonly repairsParts: boolean;
  /** Reads the current state, without a cache. Returns undefined if there is none. */
  current(): Promise<CurrentState | undefined>;
  /** Removes leftovers of killed processes, if nothing is written. */
  tidy(): Promise<void>;
  /** Waits for other writers before a retry, longer with each round. */
  pause(round: number): Promise<void>;
  /** Writes an index if the current state is still `base`. */
  put(
    artifact: Artifact,
    options: {
      readonly base: Digest | undefined;
      /** Blobs and manifests that exist at the location. */
      readonly existing: ReadonlySet<Digest>;
      /** Blobs and manifests of the new index. */
      readonly wanted: ReadonlySet<Digest>;
    },
  ): Promise<PutResult>;
}

/** Wraps a location so that nothing is written. */
export function dryRunLocation(place: SparseIndexLocation): SparseIndexLocation {
  return { ...place, tidy: async () => {}, pause: async () => {}, put: async () => 'written' };
}

export function folderLocation(folder: IndexFolder, shown: string): SparseIndexLocation {
  return {
    shown,
    repairsParts: true,
    current: async () => {
      const digest = await folder.digest();
      return (
        digest && {
          digest,
          snapshot: async (wanted) => openSnapshot(await folder.top(wanted), shown),
        }
      );
    },
    tidy: () => folder.tidy(),
    // All writers wait for its lock, and one of them succeeds each time.
    pause: async () => {},
    // Old parts are kept for current readers, until the next change.
    put: async (artifact, { base, existing, wanted }) =>
      (await folder.put(artifact, { base, keep: new Set([...existing, ...wanted]) }))
        ? 'written'
        : 'conflict',
  };
}

/** Minimum time between setting a tag and checking it. */
const MIN_CHECK_DELAY_MS = 2_000;
/** Minimum of that time, as a multiple of the time from reading to setting the tag. */
const CHECK_DELAY_FACTOR = 3;
const PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;

/**
 * Registries have no compare-and-swap for tags. A writer reads the tag, sets it, and checks it once
 * all writers that read the old value have set theirs: the last one finds its own value, and the
 * others know that their change is lost. This works if no writer takes longer from reading to
 * setting than the others wait.
 */
export function registryLocation(
  registries: Registries,
  reference: Reference,
  shown: string,
  clock: Clock = realClock,
): SparseIndexLocation {
  const images = registries.repository(reference);
  const { identifier } = reference;
  const top = () => images.manifest(identifier);
  const pointsAtEither = async (likely: Digest | undefined, other: Digest | undefined) => {
    if (likely !== undefined && (await images.pointsAt?.(identifier, likely)) === true) return true;
    const found = (await top())?.digest;
    return found === likely || found === other;
  };
  let readAt = 0;
  let durationMs = 0;
  return {
    shown,
    repairsParts: false,
    current: async () => {
      readAt = clock.now();
      const stored = await top();
      if (stored === undefined) return undefined;
      return {
        digest: stored.digest,
        snapshot: () => openSnapshot({ images, top: stored }, shown),
      };
    },
    tidy: async () => {},
    pause: (round) => {
      const most = Math.min(MAX_PAUSE_MS, Math.max(PAUSE_MS, durationMs) * 2 ** (round - 1));
      return clock.sleep(clock.random() * most, `other writers of ${shown}`);
    },
    put: async (artifact, { base, existing }) => {
      const { digest } = artifact.manifest;
      let checkedAt = 0;
      // An earlier attempt may have succeeded although its response was lost.
      const before = async () => {
        checkedAt = clock.now();
        return pointsAtEither(base, digest);
      };
      const has = (each: Digest) => existing.has(each);
      const isPut = await registries.push(reference, artifact, { has, beforeTag: before });
      const now = clock.now();
      durationMs = now - readAt;
      if (!isPut) return 'conflict';
      const wait = Math.max(MIN_CHECK_DELAY_MS, CHECK_DELAY_FACTOR * (now - checkedAt));
      await clock.sleep(wait, `other writers of ${shown}`);
      // A registry with delayed replication may still return the old value.
      return (await pointsAtEither(digest, base)) ? 'written' : 'overwritten';
    },
  };
}

async function openSnapshot(
  { images, top }: { readonly images: ImageRepository; readonly top: StoredManifest },
  shown: string,
): Promise<SparseIndexSnapshot | undefined> {
  if (manifestArtifactType(top) !== ARTIFACT_TYPE.parts) return undefined;
  return SparseIndexSnapshot.open(images, top, shown);
}
