import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmdirSync } from 'node:fs';
import { lstat, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { InputError } from '../model/input-error.js';
import { isDigest } from '../text/digest.js';
import { printable } from '../text/printable.js';
import { syncFolder } from '../files/atomic-file.js';
import { descriptorFrom } from '../image/descriptor.js';
import { REF_NAME } from './image-layout.js';
import { fieldsOf, listOf, parseJson } from '../text/json.js';
import type { Run } from '../files/run.js';
import { codeOf } from '../files/error-code.js';

/** What a layout consists of; `index.json`, which gives everything a name, leaves first. */
const PARTS = ['index.json', 'oci-layout', 'blobs'] as const;

/** What staging is called after in a folder that is there; beside one that is not, after the folder. */
const INSIDE = 'vendor';

/** Where a layout is to be, and where it is until it is whole. */
export interface LayoutPlace {
  readonly folder: string;
  /** As it was asked for, links and all: if there was nothing, staging is beside it. */
  readonly path: string;
  readonly staging: string;
  /** The folder is there already, and stays: somebody may be in it, or it may be a mount. */
  readonly stands: boolean;
}

/** Refuses a folder that holds anything which `vendor` did not put there. */
export async function placeFor(path: string, shown: string, run: Run): Promise<LayoutPlace> {
  const folder = await realFolder(path, shown);
  const unique = `${run.name}.${randomBytes(6).toString('hex')}`;
  if (folder === undefined) {
    const staging = join(dirname(path), `.${basename(path)}.${unique}.new`);
    return { folder: path, path, staging, stands: false };
  }
  const others = await othersIn(folder, shown, run);
  if (others.length === 0) {
    return { folder, path, staging: join(folder, `.${INSIDE}.${unique}.new`), stands: true };
  }
  const listed = `${others.slice(0, 5).join(', ')}${others.length > 5 ? ', …' : ''}`;
  throw new InputError(
    `\`${shown}\` holds what \`vendor\` did not write and would take away: ${listed}`,
    { hint: 'name a folder that does not exist or is empty, or move these out of it first' },
  );
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

/** What a layout written by `vendor` would not hold, for people to read. */
async function othersIn(folder: string, shown: string, run: Run): Promise<readonly string[]> {
  const names = (await namesIn(folder, shown)).filter(
    (name) => stagedBy(name, INSIDE) === undefined && !run.isLock(name),
  );
  const others = names.filter((name) => !PARTS.some((part) => part === name));
  if (names.length === 0 || others.length > 0) return quoted(others);
  const missing = PARTS.filter((part) => !names.includes(part));
  if (missing.length > 0) return quoted(names).map((name) => `${name} without \`${missing[0]}\``);
  return [...(await otherBlobs(folder, shown)), ...(await otherImages(folder, shown))];
}

async function otherBlobs(folder: string, shown: string): Promise<readonly string[]> {
  const kinds = await namesIn(join(folder, 'blobs'), shown);
  const blobs = await namesIn(join(folder, 'blobs', 'sha256'), shown);
  return quoted([
    ...kinds.filter((kind) => kind !== 'sha256').map((kind) => `blobs/${kind}`),
    ...blobs.filter((name) => !isDigest(`sha256:${name}`)).map((name) => `blobs/sha256/${name}`),
  ]);
}

/** `vendor` gives every image its full name; other tools name them by tag, or not at all. */
async function otherImages(folder: string, shown: string): Promise<readonly string[]> {
  const text = await readFile(join(folder, 'index.json'), 'utf8').catch((error: unknown) => {
    throw unwritable(shown, error);
  });
  const images = listOf(fieldsOf(parseJson(text)?.value)?.get('manifests'));
  if (images === undefined) return ['an `index.json` that is no image index'];
  return images.flatMap((image) => {
    const descriptor = descriptorFrom(image);
    const name = descriptor?.annotations.get(REF_NAME);
    if (name?.includes('/') === true) return [];
    return [`the image \`${printable(name ?? descriptor?.digest ?? 'without a digest')}\``];
  });
}

function quoted(names: readonly string[]): string[] {
  return names.map((name) => `\`${printable(name)}\``);
}

async function namesIn(folder: string, shown: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    throw unwritable(shown, error);
  }
}

function unwritable(shown: string, error: unknown): InputError {
  return new InputError(`\`${shown}\` cannot be written: ${codeOf(error)}`, { cause: error });
}

/** The run that made something to work in, called after `what`; undefined: none did. */
function stagedBy(name: string, what: string): string | undefined {
  const rest = name.startsWith(`.${what}.`) ? name.slice(what.length + 2) : '';
  return /^([0-9a-f]{8}-[0-9]{1,10})\.[0-9a-f]{12}\.new(?:\.old)?$/.exec(rest)?.[1];
}

/**
 * Puts what was staged where it belongs; if that fails, everything is as it was. Of runs that do
 * the same at once, the last has its way.
 */
export async function moveIn(
  { folder, path, staging, stands }: LayoutPlace,
  run: Run,
): Promise<void> {
  const old = `${staging}.old`;
  const exchange = () => swap(folder, { staging, old, there: readdirSync(folder) });
  if (stands || !(await becomes(staging, folder, run))) await run.alone(folder, exchange);
  await syncFolder(stands ? folder : dirname(folder));
  for (const own of [staging, old]) await rm(own, { recursive: true, force: true });
  await removeDead(folder, INSIDE, run);
  await removeDead(dirname(path), basename(path), run);
}

/** Milliseconds in which every run that is at work has begun another blob. */
const DEAD_AFTER = 24 * 60 * 60 * 1000;

/** Makes a folder that was not there of what was staged; false: a run like this was faster. */
async function becomes(staging: string, folder: string, run: Run): Promise<boolean> {
  try {
    renameSync(staging, folder);
    return true;
  } catch (error) {
    const taken = ['ENOTEMPTY', 'EEXIST'].includes(codeOf(error));
    if (taken && (await othersIn(folder, folder, run)).length === 0) return false;
    throw error;
  }
}

/** What runs that were killed left behind; what cannot be removed does no harm. */
async function removeDead(folder: string, what: string, run: Run): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const owner = stagedBy(name, what);
    const path = join(folder, name);
    if (owner === undefined || !(run.hasEnded(owner) || (await isIdle(path)))) continue;
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

async function isIdle(staging: string): Promise<boolean> {
  const parts = [staging, join(staging, 'blobs', 'sha256')];
  const times = parts.map(async (path) => (await stat(path).catch(() => undefined))?.mtimeMs ?? 0);
  return Date.now() - Math.max(...(await Promise.all(times))) > DEAD_AFTER;
}

/** Without a pause in which a signal could end the process. */
function swap(
  folder: string,
  { staging, old, there }: { staging: string; old: string; there: readonly string[] },
): void {
  const undo: (() => void)[] = [];
  const move = (name: string, from: string, to: string) => {
    renameSync(join(from, name), join(to, name));
    undo.unshift(() => renameSync(join(to, name), join(from, name)));
  };
  mkdirSync(old);
  try {
    for (const name of PARTS) if (there.includes(name)) move(name, folder, old);
    for (const name of PARTS.toReversed()) move(name, staging, folder);
  } catch (error) {
    for (const back of undo) back();
    rmdirSync(old);
    throw error;
  }
}
