import { randomBytes } from 'node:crypto';
import { readFile, rename, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isDigest, type Digest, sha256 } from '../text/digest.js';
import { SourceError } from '../model/source-error.js';
import { fillAtomically } from '../files/atomic-file.js';
import { removeEnded } from '../files/journal/remove-ended.js';
import { parseJson } from '../text/json.js';
import { makeFolder } from '../files/make-folder.js';
import { codeOf } from '../files/error-code.js';
import type { Fill } from '../files/write-through.js';
import type { BlobSink } from '../image/blob.js';
import type { OpenBlob } from '../image/image-repository.js';
import { FileBlob } from './file-blob.js';
import { FileSink } from './file-sink.js';
import { folderTree } from './file-tree.js';

/** Name of the folder that holds everything; one of another format is neither read nor written. */
export const CACHE_FORMAT = 'v1';

/** Small records by key: tag lists, digests that references pointed at, parsed packages. */
export type RecordKind = 'tags' | 'references' | 'packages';

export interface DiskCacheOptions {
  readonly folder: string;
  /** A damaged entry cannot be fetched again, so it ends the run. */
  readonly offline: boolean;
  readonly note: (line: string) => void;
}

/**
 * Downloads of earlier runs, in a folder that many processes may share.
 *
 * Every byte is hashed again when it is read; a damaged entry is moved to `quarantine` and counts
 * as absent. A folder that cannot be written costs a warning, not the run.
 */
export class DiskCache {
  readonly offline: boolean;
  readonly folder: string;
  readonly #root: string;
  readonly #note: (line: string) => void;
  readonly #warned = new Set<string>();
  #writable = true;
  /** Removes what killed processes left, once; undefined: not begun. */
  #swept: Promise<void> | undefined;

  constructor({ folder, offline, note }: DiskCacheOptions) {
    this.folder = folder;
    this.offline = offline;
    this.#root = join(folder, CACHE_FORMAT);
    this.#note = note;
  }

  /** Notes a line the first time only. */
  noteOnce(line: string): void {
    if (this.#warned.has(line)) return;
    this.#warned.add(line);
    this.#note(line);
  }

  async blob(digest: Digest): Promise<Uint8Array | undefined> {
    const path = this.#blobPath(digest);
    const bytes = await this.#read(path);
    if (bytes === undefined) return undefined;
    return sha256(bytes) === digest ? bytes : this.#damaged(path);
  }

  /** The blob, to be read in chunks, and how large it is. */
  async openBlob(digest: Digest): Promise<(OpenBlob & { readonly size: number }) | undefined> {
    const path = this.#blobPath(digest);
    const [tree, name] = [folderTree(dirname(path), this.folder), basename(path)];
    try {
      const size = await tree.size(name);
      const blob = await new FileBlob(tree, name, { digest, size }).open(Infinity);
      return blob && size !== undefined ? { ...blob, size } : undefined;
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      if (error.code === 'BAD_DIGEST') return this.#damaged(path);
      this.#noteUnreadable(codeOf(error.cause));
      return undefined;
    }
  }

  /** Whether there is a file of the blob, intact or not. */
  async holdsBlob(digest: Digest): Promise<boolean> {
    const path = this.#blobPath(digest);
    const size = await folderTree(dirname(path), this.folder)
      .size(basename(path))
      .catch(() => undefined);
    return size !== undefined;
  }

  keepBlob(digest: Digest, bytes: Uint8Array): Promise<void> {
    return this.#write(this.#blobPath(digest), (file) => file.writeFile(bytes));
  }

  /**
   * Keeps a blob that `fill` writes in chunks, and says whether there is one. Returns what `fill`
   * does; undefined: nothing can be kept.
   */
  async keepBlobFrom(
    digest: Digest,
    fill: (to: BlobSink) => Promise<boolean>,
  ): Promise<boolean | undefined> {
    const filling = new Filling(fill);
    await this.#write(this.#blobPath(digest), (file) => filling.fill(file));
    return filling.outcome();
  }

  /** The record under a key; undefined: there is none, or it is damaged. */
  async record(kind: RecordKind, key: string): Promise<unknown> {
    const path = this.#recordPath(kind, key);
    const bytes = await this.#read(path);
    if (bytes === undefined) return undefined;
    const text = bytes.toString('utf8');
    const end = text.indexOf('\n');
    const body = text.slice(end + 1);
    if (end > 0 && text.slice(0, end) === sha256(body)) return parseJson(body)?.value;
    // A package can be parsed again from its layer; what a registry said cannot be had offline.
    if (this.offline && kind !== 'packages') throw damagedOffline(path);
    return this.#quarantine(path);
  }

  keepRecord(kind: RecordKind, key: string, answer: object): Promise<void> {
    const body = JSON.stringify(answer);
    const bytes = Buffer.from(`${sha256(body)}\n${body}`);
    return this.#write(this.#recordPath(kind, key), (file) => file.writeFile(bytes));
  }

  /** Files under way are in one folder, so that those of killed processes are found. */
  get #temporary(): string {
    return join(this.#root, 'unfinished');
  }

  #blobPath(digest: Digest): string {
    if (!isDigest(digest)) throw new Error(`not a digest: ${String(digest)}`);
    return join(this.#root, 'blobs', ...digest.split(':'));
  }

  #recordPath(kind: RecordKind, key: string): string {
    return join(this.#root, kind, `${sha256(key).slice('sha256:'.length)}.json`);
  }

  async #read(path: string): Promise<Buffer | undefined> {
    try {
      return await readFile(path);
    } catch (error) {
      const code = codeOf(error);
      if (code !== 'ENOENT') this.#noteUnreadable(code);
      return undefined;
    }
  }

  #noteUnreadable(code: string): void {
    this.noteOnce(`warning: the cache \`${this.folder}\` cannot be read (${code})`);
  }

  async #write(path: string, fill: Fill): Promise<void> {
    if (!this.#writable) return;
    try {
      this.#swept ??= this.#sweep();
      await this.#swept;
      await fillAtomically(path, fill, { temporary: this.#temporary });
    } catch (error) {
      if (error instanceof NotFilled) return;
      // `cache clean` in another process may remove the folder between two steps: no cause to warn.
      if (codeOf(error) === 'ENOENT' && !isAboutFolder(error)) return;
      this.#writable = false;
      this.noteOnce(
        `warning: the cache \`${this.folder}\` cannot be written (${codeOf(error)}); going on without keeping what is downloaded`,
      );
    }
  }

  /** Removes files that killed processes were writing, and folders that they were removing. */
  async #sweep(): Promise<void> {
    for (const folder of [this.#temporary, this.folder]) await removeEnded(folder);
  }

  #damaged(path: string): Promise<undefined> {
    if (this.offline) throw damagedOffline(path);
    return this.#quarantine(path);
  }

  async #quarantine(path: string): Promise<undefined> {
    this.noteOnce(`warning: \`${path}\` in the cache is damaged; it is put aside and not used`);
    const aside = join(this.#root, 'quarantine');
    const name = `${basename(dirname(path))}-${basename(path)}.${randomBytes(4).toString('hex')}`;
    try {
      await makeFolder(aside, 0o700);
      await rename(path, join(aside, name));
    } catch (error) {
      // The entry stays where it is; `#write` will warn that the folder cannot be written.
      if (!(error instanceof Error)) throw error;
    }
    return undefined;
  }
}

/** There is no blob, or it could not be had: no fault of the cache. */
class NotFilled extends Error {}

/** A blob that is written to a file as it comes, and how that went. */
class Filling {
  readonly #fill: (to: BlobSink) => Promise<boolean>;
  #found: boolean | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(fill: (to: BlobSink) => Promise<boolean>) {
    this.#fill = fill;
  }

  async fill(file: FileHandle): Promise<void> {
    const sink = new FileSink(file);
    try {
      this.#found = await this.#fill(sink);
    } catch (error) {
      if (sink.failure !== undefined) throw sink.failure;
      this.#failure = { error };
    }
    if (this.#found !== true) throw new NotFilled();
  }

  /** Throws what kept the blob from coming; undefined: it could not be written. */
  outcome(): boolean | undefined {
    if (this.#failure !== undefined) throw this.#failure.error;
    return this.#found;
  }
}

/** Whether a folder could not be made, which `makeFolder` tried several times. */
function isAboutFolder(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'mkdir';
}

function damagedOffline(path: string): SourceError {
  return new SourceError('BAD_DIGEST', path, 'this file of the cache is damaged', {
    hint: 'run once without `--offline` to fetch it again, or remove it',
  });
}
