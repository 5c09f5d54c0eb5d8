import { rmSync } from 'node:fs';
import { mkdir, readFile, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cannotWrite } from '../files/cannot-write.js';
import { codeOf, isFileSystemError } from '../files/error-code.js';
import { isLockName, withLocks } from '../files/folder-lock.js';
import { removeEnded } from '../files/journal/remove-ended.js';
import { removeFirmly, removeIfEmpty } from '../files/journal/remove-firmly.js';
import { makeFolder } from '../files/make-folder.js';
import { namesIn } from '../files/names-in.js';
import { runName } from '../files/run-name.js';
import { cleaningUpOnSignal, holdingSignals } from '../files/signals.js';
import { syncFolder } from '../files/sync-folder.js';
import { temporaryBeside } from '../files/temporary-name.js';
import { waitForLock } from '../files/wait-for-lock.js';
import { writeThrough } from '../files/write-through.js';
import type { Artifact } from '../image/artifact.js';
import { descriptorFrom, MEDIA_TYPE, type Descriptor } from '../image/descriptor.js';
import type { ImageRepository, StoredManifest } from '../image/image-repository.js';
import { LIMITS } from '../image/limits.js';
import { manifestMediaType } from '../image/manifest.js';
import { InputError } from '../model/input-error.js';
import { SourceError } from '../model/source-error.js';
import { sha256, type Digest } from '../text/digest.js';
import { fieldsOf, listOf, parseJson } from '../text/json.js';
import { folderTree } from './file-tree.js';
import { openLayout, REF_NAME } from './image-layout.js';

/** Name of the one artifact in the folder: `oras copy --from-oci-layout DIR:index …`. */
const NAME = 'index';
const BLOBS = join('blobs', 'sha256');
const PARTS = ['blobs', 'index.json', 'oci-layout'];
/** Files written at once. */
const AT_ONCE = 8;

/** What an artifact replaces. */
interface Replaced {
  /** What is to be there still; undefined: nothing. */
  readonly base: Digest | undefined;
  /** Blobs to keep beside those of the artifact: of it, and of what readers may have open. */
  readonly keep: ReadonlySet<Digest>;
}

/**
 * A folder that holds one artifact, as an OCI image layout: what `oras copy --to-oci-layout` writes
 * can be read, and what is written can be copied.
 *
 * Blobs are added first; the rename of `index.json` is the one step by which the folder becomes
 * another. A process that is killed leaves the old artifact or the new one, and blobs that nothing
 * names, which the next change removes.
 */
export class IndexFolder {
  readonly #folder: string;
  readonly #shown: string;

  /** `folder` is a path without links. */
  constructor(folder: string, shown: string) {
    this.#folder = folder;
    this.#shown = shown;
  }

  /** Of the artifact that is there now; undefined: the folder is missing, or empty. */
  async digest(): Promise<Digest | undefined> {
    return (await this.#named())?.digest;
  }

  /** The artifact that is there now, or the one of a digest, which may be there still. */
  async top(
    wanted?: Digest,
  ): Promise<{ readonly images: ImageRepository; readonly top: StoredManifest }> {
    const descriptor = wanted === undefined ? await this.#named() : { digest: wanted };
    if (descriptor === undefined) {
      throw new SourceError('BAD_SOURCE', this.#shown, 'there is no `index.json`');
    }
    const tree = folderTree(this.#folder, this.#shown);
    const layout = await openLayout(tree, { repository: NAME, tag: undefined });
    const images = layout.repositories.get(NAME);
    const top = await images?.manifest(descriptor.digest);
    if (images !== undefined && top !== undefined) return { images, top };
    if (wanted === undefined) {
      const what = `\`index.json\` names ${descriptor.digest}, which is not there`;
      throw new SourceError('BAD_SOURCE', this.#shown, what);
    }
    const what = `the state ${wanted}, which the lockfile names, is no longer there`;
    throw new SourceError('BAD_SOURCE', this.#shown, what, {
      hint: '`xpkg-resolve resolve` reads the present state, and records that one',
    });
  }

  /** Puts an artifact in the place of `base`; false: another process has put one there meanwhile. */
  async put(artifact: Artifact, replaced: Replaced): Promise<boolean> {
    let staging: string | undefined;
    const cleanUp = () => {
      if (staging !== undefined) rmSync(staging, { recursive: true, force: true });
    };
    try {
      return await cleaningUpOnSignal(cleanUp, async () => {
        const exists = await this.#exists();
        staging = temporaryBeside(
          `${exists ? join(this.#folder, 'parts') : this.#folder}.${runName()}`,
          'new',
        );
        const isNew = await this.#stage(staging, artifact);
        if (!isNew && replaced.base === artifact.manifest.digest) {
          await this.tidy();
          return true;
        }
        if (!exists && (await holdingSignals(() => becomes(staging!, this.#folder)))) return true;
        return this.#merge(staging, replaced);
      });
    } catch (error) {
      throw isFileSystemError(error) ? cannotWrite(this.#shown, error) : error;
    } finally {
      if (staging !== undefined) await removeFirmly(staging);
      for (const each of [this.#folder, dirname(this.#folder)]) await removeEnded(each);
    }
  }

  /** Removes what killed processes left: what they staged, and their lock. */
  async tidy(): Promise<void> {
    for (const each of [this.#folder, dirname(this.#folder)]) await removeEnded(each);
    const names = await namesIn(this.#folder);
    if (!names.some((name) => isLockName(name))) return;
    // Taking the lock takes a stale one over; of a process that lives, it is waited for.
    await waitForLock(() => withLocks([this.#folder], async () => undefined));
  }

  async #named(): Promise<Descriptor | undefined> {
    const tree = folderTree(this.#folder, this.#shown);
    const bytes = await tree.read('index.json', LIMITS.tagPageBytes);
    if (bytes === undefined) return undefined;
    const manifests = listOf(fieldsOf(parseJson(bytes)?.value)?.get('manifests')) ?? [];
    const descriptors = manifests.flatMap((value) => descriptorFrom(value) ?? []);
    // Other tools list the manifests below the one that they name, too.
    const named = descriptors.filter(({ annotations }) => annotations.has(REF_NAME));
    const [first, ...others] = named.length > 0 ? named : descriptors;
    if (first !== undefined && others.length === 0) return first;
    const what = '`index.json` does not name one artifact, which an index in parts is';
    throw new SourceError('BAD_SOURCE', this.#shown, what);
  }

  /** Refuses a folder that holds anything but such a layout. */
  async #exists(): Promise<boolean> {
    const found = await stat(this.#folder).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    });
    if (found === undefined) return false;
    const names = await namesIn(this.#folder);
    const other = names.find(
      (name) => !PARTS.includes(name) && !isLockName(name) && !/^\.parts\..*\.new$/.test(name),
    );
    if (other === undefined) return true;
    throw new InputError(`\`${this.#shown}\` holds \`${other}\`, which is no part of an index`, {
      hint: 'name a folder that does not exist or is empty, or one that holds an index in parts',
    });
  }

  /** Writes what the folder lacks, or has with other bytes; returns whether there is any. */
  async #stage(staging: string, { manifest, manifests = [], blobs }: Artifact): Promise<boolean> {
    await makeFolder(join(staging, BLOBS));
    const wanted = new Map<Digest, Uint8Array>(blobs);
    for (const { digest, bytes } of [...manifests, manifest]) wanted.set(digest, bytes);
    let isNew = false;
    const rest = wanted.entries();
    const worker = async () => {
      for (const [digest, bytes] of rest) {
        if (await this.#has(digest)) continue;
        isNew = true;
        await writeThrough(join(staging, pathOf(digest)), (file) => file.writeFile(bytes));
      }
    };
    // All are waited for: none may write when the folder is removed.
    const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker));
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    const write = (name: string, value: object) =>
      writeThrough(join(staging, name), (file) => file.writeFile(JSON.stringify(value)));
    await write('oci-layout', { imageLayoutVersion: '1.0.0' });
    await write('index.json', {
      schemaVersion: 2,
      mediaType: MEDIA_TYPE.ociIndex,
      manifests: [
        {
          mediaType: manifestMediaType(manifest),
          digest: manifest.digest,
          size: manifest.bytes.length,
          annotations: { [REF_NAME]: NAME },
        },
      ],
    });
    for (const part of [BLOBS, 'blobs', '.']) await syncFolder(join(staging, part));
    return isNew;
  }

  async #has(digest: Digest): Promise<boolean> {
    const bytes = await readFile(join(this.#folder, pathOf(digest))).catch(() => undefined);
    return bytes !== undefined && sha256(bytes) === digest;
  }

  async #merge(staging: string, { base, keep }: Replaced): Promise<boolean> {
    let isCurrent = true;
    await waitForLock(() =>
      withLocks([this.#folder], async () => {
        isCurrent = (await this.#named())?.digest === base;
        if (isCurrent) await moveInto(staging, this.#folder, keep);
      }),
    );
    return isCurrent;
  }
}

/** Moves what was staged into its place; if that fails, everything is as it was. */
async function moveInto(staging: string, folder: string, keep: ReadonlySet<Digest>): Promise<void> {
  const undo: (() => Promise<unknown>)[] = [];
  try {
    for (const part of ['blobs', BLOBS]) {
      if (await made(join(folder, part))) undo.push(() => removeIfEmpty(join(folder, part)));
    }
    const held = new Set(await namesIn(join(folder, BLOBS)));
    for (const name of await namesIn(join(staging, BLOBS))) {
      await rename(join(staging, BLOBS, name), join(folder, BLOBS, name));
      if (!held.has(name)) undo.push(() => removeFirmly(join(folder, BLOBS, name)));
    }
    const hadLayout = (await namesIn(folder)).includes('oci-layout');
    await rename(join(staging, 'oci-layout'), join(folder, 'oci-layout'));
    if (!hadLayout) undo.push(() => removeFirmly(join(folder, 'oci-layout')));
    for (const part of [BLOBS, 'blobs', '.']) await syncFolder(join(folder, part));
    await rename(join(staging, 'index.json'), join(folder, 'index.json'));
  } catch (error) {
    for (const step of undo.toReversed()) await step();
    throw error;
  }
  await syncFolder(folder);
  const kept = new Set([...keep].map((digest) => digest.slice('sha256:'.length)));
  for (const name of await namesIn(join(folder, BLOBS))) {
    if (!kept.has(name)) await removeFirmly(join(folder, BLOBS, name));
  }
}

/** Renames the staging folder to one that was missing; false: another process made it meanwhile. */
async function becomes(staging: string, folder: string): Promise<boolean> {
  try {
    await rename(staging, folder);
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST'].includes(codeOf(error))) return false;
    throw error;
  }
  await syncFolder(dirname(folder));
  return true;
}

async function made(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return false;
  }
}

function pathOf(digest: Digest): string {
  return join('blobs', ...digest.split(':'));
}
