import { lstat, open, readFile, type FileHandle } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { InputError } from '../../model/input-error.js';
import { isDigest, type Digest } from '../../text/digest.js';
import { fieldsOf, listOf, parseJson, stringOf } from '../../text/json.js';
import { isAbsent } from '../error-code.js';
import { temporaryNamed } from '../temporary-name.js';

export const JOURNAL_NAME = '.xpkg-resolve.journal';

const MAX_JOURNAL_BYTES = 1024 * 1024;
const COMMIT_LINE = 'commit\n';
const ID = /^[0-9a-f]{12}$/;

/** One file that a transaction writes, replaces or removes. */
export interface PlannedChange {
  readonly path: string;
  /** Digest of its content before; undefined: there is no such file. */
  readonly was: Digest | undefined;
  /** Digest of its content after; undefined: it is removed. */
  readonly becomes: Digest | undefined;
  /** In the names of the two temporary files beside it. */
  readonly id: string;
}

/** Everything that a transaction makes and moves. */
export interface Plan {
  /** The folder that holds the journal. */
  readonly home: string;
  /** Text of the lock in `home`; locks in other folders begin with it. */
  readonly holder: string;
  readonly changes: readonly PlannedChange[];
  /** Folders that do not exist yet, outermost first. */
  readonly folders: readonly string[];
  /** Folders that are locked beside `home`. */
  readonly locked: readonly string[];
}

/** The new content of a file, until it is moved into place. */
export function freshOf({ path, id }: PlannedChange): string {
  return temporaryNamed(path, id, 'new');
}

/** The old content of a file under a second name, until the transaction is over. */
export function backupOf({ path, id }: PlannedChange): string {
  return temporaryNamed(path, id, 'old');
}

/** What a journal says. */
interface FoundJournal {
  /** undefined: its process was killed while it wrote the plan, before it made anything else. */
  readonly plan: Plan | undefined;
  /** All new files are on the disk, and some may be in place. */
  readonly committed: boolean;
}

/**
 * The record of a transaction under way, on the disk before anything that it names.
 *
 * A line of JSON says what will be made; a second line, `commit`, that everything is made and that
 * the renames begin. A torn line counts as missing.
 */
export class JournalWriter {
  readonly #file: FileHandle;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  static async begin(plan: Plan): Promise<JournalWriter> {
    const file = await open(join(plan.home, JOURNAL_NAME), 'ax');
    try {
      await file.writeFile(`${JSON.stringify(written(plan))}\n`);
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

/** The journal in a folder; undefined: there is none. */
export async function readJournal(home: string): Promise<FoundJournal | undefined> {
  const path = join(home, JOURNAL_NAME);
  try {
    const found = await lstat(path);
    if (!found.isFile() || found.size > MAX_JOURNAL_BYTES) throw notOurs(path);
    const [line = '', ...rest] = (await readFile(path, 'utf8')).split('\n');
    const plan = rest.length === 0 ? undefined : planFrom(parseJson(line)?.value, home);
    return { plan, committed: rest.join('\n') === COMMIT_LINE };
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

function notOurs(path: string): InputError {
  return new InputError(`\`${path}\` is not a file that xpkg-resolve wrote`, {
    hint: 'xpkg-resolve keeps its journal under that name: remove it, and run again',
  });
}

/** Paths are relative to the folder of the journal: it may be mounted elsewhere by then. */
function written({ home, holder, changes, folders, locked }: Plan): object {
  return {
    format: 1,
    holder,
    changes: changes.map((change) => ({ ...change, path: relative(home, change.path) })),
    folders: folders.map((folder) => relative(home, folder)),
    locked: locked.map((folder) => relative(home, folder)),
  };
}

/** A journal may come from a stranger, in a repository: what it says is checked. */
function planFrom(value: unknown, home: string): Plan | undefined {
  const fields = fieldsOf(value);
  const holder = stringOf(fields?.get('holder'));
  const changes = listOf(fields?.get('changes'))?.map((change) => changeFrom(change, home));
  const folders = pathsFrom(fields?.get('folders'), home);
  const locked = pathsFrom(fields?.get('locked'), home);
  if (fields?.get('format') !== 1 || holder === undefined) return undefined;
  if (changes === undefined || !changes.every((change) => change !== undefined)) return undefined;
  if (folders === undefined || locked === undefined) return undefined;
  const holdsOutput = (folder: string) =>
    changes.some(({ path }) => isWithin(dirname(path), folder));
  return { home, holder, changes, folders: folders.filter(holdsOutput), locked };
}

function changeFrom(value: unknown, home: string): PlannedChange | undefined {
  const fields = fieldsOf(value);
  const path = pathFrom(fields?.get('path'), home);
  const id = stringOf(fields?.get('id'));
  if (path === undefined || id === undefined || !ID.test(id)) return undefined;
  const [was, becomes] = ['was', 'becomes'].map((name) => stringOf(fields?.get(name)));
  if (was !== undefined && !isDigest(was)) return undefined;
  if (becomes !== undefined && !isDigest(becomes)) return undefined;
  return { path, id, was, becomes };
}

function pathsFrom(value: unknown, home: string): readonly string[] | undefined {
  const paths = listOf(value)?.map((path) => pathFrom(path, home));
  return paths?.every((path) => path !== undefined) === true ? paths : undefined;
}

function pathFrom(value: unknown, home: string): string | undefined {
  const text = stringOf(value);
  if (text === undefined || text === '' || isAbsolute(text) || text.includes('\0'))
    return undefined;
  return resolve(home, text);
}

/** Whether a path is a folder or below it, by their names alone. */
export function isWithin(path: string, folder: string): boolean {
  const between = relative(folder, path);
  return between === '' || (!/^\.\.(?:[/\\]|$)/.test(between) && !isAbsolute(between));
}
