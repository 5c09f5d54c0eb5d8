import {
  pushPlace,
  INDEX_TITLE,
  registriesFor,
  requireFile,
  type RegistryArgs,
} from '../../cli/sources/registries.js';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { workingPlace } from '../../cli/files/lock-file.js';
import { formatIndex } from '../../sources/index/make-index.js';
import { outputPath, writeTransaction } from '../../base/files/transaction.js';
import { withWriteError } from '../../base/files/file-system.js';
import { openArtifact } from '../../oci/image/artifact.js';
import type { IndexFile } from '../../sources/index/index-file.js';
import { InputError } from '../../base/errors.js';
import { parseIndex, readIndex } from '../../sources/index/index-source.js';
import {
  dryRunLocation,
  folderLocation,
  registryLocation,
  type SparseIndexLocation,
} from '../../sources/sparse-index/publish.js';
import type { SparseIndexSnapshot } from '../../sources/sparse-index/snapshot.js';
import { IndexFolder } from '../../oci/store/index-folder.js';
import type { Clock, TimeBudget } from '../../base/time.js';
import type { RunIo } from '../../cli/terminal/io.js';
import { isOciPath, parseOciPath } from '../../cli/sources/oci-path.js';
import { shellWord } from '../../base/escape.js';

/** Whether a path names a folder, existing or not, and therefore a sparse index. */
export async function isFolder(path: string, { cwd }: Pick<RunIo, 'cwd'>): Promise<boolean> {
  if (/[/\\]$/.test(path)) return true;
  const found = await stat(resolve(cwd, path)).catch(() => undefined);
  return found?.isDirectory() === true;
}

/** Opens a sparse index in a folder or at `oci://…`, for a dry run with `write: false`. */
export async function openPlace(
  text: string,
  args: RegistryArgs & { readonly write: boolean },
  io: RunIo,
): Promise<SparseIndexLocation> {
  const place = await placeAt(text, args, io);
  return args.write ? place : dryRunLocation(place);
}

async function placeAt(text: string, args: RegistryArgs, io: RunIo): Promise<SparseIndexLocation> {
  if (!isOciPath(text)) {
    const path = resolve(io.cwd, text);
    const folder = await withWriteError(text, () => outputPath(path, io.cwd));
    return folderLocation(new IndexFolder(folder, text), text);
  }
  const { reference, registries } = await pushPlace(text, args, io);
  return registryLocation(registries, reference, text, withinBudget(io.clock, args.timeout));
}

/** Waits at most for the remaining time of the run. */
function withinBudget(clock: Clock, budget: TimeBudget): Clock {
  return {
    now: () => clock.now(),
    random: () => clock.random(),
    sleep: (milliseconds, reason = 'other writers') =>
      budget.wait(reason, clock.sleep(milliseconds)),
  };
}

/** An index that was found: a state of a sparse index, or one file. */
export type FoundIndex =
  | { readonly kind: 'parts'; readonly snapshot: SparseIndexSnapshot }
  | { readonly kind: 'file'; readonly index: IndexFile };

/** Opens an index in a folder, a file or `oci://…`. Throws if there is none. */
export async function findIndex(text: string, args: RegistryArgs, io: RunIo): Promise<FoundIndex> {
  if (isOciPath(text)) return atRegistry(text, args, io);
  const path = resolve(io.cwd, text);
  if (!(await isFolder(text, io))) return { kind: 'file', index: await readIndex(path, text) };
  const current = await folderLocation(new IndexFolder(path, text), text).current();
  const snapshot = await current?.snapshot();
  if (snapshot === undefined) throw noIndexError(text);
  return { kind: 'parts', snapshot };
}

async function atRegistry(text: string, args: RegistryArgs, io: RunIo): Promise<FoundIndex> {
  const reference = parseOciPath(text);
  const registries = await registriesFor(args, io);
  if (registries === undefined) {
    throw new InputError(`\`${text}\`: \`--offline\` forbids the network, and there is no cache`);
  }
  const current = await registryLocation(registries, reference, text).current();
  const snapshot = await current?.snapshot();
  if (snapshot !== undefined) return { kind: 'parts', snapshot };
  const artifact =
    current && (await openArtifact(registries.repository(reference), reference.identifier));
  if (artifact === undefined) throw noIndexError(text);
  return { kind: 'file', index: parseIndex(await requireFile(artifact, INDEX_TITLE, text), text) };
}

/** Writes an index as one file, compressed if its name ends in `.gz`. */
export async function writeIndexFile(file: string, index: IndexFile, io: RunIo): Promise<void> {
  const text = formatIndex(index);
  const content = file.endsWith('.gz') ? gzipSync(text) : text;
  await writeTransaction([{ path: resolve(io.cwd, file), content }], workingPlace(io));
}

export function noIndexError(text: string): InputError {
  const make = isOciPath(text) ? 'index push' : 'index --out';
  return new InputError(`there is no index in parts at \`${text}\``, {
    hint: `\`xpkg-resolve ${make} ${shellWord(text)}\` makes one of what the sources hold`,
  });
}
