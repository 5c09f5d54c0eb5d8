import { rm, lstat, mkdir, readdir, readFile, realpath, rename, stat } from 'node:fs/promises';
import { join, basename, dirname } from 'node:path';
import { byCodePoint, getOrCreate } from '../../base/collections.js';
import { type Digest, isDigest } from '../../base/digest.js';
import {
  type Fill,
  fillAtomically,
  makeFolder,
  removeWithRetry,
  syncFolder,
  writeThrough,
  hasRunEnded,
  RUN_NAME,
  runName,
  temporaryPathFor,
  codeOf,
  namesIn,
  removeIfEmpty,
} from '../../base/files/file-system.js';
import type { BlobSink, StoredManifest } from '../image/image-repository.js';
import { MEDIA_TYPE, parseDescriptor } from '../image/descriptor.js';
import { manifestMediaType, readManifestFields } from '../image/manifest.js';
import { FileSink } from './file-tree.js';
import { PARTIAL_ANNOTATION, REF_NAME } from './image-layout.js';
import { InputError } from '../../base/errors.js';
import { printable } from '../../base/escape.js';
import { isLockName, waitForLock, withLock } from '../../base/files/folder-lock.js';
import { listOf } from '../../base/json.js';
import { delayingSignals } from '../../base/process.js';

/** Blob mode before the umask: unlike a cache, a layout is shared with others. */
const SHARED_FILE = 0o666;

/**
 * Writes an OCI image layout to a staging folder and moves it into place when complete. The order
 * in which images are added does not affect the result.
 */
export class LayoutWriter {
  /** The staging folder. The caller removes it if the layout is never finished. */
  readonly staging: string;
  readonly #target: LayoutTarget;
  /** Size of each blob in bytes; undefined if no source had it. */
  readonly #writtenBlobs = new Map<Digest, Promise<number | undefined>>();
  readonly #images = new Map<string, object>();

  constructor(target: LayoutTarget) {
    this.#target = target;
    this.staging = target.staging;
  }

  /** Throws if the folder has files that `vendor` did not write. */
  static async open(folder: string, shown: string): Promise<LayoutWriter> {
    const target = await layoutTarget(folder, shown);
    try {
      await makeFolder(join(target.staging, BLOBS));
    } catch (error) {
      await removeWithRetry(target.staging);
      throw error;
    }
    return new LayoutWriter(target);
  }

  async blob(digest: Digest, bytes: Uint8Array): Promise<void> {
    await this.blobFrom(digest, async (to) => {
      await to.add(bytes);
      return true;
    });
  }

  /** Writes a blob once. Returns undefined if it does not exist; `fill` then returns false. */
  blobFrom(digest: Digest, fill: (to: BlobSink) => Promise<boolean>): Promise<number | undefined> {
    return getOrCreate(this.#writtenBlobs, digest, () => this.#fill(digest, fill));
  }

  async #fill(
    digest: Digest,
    fill: (to: BlobSink) => Promise<boolean>,
  ): Promise<number | undefined> {
    const path = join(this.staging, 'blobs', ...digest.split(':'));
    let sink: FileSink | undefined;
    let found = false;
    try {
      const fillSink: Fill = async (file) => {
        sink = new FileSink(file);
        found = await fill(sink);
      };
      await fillAtomically(path, fillSink, { mode: SHARED_FILE });
    } catch (error) {
      throw sink?.failure ?? error;
    }
    if (found) return sink?.size;
    await rm(path);
    return undefined;
  }

  name(reference: string, manifest: StoredManifest): void {
    this.#images.set(reference, indexEntry(reference, manifest));
  }

  /** Moves the layout into place. Returns the total size of its blobs in bytes. */
  async finish(extent: 'whole' | 'needed'): Promise<number> {
    const bytes = await this.seal(extent);
    await publishLayout(this.#target);
    return bytes;
  }

  /** Completes the layout in its staging folder. Returns the total size of its blobs in bytes. */
  async seal(extent: 'whole' | 'needed'): Promise<number> {
    const names = [...this.#images.keys()].sort(byCodePoint);
    await writeLayoutFiles(this.staging, {
      manifests: names.map((name) => this.#images.get(name)!),
      ...(extent === 'needed' && { annotations: PARTIAL_ANNOTATION }),
    });
    await syncFolder(this.staging);
    const sizes = await Promise.all(this.#writtenBlobs.values());
    return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  }
}

export async function writeLayoutFiles(
  folder: string,
  index: { readonly manifests: readonly object[]; readonly annotations?: object },
): Promise<void> {
  const write = (name: string, value: object) =>
    writeThrough(join(folder, name), (file) => file.writeFile(JSON.stringify(value)));
  await write('oci-layout', { imageLayoutVersion: '1.0.0' });
  await write('index.json', { schemaVersion: 2, mediaType: MEDIA_TYPE.ociIndex, ...index });
}

export function indexEntry(name: string, manifest: StoredManifest): object {
  return {
    mediaType: manifestMediaType(manifest),
    digest: manifest.digest,
    size: manifest.bytes.length,
    annotations: { [REF_NAME]: name },
  };
}

/** Name prefix of staging folders inside an existing folder. */
const STAGING_NAME = 'vendor';

/** `vendor` starts blobs more often, so an older staging folder belongs to a killed process. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000;

const MAX_FOREIGN_SHOWN = 5;

/** The final location of a layout and its staging folder. */
interface LayoutTarget {
  readonly folder: string;
  /** The folder as the user named it. If it is missing, staging is next to it. */
  readonly path: string;
  readonly staging: string;
  /** Whether the folder exists. It is kept, because it may be a mount or in use. */
  readonly exists: boolean;
}

/** Throws if the folder has files that `vendor` did not write. */
async function layoutTarget(path: string, shown: string): Promise<LayoutTarget> {
  const folder = await realFolder(path, shown);
  if (folder === undefined) {
    return { folder: path, path, staging: stagingPathFor(path), exists: false };
  }
  const foreignNames = await foreignFiles(folder, shown);
  if (foreignNames.length === 0) {
    return { folder, path, staging: stagingPathFor(join(folder, STAGING_NAME)), exists: true };
  }
  const listed = foreignNames.slice(0, MAX_FOREIGN_SHOWN).join(', ');
  const more = foreignNames.length > MAX_FOREIGN_SHOWN ? ', …' : '';
  throw new InputError(
    `\`${shown}\` holds what \`vendor\` did not write and would take away: ${listed}${more}`,
    { hint: 'name a folder that does not exist or is empty, or move these out of it first' },
  );
}

function stagingPathFor(path: string): string {
  return temporaryPathFor(`${path}.${runName()}`, 'new');
}

/** Returns the process that made a staging folder with the prefix `what`, else undefined. */
function stagingProcess(name: string, prefix: string): string | undefined {
  const rest = name.startsWith(`.${prefix}.`) ? name.slice(prefix.length + 2) : '';
  const staging = new RegExp(`^(${RUN_NAME})\\.[0-9a-f]{12}\\.new(?:\\.old)?$`);
  return staging.exec(rest)?.[1];
}

function isStagingInside(name: string): boolean {
  return stagingProcess(name, STAGING_NAME) !== undefined;
}

/** Resolves symbolic links. Returns undefined if nothing is there. */
async function realFolder(path: string, shown: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw unwritableError(shown, error);
  }
  const brokenLink = await lstat(path).catch(() => undefined);
  if (brokenLink === undefined) return undefined;
  throw new InputError(`\`${shown}\` is a link to a folder that does not exist`, {
    hint: 'make that folder, or remove the link',
  });
}

/** Moves a complete layout into place, or rolls back. The last of several processes wins. */
async function publishLayout({ folder, path, staging, exists }: LayoutTarget): Promise<void> {
  const isReplaceable = async () => (await foreignFiles(folder, folder)).length === 0;
  if (exists || !(await delayingSignals(() => renameToMissing(staging, folder, isReplaceable)))) {
    await waitForLock(() => withLock(folder, () => mergeLayout(staging, folder)));
  }
  await removeWithRetry(staging);
  await removeAbandoned(folder, STAGING_NAME);
  await removeAbandoned(dirname(path), basename(path));
}

/** Renames a staging folder. Returns false if the target exists meanwhile and is replaceable. */
export async function renameToMissing(
  staging: string,
  folder: string,
  isReplaceable: () => Promise<boolean> = async () => true,
): Promise<boolean> {
  try {
    await rename(staging, folder);
  } catch (error) {
    const isTaken = ['ENOTEMPTY', 'EEXIST'].includes(codeOf(error));
    if (isTaken && (await isReplaceable())) return false;
    throw error;
  }
  await syncFolder(dirname(folder));
  return true;
}

/** Removes staging folders of killed processes with the prefix `what`. Ignores failures. */
export async function removeAbandoned(folder: string, prefix: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const owner = stagingProcess(name, prefix);
    const path = join(folder, name);
    if (owner === undefined || !(hasRunEnded(owner) || (await isIdle(path)))) continue;
    await removeWithRetry(path);
  }
}

async function isIdle(staging: string): Promise<boolean> {
  const parts = [staging, join(staging, BLOBS)];
  const times = parts.map(async (path) => (await stat(path).catch(() => undefined))?.mtimeMs ?? 0);
  return Date.now() - Math.max(...(await Promise.all(times))) > ABANDONED_AFTER_MS;
}

export const BLOBS = join('blobs', 'sha256');

/**
 * Replaces the layout in `folder` with the one in `staging`, or rolls back. `keep` has the names of
 * blobs to keep; the staged ones by default. New blobs are added, renaming `index.json` switches
 * layouts atomically, then old blobs are removed. A killed process may leave unreferenced blobs.
 */
export async function mergeLayout(
  staging: string,
  folder: string,
  keep?: ReadonlySet<string>,
): Promise<void> {
  const rollbackSteps: (() => Promise<unknown>)[] = [];
  const staged = await namesIn(join(staging, BLOBS));
  try {
    for (const part of ['blobs', BLOBS]) {
      if (await createFolder(join(folder, part)))
        rollbackSteps.push(() => removeIfEmpty(join(folder, part)));
    }
    const existing = new Set([
      ...(await namesIn(folder)),
      ...(await namesIn(join(folder, BLOBS))).map((name) => join(BLOBS, name)),
    ]);
    // Existing blobs are replaced, too, because they may be damaged.
    for (const file of [...staged.map((name) => join(BLOBS, name)), 'oci-layout']) {
      await rename(join(staging, file), join(folder, file));
      if (!existing.has(file)) rollbackSteps.push(() => removeWithRetry(join(folder, file)));
    }
    for (const part of [BLOBS, 'blobs', '.']) await syncFolder(join(folder, part));
    await rename(join(staging, 'index.json'), join(folder, 'index.json'));
  } catch (error) {
    for (const step of rollbackSteps.toReversed()) await step();
    throw error;
  }
  await syncFolder(folder);
  const wanted = keep ?? new Set(staged);
  for (const name of await namesIn(join(folder, BLOBS))) {
    if (!wanted.has(name)) await removeWithRetry(join(folder, BLOBS, name));
  }
}

async function createFolder(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return false;
  }
}

export const LAYOUT_PARTS: readonly string[] = ['index.json', 'oci-layout', 'blobs'];

/** Describes files that `vendor` did not write and that a replacement would delete. */
async function foreignFiles(folder: string, shown: string): Promise<readonly string[]> {
  const present = await namesInOutput(folder, shown);
  const names = present.filter((name) => !isStagingInside(name) && !isLockName(name));
  const others = names.filter((name) => !LAYOUT_PARTS.includes(name));
  if (names.length === 0 || others.length > 0) return quote(others);
  const missing = LAYOUT_PARTS.filter((part) => !names.includes(part));
  // A process that was killed while it filled an empty folder also left its staging folder.
  if (missing.includes('index.json') && present.some(isStagingInside)) {
    return foreignBlobs(folder, shown);
  }
  if (missing.length > 0) return quote(names).map((name) => `${name} without \`${missing[0]}\``);
  return [...(await foreignBlobs(folder, shown)), ...(await foreignImages(folder, shown))];
}

async function foreignBlobs(folder: string, shown: string): Promise<readonly string[]> {
  const kinds = await namesInOutput(join(folder, 'blobs'), shown);
  const blobs = await namesInOutput(join(folder, BLOBS), shown);
  return quote([
    ...kinds.filter((kind) => kind !== 'sha256').map((kind) => `blobs/${kind}`),
    ...blobs.filter((name) => !isDigest(`sha256:${name}`)).map((name) => `blobs/sha256/${name}`),
  ]);
}

/** `vendor` writes full image names; other tools write tags or no names. */
async function foreignImages(folder: string, shown: string): Promise<readonly string[]> {
  const bytes = await readFile(join(folder, 'index.json')).catch((error: unknown) => {
    throw unwritableError(shown, error);
  });
  const fields = readManifestFields(bytes);
  const images = 'problem' in fields ? undefined : listOf(fields.get('manifests'));
  if (images === undefined) return ['an `index.json` that is no image index'];
  return images.flatMap((image) => {
    const descriptor = parseDescriptor(image);
    const name = descriptor?.annotations.get(REF_NAME);
    if (name?.includes('/') === true) return [];
    return [`the image \`${printable(name ?? descriptor?.digest ?? 'without a digest')}\``];
  });
}

function quote(names: readonly string[]): string[] {
  return names.map((name) => `\`${printable(name)}\``);
}

async function namesInOutput(folder: string, shown: string): Promise<readonly string[]> {
  return namesIn(folder).catch((error: unknown) => {
    throw unwritableError(shown, error);
  });
}

function unwritableError(shown: string, error: unknown): InputError {
  return new InputError(`\`${shown}\` cannot be written: ${codeOf(error)}`, { cause: error });
}
