import { SourceError, undefinedIfFailed } from '../../base/errors.js';
import type { IndexFile } from '../index/index-file.js';
import { sha256, type Digest } from '../../base/digest.js';
import { formatIndex, withFirstSeenOf } from '../index/make-index.js';
import { buildParts, sparseIndexArtifact, type Parts } from './index-parts.js';
import { SparseIndexSnapshot } from './snapshot.js';
import { type Artifact, ARTIFACT_TYPE } from '../../oci/image/artifact.js';
import { manifestArtifactType } from '../../oci/image/manifest.js';
import type { ImageRepository, StoredManifest } from '../../oci/image/image-repository.js';
import type { Reference } from '../../crossplane/packages/reference.js';
import type { IndexFolder } from '../../oci/store/index-folder.js';
import { realClock, type Clock } from '../../base/time.js';
import type { Registries } from '../images/open-registries.js';

interface CurrentState {
  readonly digest: Digest;
  /** Returns this or an earlier state. Returns undefined if it is not a sparse index. */
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
      readonly wanted: ReadonlySet<Digest>;
    },
  ): Promise<PutResult>;
}

export function dryRunLocation(place: SparseIndexLocation): SparseIndexLocation {
  return { ...place, tidy: async () => {}, pause: async () => {}, put: async () => 'written' };
}

export function folderLocation(folder: IndexFolder, shown: string): SparseIndexLocation {
  return {
    shown,
    repairsParts: true,
    current: async () => {
      const digest = await folder.digest();
      if (digest === undefined) return undefined;
      return {
        digest,
        snapshot: async (wanted) => openSnapshot(await folder.top(wanted), shown),
      };
    },
    tidy: () => folder.tidy(),
    // All writers wait for its lock, and one of them succeeds each time.
    pause: async () => {},
    // Old parts are kept for current readers, until the next change.
    put: async (artifact, { base, existing, wanted }) => {
      const isPut = await folder.put(artifact, { base, keep: new Set([...existing, ...wanted]) });
      return isPut ? 'written' : 'conflict';
    },
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
  const pointsAtEither = async (likely: Digest | undefined, other: Digest | undefined) => {
    if (likely !== undefined && (await images.pointsAt?.(identifier, likely)) === true) return true;
    const found = (await images.manifest(identifier))?.digest;
    return found === likely || found === other;
  };
  let readAt = 0;
  let durationMs = 0;
  return {
    shown,
    repairsParts: false,
    current: async () => {
      readAt = clock.now();
      const stored = await images.manifest(identifier);
      if (stored === undefined) return undefined;
      return {
        digest: stored.digest,
        snapshot: () => openSnapshot({ images, top: stored }, shown),
      };
    },
    tidy: async () => {},
    pause: (round) => {
      const maxPauseMs = Math.min(MAX_PAUSE_MS, Math.max(PAUSE_MS, durationMs) * 2 ** (round - 1));
      return clock.sleep(clock.random() * maxPauseMs, `other writers of ${shown}`);
    },
    put: async (artifact, { base, existing }) => {
      const { digest } = artifact.manifest;
      let checkedAt = 0;
      // An earlier attempt may have succeeded although its response was lost.
      const beforeTag = async () => {
        checkedAt = clock.now();
        return pointsAtEither(base, digest);
      };
      const has = (each: Digest) => existing.has(each);
      const isPut = await registries.push(reference, artifact, { has, beforeTag });
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

/** Maximum number of attempts while other writers succeed. */
const MAX_ROUNDS = 8;

interface PublishResult {
  readonly digest: Digest;
  /** Number of uploaded blobs and manifests. */
  readonly sent: number;
}

/**
 * Writes what `make` builds. If another writer was faster, `make` runs on the new state; `wasPut`
 * states whether an earlier result was written and may be part of that state.
 */
export async function publishChanges(
  place: SparseIndexLocation,
  make: (before: SparseIndexSnapshot | undefined, wasPut: boolean) => Promise<Parts>,
  { note }: { readonly note: (line: string) => void },
): Promise<PublishResult> {
  const outcome = 'it is done again on top of that';
  return publishInRounds(place, { note, outcome }, async (current, wasPut) => {
    const snapshot = await current?.snapshot();
    const parts = await make(snapshot, wasPut);
    return { parts, existing: snapshot === undefined ? new Set() : await digestsOf(snapshot) };
  });
}

/** Replaces a sparse index, damaged or not. `firstSeen` is kept, because ages depend on it. */
export async function publishIndex(
  place: SparseIndexLocation,
  index: IndexFile,
  {
    note,
    allParts = false,
  }: { readonly note: (line: string) => void; readonly allParts?: boolean | undefined },
): Promise<PublishResult> {
  return publishInRounds(place, { note, outcome: 'what it wrote is replaced' }, async (current) => {
    const { dated, existing, isDamaged } = await intactParts(current, index);
    if (isDamaged) {
      note(
        `note: ${place.shown} is damaged, and written anew; when versions were first seen is lost where it could not be read`,
      );
    }
    return {
      parts: await buildParts(dated),
      existing: allParts ? new Set() : existing,
      force: allParts || place.repairsParts,
    };
  });
}

interface NewIndex {
  readonly parts: Parts;
  /** Digests that exist at the location. */
  readonly existing: ReadonlySet<Digest>;
  /** Whether to write even if the digest is unchanged. */
  readonly force?: boolean;
}

async function publishInRounds(
  place: SparseIndexLocation,
  { note, outcome }: { readonly note: (line: string) => void; readonly outcome: string },
  make: (current: CurrentState | undefined, wasPut: boolean) => Promise<NewIndex>,
): Promise<PublishResult> {
  let sent = 0;
  let wasPut = false;
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const current = await place.current();
    const { parts, existing, force = false } = await make(current, wasPut);
    const artifact = sparseIndexArtifact(parts);
    const { digest } = artifact.manifest;
    if (current?.digest === digest && !force) {
      await place.tidy();
      return { digest, sent };
    }
    const manifests = [...(artifact.manifests ?? []), artifact.manifest];
    const digests = [...manifests.map((each) => each.digest), ...artifact.blobs.keys()];
    const wanted = new Set([...digests, ...parts.others.map((part) => part.digest)]);
    const end = await place.put(artifact, { base: current?.digest, existing, wanted });
    if (end !== 'conflict') {
      sent += digests.filter((each) => !existing.has(each)).length;
      wasPut = true;
    }
    if (end === 'written') return { digest, sent };
    if (round === MAX_ROUNDS) break;
    note(`note: another writer changed ${place.shown} meanwhile; ${outcome}`);
    await place.pause(round);
  }
  const what = `others changed it ${MAX_ROUNDS} times meanwhile`;
  throw new SourceError('BAD_SOURCE', place.shown, what, {
    hint: 'let one writer at a time change it, and try again',
  });
}

/** Returns what can be read of the current state, and the new index with its `firstSeen`. */
async function intactParts(current: CurrentState | undefined, index: IndexFile) {
  const found = await undefinedIfFailed(readState(current));
  if (found === undefined || found === 'none') {
    return { existing: new Set<Digest>(), dated: index, isDamaged: found === undefined };
  }
  const { snapshot, existing, refs } = found;
  let isDamaged = false;
  const dated = await withFirstSeenOf(index, async (repository, after) => {
    const ref = refs.get(repository);
    const text = formatIndex({ packages: { [repository]: after } });
    if (ref === undefined || ref.digest === sha256(Buffer.from(text))) return undefined;
    const before = await undefinedIfFailed(snapshot.packageAt(repository, ref));
    isDamaged ||= before === undefined;
    return before;
  });
  return { existing: isDamaged ? new Set<Digest>() : existing, dated, isDamaged };
}

async function readState(current: CurrentState | undefined) {
  const snapshot = await current?.snapshot();
  if (snapshot === undefined) return 'none';
  return { snapshot, existing: await digestsOf(snapshot), refs: await snapshot.packages() };
}

/** Returns the digests of all parts of a state. */
async function digestsOf(snapshot: SparseIndexSnapshot): Promise<ReadonlySet<Digest>> {
  const structure = await snapshot.structureDigests();
  const parts = [...(await snapshot.packages()).values(), ...(await snapshot.groups()).values()];
  return new Set([...structure, ...parts.map(({ digest }) => digest)]);
}
