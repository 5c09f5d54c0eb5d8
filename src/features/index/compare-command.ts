import { unknownPackageError } from '../../cli/arguments/package-names.js';
import { EXIT } from '../../cli/kit/command.js';
import { isOciPath } from '../../cli/sources/oci-path.js';
import type { RegistryArgs } from '../../cli/sources/registries.js';
import { sourceDate } from '../../cli/terminal/environment.js';
import type { RunIo } from '../../cli/terminal/io.js';
import type { Repository } from '../../crossplane/packages/package.js';
import { formatTime } from '../../project/inputs/policy.js';
import {
  isChanged,
  type ReadableIndex,
  type RefreshedPackage,
  type RefreshOptions,
  refreshPackages,
  versionChanges,
} from '../../sources/index/make-index.js';
import { parsedTable } from '../../sources/memory-source.js';
import { changedParts, inconsistencies } from '../../sources/sparse-index/index-parts.js';
import { publishChanges } from '../../sources/sparse-index/publish.js';
import {
  findIndex,
  type FoundIndex,
  isFolder,
  noIndexError,
  openPlace,
  writeIndexFile,
} from './index-place-command.js';
import type { IndexMismatch, UpdatedIndex, VerifiedIndex } from './output.js';

/** An index, and the packages that it is compared with. */
interface Comparison {
  readonly place: string;
  /** Packages to compare; empty for all that the index lists. */
  readonly repositories: readonly Repository[];
  readonly options: RefreshOptions & { readonly concurrency: number };
}

type WriteArgs = RegistryArgs & { readonly write: boolean };

/** `index update`: adds new versions to an index, and reads nothing else. */
export async function updateIndex(
  comparison: Comparison,
  args: WriteArgs,
  io: RunIo,
): Promise<UpdatedIndex> {
  const { place } = comparison;
  const inParts = isOciPath(place) || (await isFolder(place, io));
  const { changes, ...written } = await (inParts ? updateParts : updateFile)(comparison, args, io);
  const packages = changes.map(({ repository, before, after }) => {
    const { added, removed, moved, incorrect } = versionChanges(before, after);
    return { source: repository, added, removed, moved: [...moved, ...incorrect] };
  });
  return { place, ...written, packages };
}

async function updateParts(comparison: Comparison, args: WriteArgs, io: RunIo) {
  const location = await openPlace(comparison.place, args, io);
  let changes: readonly RefreshedPackage[] = [];
  const { digest, sent } = await publishChanges(
    location,
    async (before, wasPut) => {
      if (before === undefined) throw noIndexError(comparison.place);
      const current = await changesFor(before, comparison, io);
      // Another writer may have built on the state that an earlier round wrote: then nothing
      // changes in this round, and the changes of the earlier round are reported.
      if (current.length > 0 || !wasPut) changes = current;
      return changedParts(before, current);
    },
    { note: (line) => io.note(line) },
  );
  return { digest, sent, changes };
}

async function updateFile(comparison: Comparison, args: WriteArgs, io: RunIo) {
  const { place } = comparison;
  const found = await findIndex(place, args, io);
  if (found.kind !== 'file') throw noIndexError(place);
  const changes = await changesFor(parsedTable(found.index), comparison, io);
  if (changes.length > 0 && args.write) {
    const changed = Object.fromEntries(changes.map((each) => [each.repository, each.after!]));
    await writeIndexFile(place, { packages: { ...found.index.packages, ...changed } }, io);
  }
  return { changes };
}

/** Returns the changed packages. A package that no source has stays: a registry may hide packages. */
async function changesFor(index: ReadableIndex, { repositories, options }: Comparison, io: RunIo) {
  const compared = repositories.length > 0 ? repositories : await index.repositories();
  const now = formatTime(sourceDate(io) ?? io.clock.now());
  const refreshed = await refreshPackages(index, compared, { ...options, now });
  for (const { repository, before, after } of refreshed) {
    if (after !== undefined) continue;
    if (before === undefined) throw unknownPackageError(repository);
    io.note(`note: no source knows ${repository} any more; it stays in the index as it is`);
  }
  return refreshed.filter((each) => each.after !== undefined && isChanged(each));
}

/** `index verify`: checks an index against its sources, and every part of it. */
export async function verifyIndex(
  { place, repositories, options }: Comparison,
  args: RegistryArgs,
  io: RunIo,
): Promise<VerifiedIndex> {
  const found = await findIndex(place, args, io);
  const index = found.kind === 'parts' ? found.snapshot : parsedTable(found.index);
  const compared = repositories.length > 0 ? repositories : await index.repositories();
  const tables = repositories.length > 0 ? [] : await tableMismatches(found);
  const refreshed = await refreshPackages(index, compared, options);
  const unknown = refreshed.find(({ before, after }) => (before ?? after) === undefined);
  if (unknown !== undefined) throw unknownPackageError(unknown.repository);
  const mismatches = [...tables, ...refreshed.flatMap(mismatchesOf)];
  return {
    ...(mismatches.length === 0
      ? { status: 'verified' }
      : { status: 'mismatch', exitCode: EXIT.lockMismatch }),
    place,
    digest: found.kind === 'parts' ? found.snapshot.digest : undefined,
    packages: compared.length,
    mismatches,
  };
}

async function tableMismatches(found: FoundIndex): Promise<readonly IndexMismatch[]> {
  if (found.kind === 'file') return [];
  return (await inconsistencies(found.snapshot)).map((what) => ({
    kind: 'tables',
    text: `${what} does not follow from its packages`,
  }));
}

function mismatchesOf({ repository, before, after }: RefreshedPackage): readonly IndexMismatch[] {
  if (after === undefined)
    return [{ kind: 'gone', source: repository, text: 'no source knows it' }];
  const { added, removed, moved, incorrect } = versionChanges(before, after);
  const each = (kind: IndexMismatch['kind'], versions: readonly string[], text: string) =>
    versions.map((version) => ({ kind, source: repository, version, text }));
  return [
    ...each('new', added, 'it is published, and the index does not list it'),
    ...each('gone', removed, 'the index lists it, and no source has it'),
    ...each('tag-moved', moved, 'its tag points at another image than the index says'),
    ...each('content', incorrect, 'the package does not say what the index says of it'),
  ];
}
