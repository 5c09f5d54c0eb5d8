import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { writeTransaction } from '../../../files/transaction.js';
import type { IndexFile, IndexPackage } from '../../../model/index-file.js';
import type { Repository } from '../../../model/package.js';
import { formatIndex } from '../../../sources/index/make-index.js';
import { changedParts, heldInFile, heldInParts } from '../../../sources/parts/held-index.js';
import { publishChanged } from '../../../sources/parts/publish-parts.js';
import {
  isChanged,
  refresh,
  versionChanges,
  type HeldIndex,
  type Refreshed,
  type RefreshOptions,
} from '../../../sources/parts/refresh.js';
import type { Digest } from '../../../text/digest.js';
import { counted } from '../../output/counted.js';
import { jsonDocument } from '../../output/json-document.js';
import { timeText } from '../../../model/policy/age.js';
import { sourceDate } from '../../io/source-date.js';
import type { Io } from '../../io/io.js';
import { workingPlace } from '../../io/lock-file.js';
import { isOciPath } from '../../io/registry/oci-path.js';
import { findIndex, isFolder, noIndex, openPlace } from '../../io/parts/open-place.js';
import { unknownPackage } from './unknown-package.js';
import type { RegistryArgs } from '../../io/registry/registries.js';

/** What an index is updated by. */
export interface Updating {
  readonly text: string;
  /** Packages to look at; empty: all that the index lists. */
  readonly repositories: readonly Repository[];
  readonly options: RefreshOptions & { readonly concurrency: number };
}

interface Updated {
  /** Of the new state; undefined: the index is one file. */
  readonly digest: Digest | undefined;
  /** Blobs and manifests that were written. */
  readonly sent: number | undefined;
  readonly changes: readonly Refreshed[];
}

/** `index update`: what is new at the sources goes into an index, and nothing else is read. */
export async function updateIndex(
  updating: Updating,
  args: RegistryArgs & { readonly output: 'text' | 'json' },
  io: Io,
): Promise<void> {
  const { text } = updating;
  const inParts = isOciPath(text) || (await isFolder(text, io));
  const updated = await (inParts ? updateParts : updateFile)(updating, args, io);
  report(updated, text, args, io);
}

async function updateParts(updating: Updating, args: RegistryArgs, io: Io): Promise<Updated> {
  const { text } = updating;
  const place = await openPlace(text, args, io);
  let changes: readonly Refreshed[] = [];
  const { digest, sent } = await publishChanged(
    place,
    async (before, { wasPut }) => {
      if (before === undefined) throw noIndex(text);
      const now = await changesFor(heldInParts(before), updating, io);
      // Others may have written on top of what was put: then nothing is left, and it was changed.
      if (now.length > 0 || !wasPut) changes = now;
      return changedParts(before, now);
    },
    { note: (line) => io.note(line) },
  );
  return { digest, sent, changes };
}

async function updateFile(updating: Updating, args: RegistryArgs, io: Io): Promise<Updated> {
  const { text } = updating;
  const found = await findIndex(text, args, io);
  if (found.kind !== 'file') throw noIndex(text);
  const changes = await changesFor(heldInFile(found.index), updating, io);
  if (changes.length > 0) {
    const written = formatIndex(withChanges(found.index, changes));
    const content = text.endsWith('.gz') ? gzipSync(written) : written;
    await writeTransaction([{ path: resolve(io.cwd, text), content }], workingPlace(io));
  }
  return { digest: undefined, sent: undefined, changes };
}

function withChanges({ packages }: IndexFile, changes: readonly Refreshed[]): IndexFile {
  const changed = changes.map(({ repository, after }): [string, IndexPackage] => [
    repository,
    after!,
  ]);
  return { packages: { ...packages, ...Object.fromEntries(changed) } };
}

/** A package that no source knows any more stays as it is: a registry may deny what it has. */
async function changesFor(
  held: HeldIndex,
  { repositories, options }: Updating,
  io: Io,
): Promise<readonly Refreshed[]> {
  const asked = repositories.length > 0 ? repositories : await held.repositories();
  const now = timeText(sourceDate(io) ?? io.clock.now());
  const looked = await refresh(held, asked, { ...options, now });
  for (const { repository, before, after } of looked) {
    if (after !== undefined) continue;
    if (before === undefined) {
      throw unknownPackage(repository);
    }
    io.note(`note: no source knows ${repository} any more; it stays in the index as it is`);
  }
  return looked.filter((each) => each.after !== undefined && isChanged(each));
}

function report(
  { digest, sent, changes }: Updated,
  place: string,
  { output }: { readonly output: 'text' | 'json' },
  io: Io,
): void {
  const packages = changes.map(({ repository, before, after }) => {
    const { added, removed, moved, told } = versionChanges(before, after);
    return { source: repository, added, removed, moved: [...moved, ...told] };
  });
  if (output === 'json') io.out(jsonDocument({ place, digest, sent, packages }));
  else {
    for (const { source, added, removed, moved } of packages) {
      for (const version of added) io.out(`${source} ${version} is new\n`);
      for (const version of moved) io.out(`${source} ${version} has moved\n`);
      for (const version of removed) io.out(`${source} ${version} is gone\n`);
    }
  }
  if (packages.length === 0) return io.note(`${place} is up to date`);
  const parts = sent === undefined ? '' : `; ${counted(sent, 'part')} written`;
  io.note(`updated ${place}: ${counted(packages.length, 'package')} changed${parts}`);
}
