import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isDigest, type Digest, sha256 } from '../../base/digest.js';
import { SourceError } from '../../base/errors.js';
import {
  fillAtomically,
  removeEndedRunFiles,
  codeOf,
  type Fill,
  isUnfinished,
  makeFolder,
  namesIn,
  runName,
  temporaryPathFor,
} from '../../base/files/file-system.js';
import { fieldsOf, listOf, parseJson, stringOf } from '../../base/json.js';
import type { BlobSink, OpenBlob } from '../image/image-repository.js';
import { fileBlob, FileSink, folderTree } from './file-tree.js';

/** Version of the cache format and name of its folder. Other formats are ignored. */
const CACHE_FORMAT = 'v1';

/** Records by key: tag lists, digests of references, parsed packages. */
export type RecordKind = 'tags' | 'references' | 'packages';

export interface DiskCacheOptions {
  readonly folder: string;
  /** Whether a damaged entry is an error, because it cannot be downloaded again. */
  readonly offline: boolean;
  readonly note: (line: string) => void;
}

/**
 * A download cache that many processes may share. Digests are verified on every read. Damaged
 * entries are moved to `quarantine` and count as missing. A read-only cache is a warning.
 */
export class DiskCache {
  readonly offline: boolean;
  readonly folder: string;
  readonly #root: string;
  /** Folder of all unfinished files, so that files of killed processes can be found. */
  readonly #temporary: string;
  readonly #note: (line: string) => void;
  readonly #warnedLines = new Set<string>();
  #isWritable = true;
  /** Removal of files of killed processes; undefined if not started. */
  #sweeping: Promise<void> | undefined;

  constructor({ folder, offline, note }: DiskCacheOptions) {
    this.folder = folder;
    this.offline = offline;
    this.#root = join(folder, CACHE_FORMAT);
    this.#temporary = join(this.#root, 'unfinished');
    this.#note = note;
  }

  noteOnce(line: string): void {
    if (this.#warnedLines.has(line)) return;
    this.#warnedLines.add(line);
    this.#note(line);
  }

  async blob(digest: Digest): Promise<Uint8Array | undefined> {
    const path = this.#blobPath(digest);
    const bytes = await this.#read(path);
    if (bytes === undefined) return undefined;
    return sha256(bytes) === digest ? bytes : this.#damagedEntry(path);
  }

  async openBlob(digest: Digest): Promise<(OpenBlob & { readonly size: number }) | undefined> {
    const path = this.#blobPath(digest);
    const [tree, name] = [folderTree(dirname(path), this.folder), basename(path)];
    try {
      const size = await tree.size(name);
      const blob = await fileBlob(tree, name, { digest, size }).open(Infinity);
      return blob && size !== undefined ? { ...blob, size } : undefined;
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      if (error.code === 'BAD_DIGEST') return this.#damagedEntry(path);
      this.#noteUnreadable(codeOf(error.cause));
      return undefined;
    }
  }

  /** Whether the file of a blob exists, intact or not. */
  async hasBlob(digest: Digest): Promise<boolean> {
    const stats = await stat(this.#blobPath(digest)).catch(() => undefined);
    return stats?.isFile() === true;
  }

  keepBlob(digest: Digest, bytes: Uint8Array): Promise<void> {
    return this.#write(this.#blobPath(digest), (file) => file.writeFile(bytes));
  }

  /** Returns the result of `fill` (false: no such blob); undefined if the cache is not writable. */
  async keepBlobFrom(
    digest: Digest,
    fill: (to: BlobSink) => Promise<boolean>,
  ): Promise<boolean | undefined> {
    let found: boolean | undefined;
    const failures: unknown[] = [];
    await this.#write(this.#blobPath(digest), async (file) => {
      const sink = new FileSink(file);
      try {
        found = await fill(sink);
      } catch (error) {
        if (sink.failure !== undefined) throw sink.failure;
        failures.push(error);
      }
      if (found !== true) throw new NotFilled();
    });
    if (failures.length > 0) throw failures[0];
    return found;
  }

  /** Returns the record of a key, or undefined if it is missing or damaged. */
  async record(kind: RecordKind, key: string): Promise<unknown> {
    const path = this.#recordPath(kind, key);
    const bytes = await this.#read(path);
    if (bytes === undefined) return undefined;
    const text = bytes.toString('utf8');
    const end = text.indexOf('\n');
    const body = text.slice(end + 1);
    if (end > 0 && text.slice(0, end) === sha256(body)) return parseJson(body)?.value;
    // A package can be parsed again, but a registry response cannot be recovered offline.
    if (this.offline && kind !== 'packages') throw damagedOfflineError(path);
    return this.#quarantine(path);
  }

  keepRecord(kind: RecordKind, key: string, answer: object): Promise<void> {
    const body = JSON.stringify(answer);
    const bytes = Buffer.from(`${sha256(body)}\n${body}`);
    return this.#write(this.#recordPath(kind, key), (file) => file.writeFile(bytes));
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
    if (!this.#isWritable) return;
    try {
      this.#sweeping ??= this.#removeLeftovers();
      await this.#sweeping;
      await fillAtomically(path, fill, { temporary: this.#temporary });
    } catch (error) {
      if (error instanceof NotFilled) return;
      // `cache clean` in another process may have removed the folder, which is not a problem.
      if (codeOf(error) === 'ENOENT' && !isAboutFolder(error)) return;
      this.#isWritable = false;
      this.noteOnce(
        `warning: the cache \`${this.folder}\` cannot be written (${codeOf(error)}); going on without keeping what is downloaded`,
      );
    }
  }

  async #removeLeftovers(): Promise<void> {
    for (const folder of [this.#temporary, this.folder]) await removeEndedRunFiles(folder);
  }

  #damagedEntry(path: string): Promise<undefined> {
    if (this.offline) throw damagedOfflineError(path);
    return this.#quarantine(path);
  }

  async #quarantine(path: string): Promise<undefined> {
    this.noteOnce(`warning: \`${path}\` in the cache is damaged; it is put aside and not used`);
    const quarantineFolder = join(this.#root, 'quarantine');
    const name = `${basename(dirname(path))}-${basename(path)}.${randomBytes(4).toString('hex')}`;
    try {
      await makeFolder(quarantineFolder, 0o700);
      await rename(path, join(quarantineFolder, name));
    } catch (error) {
      // The entry stays in place; `#write` will warn that the folder is not writable.
      if (!(error instanceof Error)) throw error;
    }
    return undefined;
  }
}

/** Thrown if the blob is missing or its download failed: the cache is not at fault. */
class NotFilled extends Error {}

/** Whether a folder could not be created, even after the retries of `makeFolder`. */
function isAboutFolder(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'mkdir';
}

function damagedOfflineError(path: string): SourceError {
  return new SourceError('BAD_DIGEST', path, 'this file of the cache is damaged', {
    hint: 'run once without `--offline` to fetch it again, or remove it',
  });
}

export interface CachedTags {
  /** When the registry sent the list, in milliseconds since the epoch. */
  readonly at: number;
  readonly name: string;
  /** undefined if there was no such repository. */
  readonly tags: readonly string[] | undefined;
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
}

/** Returns undefined if the record is not a tag list. */
export function parseCachedTags(record: unknown): CachedTags | undefined {
  const fields = fieldsOf(record);
  const [at, name] = [fields?.get('at'), stringOf(fields?.get('name'))];
  if (fields === undefined || !isTime(at) || name === undefined) return undefined;
  return {
    at,
    name,
    tags: listOf(fields.get('tags'))?.filter((tag) => typeof tag === 'string'),
    etag: stringOf(fields.get('etag')),
    lastModified: stringOf(fields.get('lastModified')),
  };
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && !Number.isNaN(new Date(value).getTime());
}

export type CacheSummary = Awaited<ReturnType<typeof summarizeCache>>;

export type FileTotals = Awaited<ReturnType<typeof totalsIn>>;

export async function summarizeCache(folder: string) {
  const root = join(folder, CACHE_FORMAT);
  return {
    format: CACHE_FORMAT,
    blobs: await totalsIn(join(root, 'blobs', 'sha256')),
    packages: await totalsIn(join(root, 'packages')),
    tagLists: await tagLists(join(root, 'tags')),
    quarantine: await totalsIn(join(root, 'quarantine')),
  };
}

async function totalsIn(folder: string) {
  let [files, bytes] = [0, 0];
  for (const name of await namesIn(folder)) {
    const path = join(folder, name);
    const stats = isUnfinished(name) ? undefined : await stat(path).catch(() => undefined);
    if (stats === undefined) continue;
    files += 1;
    bytes += stats.size;
  }
  return { files, bytes };
}

/** Returns repository names, and when each list was received. */
async function tagLists(folder: string): Promise<readonly Pick<CachedTags, 'name' | 'at'>[]> {
  const lists = [];
  for (const file of await namesIn(folder)) {
    const text = await readFile(join(folder, file), 'utf8').catch(() => '');
    const list = parseCachedTags(parseJson(text.slice(text.indexOf('\n') + 1))?.value);
    if (list !== undefined) lists.push({ name: list.name, at: list.at });
  }
  return lists.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Folders of any version of this tool, including those that are being removed. */
const OWN_FOLDER = /^(?:v\d+|\.v\d+\.[0-9a-f.-]+\.gone)$/;

/** Removes the caches of every version. Folders are renamed first, so that none is seen half. */
export async function removeCache(folder: string): Promise<boolean> {
  const own = (await namesIn(folder)).filter((name) => OWN_FOLDER.test(name));
  for (const name of own) {
    const path = join(folder, name);
    const renamed = name.startsWith('.') ? path : temporaryPathFor(`${path}.${runName()}`, 'gone');
    try {
      if (renamed !== path) await rename(path, renamed);
      await rm(renamed, { recursive: true, force: true });
    } catch (error) {
      // Another process removed it first.
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }
  return own.length > 0;
}
