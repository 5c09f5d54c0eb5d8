import { SourceError } from '../../base/errors.js';
import type { IndexFile } from '../index/index-file.js';
import { sha256, type Digest } from '../../base/digest.js';
import { formatIndex } from '../index/make-index.js';
import { withFirstSeenOf } from '../index/refresh.js';
import { buildParts } from './index-parts.js';
import { sparseIndexArtifact } from './artifact.js';
import type { SparseIndexLocation, CurrentState } from './location.js';
import type { SparseIndexSnapshot } from './snapshot.js';
import type { Parts } from './tree.js';

/** Maximum number of attempts while other writers succeed. */
const MAX_ROUNDS = 8;

interface PublishOptions {
  readonly note: (line: string) => void;
  /** Whether to upload every part, even existing ones. */
  readonly anew?: boolean | undefined;
}

interface PublishResult {
  readonly digest: Digest;
  /** Number of uploaded blobs and manifests. */
  readonly sent: number;
}

/**
 * Writes a sparse index that `make` builds from the current state. If another writer changes the
 * location meanwhile, `make` runs again on the new state, so that no change is lost.
 */
export async function publishChanges(
  place: SparseIndexLocation,
  make: (before: SparseIndexSnapshot | undefined, again: EarlierRounds) => Promise<Parts>,
  { note }: Pick<PublishOptions, 'note'>,
): Promise<PublishResult> {
  const outcome = 'it is done again on top of that';
  return publishInRounds(place, { note, outcome }, async (standing, again) => {
    const snapshot = await standing?.snapshot();
    const parts = await make(snapshot, again);
    return { parts, existing: snapshot === undefined ? new Set() : await digestsOf(snapshot) };
  });
}

/**
 * Replaces a sparse index, damaged or not. `firstSeen` is kept from the current state, because ages
 * depend on it.
 */
export async function publishIndex(
  place: SparseIndexLocation,
  index: IndexFile,
  { note, anew = false }: PublishOptions,
): Promise<PublishResult> {
  return publishInRounds(
    place,
    { note, outcome: 'what it wrote is replaced' },
    async (standing) => {
      const current = await intactParts(standing, index);
      if (current.isDamaged) {
        note(
          `note: ${place.shown} is damaged, and written anew; when versions were first seen is lost where it could not be read`,
        );
      }
      return {
        parts: await buildParts(current.dated),
        existing: anew ? new Set() : current.existing,
        force: anew || place.repairsParts,
      };
    },
  );
}

/** What happened in earlier rounds. */
interface EarlierRounds {
  /** Whether an earlier result was written and may be part of the current state. */
  readonly wasPut: boolean;
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
  make: (standing: CurrentState | undefined, again: EarlierRounds) => Promise<NewIndex>,
): Promise<PublishResult> {
  let sent = 0;
  let wasPut = false;
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const standing = await place.current();
    const { parts, existing, force = false } = await make(standing, { wasPut });
    const artifact = sparseIndexArtifact(parts);
    const { digest } = artifact.manifest;
    if (standing?.digest === digest && !force) {
      await place.tidy();
      return { digest, sent };
    }
    const manifests = [...(artifact.manifests ?? []), artifact.manifest].map((each) => each.digest);
    const made = [...manifests, ...artifact.blobs.keys()];
    const wanted = new Set([...made, ...parts.others.map((part) => part.digest)]);
    const end = await place.put(artifact, { base: standing?.digest, existing: existing, wanted });
    if (end !== 'conflict') {
      sent += made.filter((each) => !existing.has(each)).length;
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

/** What can be read of the current state. */
interface CurrentParts {
  /** Digests that exist at the location; empty if anything is damaged. */
  readonly existing: ReadonlySet<Digest>;
  /** The new index with `firstSeen` of the current state. */
  readonly dated: IndexFile;
  readonly isDamaged: boolean;
}

async function intactParts(
  standing: CurrentState | undefined,
  index: IndexFile,
): Promise<CurrentParts> {
  const found = await undefinedIfDamaged(async () => {
    const snapshot = await standing?.snapshot();
    if (snapshot === undefined) return 'none';
    return { snapshot, existing: await digestsOf(snapshot), refs: await snapshot.packages() };
  });
  if (found === undefined || found === 'none') {
    return { existing: new Set(), dated: index, isDamaged: found === undefined };
  }
  const { snapshot, existing, refs } = found;
  let isDamaged = false;
  const dated = await withFirstSeenOf(index, async (repository, after) => {
    const ref = refs.get(repository);
    const text = formatIndex({ packages: { [repository]: after } });
    if (ref === undefined || ref.digest === sha256(Buffer.from(text))) return undefined;
    const before = await undefinedIfDamaged(() => snapshot.packageAt(repository, ref));
    isDamaged ||= before === undefined;
    return before?.packages[repository];
  });
  return { existing: isDamaged ? new Set() : existing, dated, isDamaged };
}

/** Returns the digests of all parts of a state. */
async function digestsOf(snapshot: SparseIndexSnapshot): Promise<ReadonlySet<Digest>> {
  const digests = new Set<Digest>(await snapshot.structureDigests());
  for (const parts of [await snapshot.packages(), await snapshot.groups()]) {
    for (const { digest } of parts.values()) digests.add(digest);
  }
  return digests;
}

/** Returns undefined if `read` throws a `SourceError`. */
async function undefinedIfDamaged<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof SourceError) return undefined;
    throw error;
  }
}
