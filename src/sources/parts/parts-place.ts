import { artifactTypeOf, type Artifact } from '../../image/artifact.js';
import { ARTIFACT_TYPE } from '../../image/artifact-manifests.js';
import type { ImageRepository, StoredManifest } from '../../image/image-repository.js';
import type { Reference } from '../../model/reference.js';
import type { IndexFolder } from '../../store/index-folder.js';
import type { Digest } from '../../text/digest.js';
import { realClock, type Clock } from '../../model/time/clock.js';
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

/**
 * What became of an index that was to be put somewhere: it is there; another writer was there first,
 * and it was not put; it was put, and another writer put something else in its place.
 */
type PutEnd = 'there' | 'overtaken' | 'overwritten';

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
  /** Lets other writers finish, longer each time, before the next round of that number begins. */
  pause(round: number): Promise<void>;
  /** Puts an index in the place of `base`, if that is there still. */
  put(
    artifact: Artifact,
    options: {
      readonly base: Digest | undefined;
      /** Blobs and manifests that are there already. */
      readonly held: ReadonlySet<Digest>;
      /** Blobs and manifests of what is put. */
      readonly wanted: ReadonlySet<Digest>;
    },
  ): Promise<PutEnd>;
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
    // Its lock is waited for by all writers, and one of them gets ahead each time.
    pause: async () => {},
    // What was there is kept for those who read it now, and goes with the next change.
    put: async (artifact, { base, held, wanted }) =>
      (await folder.put(artifact, { base, keep: new Set([...held, ...wanted]) }))
        ? 'there'
        : 'overtaken',
  };
}

/** From when a tag was set until it is looked at again, at least. */
const SETTLE_MS = 2_000;
/** How many times as long as this writer took to set it. */
const SETTLE_FACTOR = 3;
const PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;

/**
 * Registries cannot compare and set a tag in one step. A writer looks at it, sets it, and looks again
 * when every other writer that looked before it was set has set it in turn: the last of them finds its
 * own, and the others find what does not hold their work. That holds as long as no writer takes longer
 * from look to tag than the others wait.
 */
export function registryPlace(
  registries: Registries,
  reference: Reference,
  shown: string,
  clock: Clock = realClock,
): PartsPlace {
  const images = registries.repository(reference);
  const { identifier } = reference;
  const top = () => images.manifest(identifier);
  const isOneOf = async (likely: Digest | undefined, other: Digest | undefined) => {
    if (likely !== undefined && (await images.pointsAt?.(identifier, likely)) === true) return true;
    const found = (await top())?.digest;
    return found === likely || found === other;
  };
  let began = 0;
  let took = 0;
  return {
    shown,
    mends: false,
    current: async () => {
      began = clock.now();
      const stored = await top();
      if (stored === undefined) return undefined;
      return { digest: stored.digest, snapshot: () => opened({ images, top: stored }, shown) };
    },
    tidy: async () => {},
    pause: (round) => {
      const most = Math.min(MAX_PAUSE_MS, Math.max(PAUSE_MS, took) * 2 ** (round - 1));
      return clock.sleep(clock.random() * most, `other writers of ${shown}`);
    },
    put: async (artifact, { base, held }) => {
      const { digest } = artifact.manifest;
      let looked = 0;
      // Of a try before, which the registry seemed not to answer, it may be there already.
      const before = async () => {
        looked = clock.now();
        return isOneOf(base, digest);
      };
      const has = (each: Digest) => held.has(each);
      const isPut = await registries.push(reference, artifact, { has, before });
      const now = clock.now();
      took = now - began;
      if (!isPut) return 'overtaken';
      const wait = Math.max(SETTLE_MS, SETTLE_FACTOR * (now - looked));
      await clock.sleep(wait, `other writers of ${shown}`);
      // A registry whose copies are late may still say what was there before.
      return (await isOneOf(digest, base)) ? 'there' : 'overwritten';
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
