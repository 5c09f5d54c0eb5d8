import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { writeTransaction } from '../../base/files/transaction.js';
import type { IndexFile, IndexPackage } from '../../sources/index/index-file.js';
import type { Repository } from '../../crossplane/packages/package.js';
import { formatIndex } from '../../sources/index/make-index.js';
import { changedParts, fileIndex, sparseIndex } from '../../sources/sparse-index/index-parts.js';
import { publishChanges } from '../../sources/sparse-index/publish.js';
import {
  isChanged,
  refreshPackages,
  versionChanges,
  type ReadableIndex,
  type RefreshedPackage,
  type RefreshOptions,
} from '../../sources/index/refresh.js';
import type { Digest } from '../../base/digest.js';
import { counted } from '../../cli/terminal/package-text.js';
import { jsonDocument } from '../../cli/kit/command.js';
import { formatTime } from '../../project/inputs/policy.js';
import { sourceDate } from '../../cli/terminal/environment.js';
import type { Io } from '../../cli/terminal/io.js';
import { workingPlace } from '../../cli/files/lock-file.js';
import { isOciPath } from '../../cli/sources/oci-path.js';
import { findIndex, isFolder, noIndex, openPlace } from './index-place-command.js';
import { unknownPackage } from '../../cli/arguments/package-names.js';
import type { RegistryArgs } from '../../cli/sources/registries.js';

/** The inputs of an index update. */
interface Updating {
  readonly text: string;
  /** Packages to check; empty for all that the index lists. */
  readonly repositories: readonly Repository[];
  readonly options: RefreshOptions & { readonly concurrency: number };
}

type WriteArgs = RegistryArgs & { readonly write: boolean };

interface Updated {
  /** Digest of the new state; undefined for an index in one file. */
  readonly digest: Digest | undefined;
  /** Blobs and manifests that were written. */
  readonly sent: number | undefined;
  readonly changes: readonly RefreshedPackage[];
}

/** `index update`: adds new versions to an index, and reads nothing else. */
export async function updateIndex(
  updating: Updating,
  args: WriteArgs & { readonly output: 'text' | 'json' },
  io: Io,
): Promise<void> {
  const { text } = updating;
  const inParts = isOciPath(text) || (await isFolder(text, io));
  const updated = await (inParts ? updateParts : updateFile)(updating, args, io);
  report(updated, text, args, io);
}

async function updateParts(updating: Updating, args: WriteArgs, io: Io): Promise<Updated> {
  const { text } = updating;
  const place = await openPlace(text, args, io);
  let changes: readonly RefreshedPackage[] = [];
  const { digest, sent } = await publishChanges(
    place,
    async (before, { wasPut }) => {
      if (before === undefined) throw noIndex(text);
      const now = await changesFor(sparseIndex(before), updating, io);
      // Others may have written on top of what was put: then nothing is left, and it was changed.
      if (now.length > 0 || !wasPut) changes = now;
      return changedParts(before, now);
    },
    { note: (line) => io.note(line) },
  );
  return { digest, sent, changes };
}

async function updateFile(updating: Updating, args: WriteArgs, io: Io): Promise<Updated> {
  const { text } = updating;
  const found = await findIndex(text, args, io);
  if (found.kind !== 'file') throw noIndex(text);
  const changes = await changesFor(fileIndex(found.index), updating, io);
  if (changes.length > 0 && args.write) {
    const written = formatIndex(withChanges(found.index, changes));
    const content = text.endsWith('.gz') ? gzipSync(written) : written;
    await writeTransaction([{ path: resolve(io.cwd, text), content }], workingPlace(io));
  }
  return { digest: undefined, sent: undefined, changes };
}

function withChanges({ packages }: IndexFile, changes: readonly RefreshedPackage[]): IndexFile {
  const changed = changes.map(({ repository, after }): [string, IndexPackage] => [
    repository,
    after!,
  ]);
  return { packages: { ...packages, ...Object.fromEntries(changed) } };
}

/** A package that no source knows any more is kept: a registry may hide packages. */
async function changesFor(
  held: ReadableIndex,
  { repositories, options }: Updating,
  io: Io,
): Promise<readonly RefreshedPackage[]> {
  const asked = repositories.length > 0 ? repositories : await held.repositories();
  const now = formatTime(sourceDate(io) ?? io.clock.now());
  const looked = await refreshPackages(held, asked, { ...options, now });
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
  { output, write }: { readonly output: 'text' | 'json'; readonly write: boolean },
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
  const count = counted(packages.length, 'package');
  io.note(
    write
      ? `updated ${place}: ${count} changed${parts}`
      : `would update ${place}: ${count} to change`,
  );
}
