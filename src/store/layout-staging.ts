import { lstat, readdir, realpath, rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../files/error-code.js';
import { withLocks } from '../files/folder-lock.js';
import { hasEnded, RUN_NAME, runName } from '../files/run-name.js';
import { holdingSignals } from '../files/signals.js';
import { removeFirmly } from '../files/journal/remove-firmly.js';
import { syncFolder } from '../files/sync-folder.js';
import { temporaryBeside } from '../files/temporary-name.js';
import { waitForLock } from '../files/wait-for-lock.js';
import { InputError } from '../model/input-error.js';
import { foreignFiles, unwritable } from './foreign-files.js';
import { mergeLayout } from './merge-layout.js';

/** Staging inside an existing folder is named after this; beside a missing one, after the folder. */
const INSIDE = 'vendor';

/** `vendor` begins a new blob more often than this, so an older staging folder is of a killed process. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000;

const MAX_FOREIGN_SHOWN = 5;

/** Where a layout will be, and where it is until it is complete. */
export interface LayoutStaging {
  readonly folder: string;
  /** The folder as the user named it, links not followed; staging is beside it where it is missing. */
  readonly path: string;
  readonly staging: string;
  /** The folder exists and is kept, with what it holds replaced: it may be a mount, or in use. */
  readonly exists: boolean;
}

/** Chooses a staging folder; refuses to replace a folder that holds what `vendor` did not write. */
export async function stageLayout(path: string, shown: string): Promise<LayoutStaging> {
  const folder = await realFolder(path, shown);
  if (folder === undefined) {
    return { folder: path, path, staging: stagingBeside(path), exists: false };
  }
  const foreign = await foreignFiles(folder, shown, isStagingInside);
  if (foreign.length === 0) {
    return { folder, path, staging: stagingBeside(join(folder, INSIDE)), exists: true };
  }
  const listed = foreign.slice(0, MAX_FOREIGN_SHOWN).join(', ');
  const more = foreign.length > MAX_FOREIGN_SHOWN ? ', …' : '';
  throw new InputError(
    `\`${shown}\` holds what \`vendor\` did not write and would take away: ${listed}${more}`,
    { hint: 'name a folder that does not exist or is empty, or move these out of it first' },
  );
}

function stagingBeside(path: string): string {
  return temporaryBeside(`${path}.${runName()}`, 'new');
}

/** The process that made a staging folder named after `what`; undefined: it is no such folder. */
function stagedBy(name: string, what: string): string | undefined {
  const rest = name.startsWith(`.${what}.`) ? name.slice(what.length + 2) : '';
  const staging = new RegExp(`^(${RUN_NAME})\\.[0-9a-f]{12}\\.new(?:\\.old)?$`);
  return staging.exec(rest)?.[1];
}

function isStagingInside(name: string): boolean {
  return stagedBy(name, INSIDE) !== undefined;
}

/** Links followed; undefined: there is nothing. */
async function realFolder(path: string, shown: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw unwritable(shown, error);
  }
  const dangling = await lstat(path).catch(() => undefined);
  if (dangling === undefined) return undefined;
  throw new InputError(`\`${shown}\` is a link to a folder that does not exist`, {
    hint: 'make that folder, or remove the link',
  });
}

/**
 * Puts a complete layout in its place; if that fails, everything is as it was. Of processes that do
 * so at once, the last one wins.
 */
export async function publishLayout(staged: LayoutStaging): Promise<void> {
  const { folder, path, staging, exists } = staged;
  if (exists || !(await holdingSignals(() => becomes(staging, folder)))) {
    await waitForLock(() => withLocks([folder], () => mergeLayout(staging, folder)));
  }
  await removeFirmly(staging);
  await removeAbandoned(folder, INSIDE);
  await removeAbandoned(dirname(path), basename(path));
}

/** Renames the staging folder to one that was missing; false: another process made it meanwhile. */
async function becomes(staging: string, folder: string): Promise<boolean> {
  try {
    await rename(staging, folder);
  } catch (error) {
    const taken = ['ENOTEMPTY', 'EEXIST'].includes(codeOf(error));
    if (taken && (await foreignFiles(folder, folder, isStagingInside)).length === 0) return false;
    throw error;
  }
  await syncFolder(dirname(folder));
  return true;
}

/** Removes staging folders named after `what` that killed processes left behind; what cannot be removed does no harm. */
export async function removeAbandoned(folder: string, what: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const owner = stagedBy(name, what);
    const path = join(folder, name);
    if (owner === undefined || !(hasEnded(owner) || (await isIdle(path)))) continue;
    await removeFirmly(path);
  }
}

async function isIdle(staging: string): Promise<boolean> {
  const parts = [staging, join(staging, 'blobs', 'sha256')];
  const times = parts.map(async (path) => (await stat(path).catch(() => undefined))?.mtimeMs ?? 0);
  return Date.now() - Math.max(...(await Promise.all(times))) > ABANDONED_AFTER_MS;
}
