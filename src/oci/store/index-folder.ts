import { rmSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  writeError,
  codeOf,
  isFileSystemError,
  makeFolder,
  namesIn,
  removeWithRetry,
  syncFolder,
  writeThrough,
  removeEndedRunFiles,
  runName,
  temporaryPathFor,
} from '../../base/files/file-system.js';
import { isLockName, waitForLock, withLock } from '../../base/files/folder-lock.js';
import { cleaningUpOnSignal, delayingSignals } from '../../base/process.js';
import type { Artifact } from '../image/artifact.js';
import { parseDescriptor, type Descriptor } from '../image/descriptor.js';
import { InputError, SourceError } from '../../base/errors.js';
import { sha256, type Digest } from '../../base/digest.js';
import { listOf } from '../../base/json.js';
import { folderTree } from './file-tree.js';
import { openLayout, readIndexFields, REF_NAME } from './image-layout.js';
import {
  BLOBS,
  indexEntry,
  LAYOUT_PARTS,
  mergeLayout,
  renameToMissing,
  writeLayoutFiles,
} from './layout-writer.js';

/** Name of the only artifact in the folder: `oras copy --from-oci-layout DIR:index …`. */
const NAME = 'index';
const MAX_PARALLEL_WRITES = 8;

interface Replacement {
  /** Digest of the artifact to replace; undefined if there is none. */
  readonly base: Digest | undefined;
  /** Blobs to keep: those of the new artifact, and those that readers may have open. */
  readonly keep: ReadonlySet<Digest>;
}

/**
 * A folder with one artifact, as an OCI image layout. Renaming `index.json` switches to a new one
 * atomically. A killed process may leave unreferenced blobs, which the next change removes.
 */
export class IndexFolder {
  readonly #folder: string;
  readonly #label: string;

  /** `folder` is a path without symbolic links. */
  constructor(folder: string, shown: string) {
    this.#folder = folder;
    this.#label = shown;
  }

  /** Returns the digest of the current artifact, or undefined if the folder is missing or empty. */
  async digest(): Promise<Digest | undefined> {
    return (await this.#current())?.digest;
  }

  /** Returns the manifest of the current artifact, or of a given digest if it still exists. */
  async top(wanted?: Digest) {
    const descriptor = wanted === undefined ? await this.#current() : { digest: wanted };
    if (descriptor === undefined) {
      throw new SourceError('BAD_SOURCE', this.#label, 'there is no `index.json`');
    }
    const tree = folderTree(this.#folder, this.#label);
    const layout = await openLayout(tree, { repository: NAME, tag: undefined });
    const images = layout.repositories.get(NAME);
    const top = await images?.manifest(descriptor.digest);
    if (images !== undefined && top !== undefined) return { images, top };
    if (wanted === undefined) {
      const what = `\`index.json\` names ${descriptor.digest}, which is not there`;
      throw new SourceError('BAD_SOURCE', this.#label, what);
    }
    const what = `the state ${wanted}, which the lockfile names, is no longer there`;
    throw new SourceError('BAD_SOURCE', this.#label, what, {
      hint: '`xpkg-resolve resolve` reads the present state, and records that one',
    });
  }

  /** Replaces the artifact `base`. Returns false if another process has replaced it meanwhile. */
  async put(artifact: Artifact, replaced: Replacement): Promise<boolean> {
    let staging: string | undefined;
    const cleanUp = () => {
      if (staging !== undefined) rmSync(staging, { recursive: true, force: true });
    };
    try {
      return await cleaningUpOnSignal(cleanUp, async () => {
        const exists = await this.#exists();
        const place = exists ? join(this.#folder, 'parts') : this.#folder;
        staging = temporaryPathFor(`${place}.${runName()}`, 'new');
        const isNew = await this.#stage(staging, artifact);
        if (!isNew && replaced.base === artifact.manifest.digest) {
          await this.tidy();
          return true;
        }
        if (!exists && (await delayingSignals(() => renameToMissing(staging!, this.#folder))))
          return true;
        return this.#merge(staging, replaced);
      });
    } catch (error) {
      throw isFileSystemError(error) ? writeError(this.#label, error) : error;
    } finally {
      if (staging !== undefined) await removeWithRetry(staging);
      await this.#removeLeftovers();
    }
  }

  /** Removes staging folders and locks of killed processes. */
  async tidy(): Promise<void> {
    await this.#removeLeftovers();
    const names = await namesIn(this.#folder);
    if (!names.some((name) => isLockName(name))) return;
    // Acquiring the lock removes a stale one and waits for a running process.
    await waitForLock(() => withLock(this.#folder, async () => undefined));
  }

  async #removeLeftovers(): Promise<void> {
    for (const each of [this.#folder, dirname(this.#folder)]) await removeEndedRunFiles(each);
  }

  async #current(): Promise<Descriptor | undefined> {
    const tree = folderTree(this.#folder, this.#label);
    const fields = await readIndexFields(tree);
    if (fields === undefined) return undefined;
    const manifests = listOf(fields.get('manifests')) ?? [];
    const descriptors = manifests.flatMap((value) => parseDescriptor(value) ?? []);
    // Other tools also list child manifests.
    const namedEntries = descriptors.filter(({ annotations }) => annotations.has(REF_NAME));
    const [first, ...others] = namedEntries.length > 0 ? namedEntries : descriptors;
    if (first !== undefined && others.length === 0) return first;
    const what = '`index.json` does not name one artifact, which an index in parts is';
    throw new SourceError('BAD_SOURCE', this.#label, what);
  }

  /** Returns whether the folder exists. Throws if any content is not part of an index. */
  async #exists(): Promise<boolean> {
    const stats = await stat(this.#folder).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    });
    if (stats === undefined) return false;
    const names = await namesIn(this.#folder);
    const other = names.find(
      (name) =>
        !LAYOUT_PARTS.includes(name) && !isLockName(name) && !/^\.parts\..*\.new$/.test(name),
    );
    if (other === undefined) return true;
    throw new InputError(`\`${this.#label}\` holds \`${other}\`, which is no part of an index`, {
      hint: 'name a folder that does not exist or is empty, or one that holds an index in parts',
    });
  }

  /** Writes missing and damaged files to the staging folder. Returns whether there were any. */
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
    // Waits for all writers: none may still run when the folder is removed.
    const outcomes = await Promise.allSettled(Array.from({ length: MAX_PARALLEL_WRITES }, worker));
    const failed = outcomes.find((end) => end.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    await writeLayoutFiles(staging, { manifests: [indexEntry(NAME, manifest)] });
    for (const part of [BLOBS, 'blobs', '.']) await syncFolder(join(staging, part));
    return isNew;
  }

  async #has(digest: Digest): Promise<boolean> {
    const bytes = await readFile(join(this.#folder, pathOf(digest))).catch(() => undefined);
    return bytes !== undefined && sha256(bytes) === digest;
  }

  async #merge(staging: string, { base, keep }: Replacement): Promise<boolean> {
    let isCurrent = true;
    await waitForLock(() =>
      withLock(this.#folder, async () => {
        isCurrent = (await this.#current())?.digest === base;
        const names = new Set([...keep].map((digest) => digest.slice('sha256:'.length)));
        if (isCurrent) await mergeLayout(staging, this.#folder, names);
      }),
    );
    return isCurrent;
  }
}

function pathOf(digest: Digest): string {
  return join('blobs', ...digest.split(':'));
}
