import { lstat, open, readFile, type FileHandle } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { InputError } from '../errors.js';
import { isDigest, type Digest } from '../digest.js';
import { fieldsOf, listOf, parseJson, stringOf } from '../json.js';
import { isAbsent } from './file-system.js';
import { temporaryPathFor } from './atomic-file.js';

export const JOURNAL_NAME = '.xpkg-resolve.journal';

const MAX_JOURNAL_BYTES = 1024 * 1024;
const COMMIT_LINE = 'commit\n';
const ID = /^[0-9a-f]{12}$/;

/** One file that a transaction writes, replaces or removes. */
export interface PlannedChange {
  readonly path: string;
  /** Digest of the old content; undefined if there is no such file. */
  readonly was: Digest | undefined;
  /** Digest of the new content; undefined if the file is removed. */
  readonly becomes: Digest | undefined;
  /** Part of the names of its two temporary files. */
  readonly id: string;
}

export interface Plan {
  readonly home: string;
  /** Text of the lock in `home`; locks in other folders begin with it. */
  readonly holder: string;
  readonly changes: readonly PlannedChange[];
  /** Folders that do not exist yet, outermost first. */
  readonly folders: readonly string[];
  /** Locked folders other than `home`. */
  readonly locked: readonly string[];
}

/** Returns the path of the new content until it is renamed into place. */
export function newContentPath({ path, id }: PlannedChange): string {
  return temporaryPathFor(path, 'new', id);
}

export function backupPath({ path, id }: PlannedChange): string {
  return temporaryPathFor(path, 'old', id);
}

interface FoundJournal {
  /** undefined if the process was killed before the plan was complete. */
  readonly plan: Plan | undefined;
  /** All new files are on disk, and some may be renamed into place. */
  readonly committed: boolean;
}

/**
 * Writes the journal of a transaction. The journal is on disk before anything that it names.
 *
 * The first line is the plan in JSON. The second line, `commit`, states that all new files are on
 * disk and that the renames begin. An incomplete line counts as missing.
 */
export class JournalWriter {
  readonly #file: FileHandle;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  static async begin(plan: Plan): Promise<JournalWriter> {
    const file = await open(join(plan.home, JOURNAL_NAME), 'ax');
    try {
      await file.writeFile(`${JSON.stringify(serializePlan(plan))}\n`);
      await file.sync();
    } catch (error) {
      await file.close();
      throw error;
    }
    return new JournalWriter(file);
  }

  async commit(): Promise<void> {
    await this.#file.writeFile(COMMIT_LINE);
    await this.#file.sync();
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/** Reads the journal in a folder. Returns undefined if there is none. */
export async function readJournal(home: string): Promise<FoundJournal | undefined> {
  const path = join(home, JOURNAL_NAME);
  try {
    const found = await lstat(path);
    if (!found.isFile() || found.size > MAX_JOURNAL_BYTES) {
      throw new InputError(`\`${path}\` is not a file that xpkg-resolve wrote`, {
        hint: 'xpkg-resolve keeps its journal under that name: remove it, and run again',
      });
    }
    const [line = '', ...rest] = (await readFile(path, 'utf8')).split('\n');
    const plan = rest.length === 0 ? undefined : parsePlan(parseJson(line)?.value, home);
    return { plan, committed: rest.join('\n') === COMMIT_LINE };
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Paths are relative to the folder of the journal, which may be mounted elsewhere at recovery. */
function serializePlan({ home, holder, changes, folders, locked }: Plan): object {
  return {
    format: 1,
    holder,
    changes: changes.map((change) => ({ ...change, path: relative(home, change.path) })),
    folders: folders.map((folder) => relative(home, folder)),
    locked: locked.map((folder) => relative(home, folder)),
  };
}

/** Parses a plan and validates it. A journal is untrusted: it may come with a repository. */
function parsePlan(value: unknown, home: string): Plan | undefined {
  const fields = fieldsOf(value);
  const holder = stringOf(fields?.get('holder'));
  const changes = listOf(fields?.get('changes'))?.map((change) => parseChange(change, home));
  const folders = parsePaths(fields?.get('folders'), home);
  const locked = parsePaths(fields?.get('locked'), home);
  if (fields?.get('format') !== 1 || holder === undefined) return undefined;
  if (changes === undefined || !changes.every((change) => change !== undefined)) return undefined;
  if (folders === undefined || locked === undefined) return undefined;
  const holdsOutput = (folder: string) =>
    changes.some(({ path }) => isWithin(dirname(path), folder));
  return { home, holder, changes, folders: folders.filter(holdsOutput), locked };
}

function parseChange(value: unknown, home: string): PlannedChange | undefined {
  const fields = fieldsOf(value);
  const path = parsePath(fields?.get('path'), home);
  const id = stringOf(fields?.get('id'));
  if (path === undefined || id === undefined || !ID.test(id)) return undefined;
  const [was, becomes] = ['was', 'becomes'].map((name) => stringOf(fields?.get(name)));
  if (was !== undefined && !isDigest(was)) return undefined;
  if (becomes !== undefined && !isDigest(becomes)) return undefined;
  return { path, id, was, becomes };
}

function parsePaths(value: unknown, home: string): readonly string[] | undefined {
  const paths = listOf(value)?.map((path) => parsePath(path, home));
  return paths?.every((path) => path !== undefined) === true ? paths : undefined;
}

function parsePath(value: unknown, home: string): string | undefined {
  const text = stringOf(value);
  if (text === undefined || text === '' || isAbsolute(text) || text.includes('\0'))
    return undefined;
  return resolve(home, text);
}

/** Whether a path is `folder` or below it, by name. Does not follow links. */
export function isWithin(path: string, folder: string): boolean {
  const between = relative(folder, path);
  return between === '' || (!/^\.\.(?:[/\\]|$)/.test(between) && !isAbsolute(between));
}
