import { resolve } from 'node:path';
import { andList } from '../../../explain/sentences/word-list.js';
import { writeTransaction } from '../../../files/transaction.js';
import { InputError } from '../../../model/input-error.js';
import type { Rendering } from '../../../usecases/render.js';
import type { BundleFolder } from './bundle-folder.js';
import type { Io } from '../io.js';
import { workingPlace } from '../lock-file.js';

interface Outputs {
  readonly lock: {
    /** As the user names it. */
    readonly named: string;
    /** undefined: the lockfile is only read. */
    readonly text: string | undefined;
    /** Text of the file that is there; undefined: there is none. */
    readonly before: string | undefined;
  };
  readonly rendering: Rendering;
  /** undefined: no bundle is written. */
  readonly folder: BundleFolder | undefined;
  /** Texts of the user's files as they become, by path as the user names it. */
  readonly unsaved?: ReadonlyMap<string, string> | undefined;
}

/** Writes lockfile, bundle and edits, all or nothing, and tells what changed by that. */
export async function writeOutputs(
  { lock, rendering, folder, unsaved = new Map() }: Outputs,
  io: Io,
): Promise<void> {
  const { named, text, before } = lock;
  const isStale = text !== undefined && text !== before;
  const own = isStale ? [{ path: resolve(io.cwd, named), content: text }] : [];
  const bundle = folder?.changesTo(rendering) ?? [];
  const { written, removed } = folder?.toldChanges(rendering) ?? { written: [], removed: [] };
  const isCurrent = folder !== undefined && written.length + removed.length === 0;
  const edits = [...unsaved].map(([path, content]) => ({ path: resolve(io.cwd, path), content }));
  await writeTransaction([...edits, ...own, ...bundle], workingPlace(io));
  const told = [
    clause('wrote', [...unsaved.keys(), ...own.map(() => named), ...written]),
    clause('removed', removed),
    upToDate([
      ...(text === undefined || isStale ? [] : [named]),
      ...(isCurrent ? [`${folder.named}/`] : []),
    ]),
  ].filter((part) => part !== '');
  if (told.length > 0) io.note(told.join('; '));
}

/** Refuses a lockfile in whose place the bundle writes. */
export function refuseInBundle(
  lock: string,
  { rendering, folder }: Pick<Outputs, 'rendering' | 'folder'>,
  { cwd }: Pick<Io, 'cwd'>,
): void {
  const isIn = folder?.changesTo(rendering).some(({ path }) => path === resolve(cwd, lock));
  if (isIn !== true) return;
  throw new InputError(`\`--lock ${lock}\` is a file of the bundle, which would take its place`, {
    hint: 'name a file outside of the folder of `--out`',
  });
}

function clause(verb: string, files: readonly string[]): string {
  return files.length === 0 ? '' : `${verb} ${andList(files)}`;
}

function upToDate(files: readonly string[]): string {
  if (files.length === 0) return '';
  return `${andList(files)} ${files.length === 1 ? 'is' : 'are'} up to date`;
}
