import { SourceError } from '../../model/source-error.js';
import type { IndexFile } from '../../model/index-file.js';
import { sha256, type Digest } from '../../text/digest.js';
import { formatIndex } from '../index/make-index.js';
import { withTimesOf } from './first-seen.js';
import { partsOf } from './held-index.js';
import { partsArtifact } from './parts-artifact.js';
import type { PartsPlace, Standing } from './parts-place.js';
import type { PartsSnapshot } from './parts-snapshot.js';
import type { Parts } from './parts-tree.js';

/** How often a writer begins that others get ahead of. */
const MAX_ROUNDS = 8;

interface PublishOptions {
  readonly note: (line: string) => void;
  /** Sends every part, whatever is there. */
  readonly anew?: boolean | undefined;
}

export interface Published {
  readonly digest: Digest;
  /** Blobs and manifests that were not there before. */
  readonly sent: number;
}

/**
 * Puts an index in parts where `place` is, made by `make` from what is there. Where another writer
 * comes between, it is made again from what that one wrote, so that neither loses its work.
 */
export async function publishChanged(
  place: PartsPlace,
  make: (before: PartsSnapshot | undefined, again: Again) => Promise<Parts>,
  { note }: Pick<PublishOptions, 'note'>,
): Promise<Published> {
  const outcome = 'it is done again on top of that';
  return inRounds(place, { note, outcome }, async (standing, again) => {
    const snapshot = await standing?.snapshot();
    const parts = await make(snapshot, again);
    return { parts, held: snapshot === undefined ? new Set() : await digestsOf(snapshot) };
  });
}

/**
 * Puts a whole index where `place` is, whatever is there, damaged or not. When versions were first
 * seen is kept of what is there, since their ages depend on it.
 */
export async function publishWhole(
  place: PartsPlace,
  index: IndexFile,
  { note, anew = false }: PublishOptions,
): Promise<Published> {
  return inRounds(place, { note, outcome: 'what it wrote is replaced' }, async (standing) => {
    const { held, kept } = await intact(standing, index, () =>
      note(
        `note: ${place.shown} is damaged, and written anew; when versions were first seen is lost where it could not be read`,
      ),
    );
    return {
      parts: await partsOf(kept),
      held: anew ? new Set() : held,
      anew: anew || place.mends,
    };
  });
}

/** What rounds before came to. */
interface Again {
  /** What was made was put in its place, and may be part of what others wrote on top of it. */
  readonly wasPut: boolean;
}

interface Round {
  readonly parts: Parts;
  /** What is there already. */
  readonly held: ReadonlySet<Digest>;
  /** Puts it there even if it is there by its digest. */
  readonly anew?: boolean;
}

async function inRounds(
  place: PartsPlace,
  { note, outcome }: { readonly note: (line: string) => void; readonly outcome: string },
  make: (standing: Standing | undefined, again: Again) => Promise<Round>,
): Promise<Published> {
  let sent = 0;
  let wasPut = false;
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const standing = await place.current();
    const { parts, held, anew = false } = await make(standing, { wasPut });
    const artifact = partsArtifact(parts);
    const { digest } = artifact.manifest;
    if (standing?.digest === digest && !anew) {
      await place.tidy();
      return { digest, sent };
    }
    const all = [...(artifact.manifests ?? []), artifact.manifest].map((each) => each.digest);
    const made = [...all, ...artifact.blobs.keys()];
    const wanted = new Set([...made, ...parts.others.map((part) => part.digest)]);
    const end = await place.put(artifact, { base: standing?.digest, held, wanted });
    if (end !== 'overtaken') {
      sent += made.filter((each) => !held.has(each)).length;
      wasPut = true;
    }
    if (end === 'there') return { digest, sent };
    if (round === MAX_ROUNDS) break;
    note(`note: another writer changed ${place.shown} meanwhile; ${outcome}`);
    await place.pause(round);
  }
  const what = `others changed it ${MAX_ROUNDS} times meanwhile`;
  throw new SourceError('BAD_SOURCE', place.shown, what, {
    hint: 'let one writer at a time change it, and try again',
  });
}

/** What is there already, and an index with its times; of what is damaged there are none. */
async function intact(
  standing: Standing | undefined,
  index: IndexFile,
  tellLost: () => void,
): Promise<{ readonly held: ReadonlySet<Digest>; readonly kept: IndexFile }> {
  const nothing = new Set<Digest>();
  if (standing === undefined) return { held: nothing, kept: index };
  const found = await unlessDamaged(async () => {
    const snapshot = await standing.snapshot();
    if (snapshot === undefined) return 'other';
    return { snapshot, held: await digestsOf(snapshot), refs: await snapshot.packages() };
  });
  if (found === undefined) tellLost();
  if (found === undefined || found === 'other') return { held: nothing, kept: index };
  const { snapshot, refs } = found;
  let isWhole = true;
  const kept = await withTimesOf(index, async (repository, after) => {
    const ref = refs.get(repository);
    const text = formatIndex({ packages: { [repository]: after } });
    if (ref === undefined || ref.digest === sha256(Buffer.from(text))) return undefined;
    const before = await unlessDamaged(() => snapshot.packageAt(repository, ref));
    isWhole &&= before !== undefined;
    return before?.packages[repository];
  });
  if (!isWhole) tellLost();
  return { held: isWhole ? found.held : nothing, kept };
}

/** Everything that a state consists of. */
async function digestsOf(snapshot: PartsSnapshot): Promise<ReadonlySet<Digest>> {
  const digests = new Set<Digest>(await snapshot.frame());
  for (const parts of [await snapshot.packages(), await snapshot.groups()]) {
    for (const { digest } of parts.values()) digests.add(digest);
  }
  return digests;
}

/** undefined: it is damaged. */
async function unlessDamaged<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof SourceError) return undefined;
    throw error;
  }
}
