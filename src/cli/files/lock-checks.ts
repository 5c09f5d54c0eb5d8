import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import type { LockOnDisk } from './lock-file.js';
import { InputError } from '../../base/errors.js';
import { isWithin } from '../../base/files/paths.js';
import type { InputSet } from '../../project/inputs/read-inputs.js';
import { isFormatted } from '../../project/lockfile/format-lockfile.js';
import {
  projectText,
  isOtherProject,
  type Lockfile,
  type LockInputs,
} from '../../project/lockfile/lockfile.js';
import type { Mismatch } from '../../project/lockfile/mismatch.js';
import type { Solved } from '../../resolver/resolve/answer.js';
import type { IndexState } from '../../sources/package-source.js';
import { gitTop } from '../projects/project.js';
import { isOciPath } from '../sources/oci-path.js';
import type { RunIo } from '../terminal/io.js';
import { changeLines } from '../terminal/package-text.js';

type Place = Pick<RunIo, 'cwd'>;

/**
 * Returns what a lockfile records about its inputs; undefined for standard input and references
 * alone. A file named by a full path is recorded only if the path from the lockfile is the same on
 * every machine.
 */
export function lockInputs(set: InputSet, lock: string, { cwd }: Place): LockInputs | undefined {
  if (set.files.length === 0 || isOciPath(lock)) return undefined;
  const folder = dirname(resolve(cwd, lock));
  const root = gitTop(folder) ?? resolve(cwd);
  const isPortable = (file: string) =>
    (!isAbsolute(file) && !isAbsolute(lock)) ||
    [folder, resolve(cwd, file)].every((path) => isWithin(path, root));
  const files = set.files.filter(isPortable).map((file) => pathFrom(folder, resolve(cwd, file)));
  if (set.name === undefined && files.length === 0) return undefined;
  return { ...(set.name !== undefined && { name: set.name }), files };
}

/** Returns whether a lockfile belongs to another package set than the inputs. */
export function isOfOtherSet(
  { inputs }: Pick<Lockfile, 'inputs'>,
  set: InputSet,
  lock: string,
  { cwd }: Place,
): boolean {
  if (set.files.length === 0) return false;
  const folder = dirname(resolve(cwd, lock));
  const files = set.files.map((file) => pathFrom(folder, resolve(cwd, file)));
  return isOtherProject(inputs, { name: set.name, files });
}

/** Throws an `InputError` if a run would overwrite the lockfile of another package set. */
export function refuseOtherSet(
  lockfile: Lockfile | undefined,
  set: InputSet,
  args: { readonly lock: string; readonly write: boolean; readonly replaceLock: boolean },
  io: Place,
): void {
  if (lockfile?.inputs === undefined || !args.write || args.replaceLock) return;
  if (isOfOtherSet(lockfile, set, args.lock, io))
    throw otherSetError(lockfile.inputs, set, args.lock);
}

/** The error for a lockfile that would be overwritten with the packages of another set. */
export function otherSetError(inputs: LockInputs, set: InputSet, lock: string): InputError {
  const [file = ''] = set.files;
  const folder = dirname(file);
  const exampleFolder = folder === '.' ? 'DIR' : folder;
  return new InputError(
    `\`${lock}\` belongs to ${projectText(inputs)}, and is not overwritten with the packages of ${projectText(set)}`,
    {
      hint: `work in the folder of the other set with \`-C ${exampleFolder}\`; or give it files of its own with \`--lock FILE --out DIR\`; \`--replace-lock\` overwrites it`,
    },
  );
}

/**
 * Returns the inputs of a lockfile with paths relative to another folder; unchanged if the path
 * between the two is not the same on every machine.
 */
export function inputsFrom(
  folder: string,
  inputs: LockInputs,
  lock: string,
  { cwd }: Place,
): LockInputs {
  if (isOciPath(lock)) return inputs;
  const from = dirname(resolve(cwd, lock));
  const root = gitTop(from) ?? resolve(cwd);
  if (![from, folder].every((path) => isWithin(path, root))) return inputs;
  return { ...inputs, files: inputs.files.map((file) => pathFrom(folder, resolve(from, file))) };
}

function pathFrom(folder: string, file: string): string {
  return relative(folder, file).split(sep).join('/');
}

/**
 * Returns why a lockfile is stale: what resolving again changes, one entry for each changed
 * package. `check` and `resolve --locked` both decide by this function.
 */
export function staleMismatches({ lockfile, changes }: Solved, lock: LockOnDisk): Mismatch[] {
  const before = lock.lockfile;
  // Older lockfiles do not record `inputs`, so a difference there does not make one stale.
  const resolvedAgain = { ...withRecordedNames(lockfile, before), inputs: before.inputs };
  if (isFormatted(lock.text, resolvedAgain)) return [];
  if (changes.length === 0) {
    const text =
      otherIndexes(before.indexes, lockfile.indexes) ??
      'no version changes, but what it records of them does';
    return [{ kind: 'stale', text }];
  }
  const lines = changeLines(changes, false);
  return changes.map(({ repository, from }, i) => ({
    kind: 'stale',
    repository,
    version: from,
    text: lines[i]!,
  }));
}

/** Returns `after` with the recorded index names, if it was resolved from the same index states. */
function withRecordedNames(after: Lockfile, before: Lockfile): Lockfile {
  const [was, is] = [before.indexes ?? [], after.indexes ?? []];
  const isSame = was.length === is.length && is.every(({ digest }, i) => digest === was[i]!.digest);
  return isSame && is.length > 0 ? { ...after, indexes: was } : after;
}

/** Returns how the indexes read differ from the recorded ones; undefined if they are the same. */
function otherIndexes(
  recorded: readonly IndexState[] = [],
  read: readonly IndexState[] = [],
): string | undefined {
  const [was, is] = [statesText(recorded), statesText(read)];
  if (was === is) return undefined;
  return `no version changes, but it records that ${was} was read, and now ${is} was: name with \`--from\` what it records, or resolve without \`--locked\` to record what is read now`;
}

function statesText(states: readonly IndexState[]): string {
  const shown = states.map(({ from, digest }) => `\`${from}\` (${digest})`);
  return shown.join(', ') || 'no index in parts by a relative path';
}
