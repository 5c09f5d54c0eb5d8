import { lstat, readdir, realpath, stat as statWithCallback, type Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename, isAbsolute, join, normalize, relative, resolve } from 'node:path';
import { escapePath, type FileSystemAdapter, glob, isDynamicPattern } from 'tinyglobby';
import { byCodePoint } from '../../base/collections.js';
import { InputError } from '../../base/errors.js';
import { shellWord } from '../../base/escape.js';
import { codeOf, isAbsent, isFileSystemError } from '../../base/files/file-system.js';
import { hasWrittenMark, MARK_BYTES } from '../../base/yaml/write-yaml.js';

/** Returns the files that patterns match, sorted. A pattern that begins with `!` excludes files. */
export async function findProjectFiles(
  patterns: readonly string[],
  cwd: string,
): Promise<readonly string[]> {
  const excluded = patterns.filter((each) => each.startsWith('!'));
  const exclusions: string[] = [];
  for (const pattern of excluded.map((each) => each.slice(1))) {
    // The name of a file excludes that file alone.
    const isNamed = await isFile(resolve(cwd, pattern));
    exclusions.push(isNamed ? escapePath(normalize(pattern)) : pattern);
  }
  const wanted = patterns.filter((each) => !each.startsWith('!'));
  if (wanted.length === 0) {
    throw new InputError('`--each` only says what to leave out', {
      hint: "say what to take as well: `--each 'clusters/*/xpkg.yaml'`",
    });
  }
  /** By full path, because a project can be named in several ways. */
  const found = new Map<string, string>();
  let written = 0;
  for (const pattern of wanted) {
    const isNamed = await isFile(resolve(cwd, pattern));
    const matched = isNamed
      ? await unlessExcluded(pattern, exclusions, cwd)
      : await matchFiles(pattern, exclusions, cwd);
    if (matched.length === 0 && !isNamed && !(await matchesAnything(pattern, cwd))) {
      throw await nothingFoundError(pattern, cwd);
    }
    const all = isNamed ? matched : await exceptWritten(matched, cwd);
    written += matched.length - all.length;
    for (const file of all) found.set(resolve(cwd, file), fromFolder(cwd, file));
  }
  if (found.size === 0 && written > 0) {
    throw new InputError('every file that `--each` matches was written by xpkg-resolve', {
      hint: "lockfiles and rendered files are no sets: match the files of these, `--each 'clusters/*/xpkg.yaml'`",
    });
  }
  if (found.size === 0) {
    const flags = excluded.map((pattern) => `\`--each ${shellWord(pattern)}\``).join(', ');
    throw new InputError('every file that `--each` matches is left out again', {
      hint: `narrow what leaves them out: ${flags}`,
    });
  }
  return [...found.values()].sort(byCodePoint);
}

/** Removes files that this tool wrote: lockfiles and rendered files are no inputs. */
async function exceptWritten(files: readonly string[], cwd: string): Promise<readonly string[]> {
  const areWritten = await Promise.all(files.map((file) => isWritten(resolve(cwd, file))));
  return files.filter((_, i) => !areWritten[i]);
}

/** Returns whether this tool wrote a file. False for an unreadable file, which fails when its project runs. */
async function isWritten(path: string): Promise<boolean> {
  // Opening a pipe may block forever.
  const file = (await isFile(path)) ? await open(path).catch(() => undefined) : undefined;
  try {
    const read = await file?.read(Buffer.alloc(MARK_BYTES));
    return read !== undefined && hasWrittenMark(read.buffer);
  } catch (error) {
    if (!isFileSystemError(error)) throw error;
    return false;
  } finally {
    await file?.close();
  }
}

/** Returns a file by its name, unless a pattern excludes it. */
async function unlessExcluded(
  file: string,
  exclusions: readonly string[],
  cwd: string,
): Promise<readonly string[]> {
  if (exclusions.length === 0) return [file];
  const matching = await matchFiles(escapePath(normalize(file)), exclusions, cwd);
  return matching.length === 0 ? [] : [file];
}

/** Returns whether a pattern matches anything, excluded or not. */
async function matchesAnything(pattern: string, cwd: string): Promise<boolean> {
  try {
    return (await matchFiles(pattern, [], cwd)).length > 0;
  } catch (error) {
    // An unreadable folder, which is excluded, may have matching files.
    if (!(error instanceof InputError)) throw error;
    return true;
  }
}

async function nothingFoundError(pattern: string, cwd: string): Promise<InputError> {
  const folders = await glob(pattern, { cwd, onlyDirectories: true, expandDirectories: false });
  const below = join(pattern, 'xpkg.yaml');
  return new InputError(`no file matches \`--each ${pattern}\``, {
    hint:
      folders.length > 0
        ? `it matches folders: write \`--each ${shellWord(below)}\``
        : `it is read in \`${cwd}\`; \`*\` stands for a name, \`**\` for folders within folders`,
  });
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() === true;
}

/** Folders with foreign files. A pattern that names one still matches. */
const NOT_SEARCHED = ['node_modules', '.git'];

/** A hidden name in a pattern. It is matched as written. */
const HIDDEN_NAME = /(?:^|\/)\.[^./]/;

/** Returns the files that the pattern matches and no excluded pattern does. Throws if a folder cannot be read. */
async function matchFiles(
  pattern: string,
  exclusions: readonly string[],
  cwd: string,
): Promise<readonly string[]> {
  const skipped = NOT_SEARCHED.filter((name) => !pattern.includes(name));
  const ignore = [...exclusions, ...skipped.map((name) => `**/${name}/**`)];
  const search = async (lostLinks: LostLinks) => {
    const { adapter, unread, lost } = recordingFileSystem(lostLinks, skipped);
    const dot = HIDDEN_NAME.test(pattern);
    const options = { cwd, ignore, dot, expandDirectories: false, fs: adapter };
    return { files: await glob(pattern, options), unread, isLinkLost: lost.size > 0 };
  };
  const { files, unread, isLinkLost } = await search('files');
  // A broken link may have led to a folder with projects; below `**`, to anything.
  if (isLinkLost && !pattern.includes('**')) {
    const asFiles = new Set(files.map((file) => resolve(cwd, file)));
    const again = await search('folders');
    unread.push(...again.unread.filter(({ path }) => !asFiles.has(resolve(cwd, path))));
  }
  const [first] = unread.sort((a, b) => byCodePoint(a.path, b.path));
  if (first !== undefined) throw cannotSearchError(first, cwd);
  const hidden = pattern.split('/').filter((name) => name.startsWith('.'));
  return files.filter((file) => namesHidden(file, hidden));
}

/** Returns whether the pattern names every hidden name in a path; `*` does not match hidden names. */
function namesHidden(path: string, hidden: readonly string[]): boolean {
  if (hidden.some((name) => isDynamicPattern(name))) return true;
  return path.split('/').every((name) => !/^\.[^.]/.test(name) || hidden.includes(name));
}

function cannotSearchError({ path, error }: UnreadFolder, cwd: string): InputError {
  const folder = fromFolder(cwd, normalize(`${path}/`)).replace(/\/$/, '');
  return new InputError(`cannot look for sets in \`${folder}\` (${codeOf(error)})`, {
    cause: error,
    hint: `make it readable, or leave it out: \`--each '!${folder}/**'\``,
  });
}

interface UnreadFolder {
  readonly path: string;
  readonly error: unknown;
}

/** The kinds of a broken link: a file or a folder. */
type LostLinks = 'files' | 'folders';

type FsCallback<T> = (error: NodeJS.ErrnoException | null, value: T) => void;

/**
 * A file system that records unreadable folders and broken links, which the search ignores.
 * Folders named `skipped` are treated as empty.
 */
function recordingFileSystem(lostLinks: LostLinks, skipped: readonly string[]) {
  const unread: UnreadFolder[] = [];
  const lostLinkPaths = new Set<string>();
  const adapter = {
    readdir: (path: string, options: { withFileTypes: true }, take: FsCallback<unknown>) => {
      if (skipped.includes(basename(path))) return take(null, []);
      return readdir(path, options, (error, entries) => {
        const isLost = lostLinkPaths.has(path.replace(/\/$/, ''));
        if (error !== null && (isLost || !isAbsent(error))) unread.push({ path, error });
        take(error, entries);
      });
    },
    realpath: (path: string, take: FsCallback<string>) => {
      realpath(path, (error, real) => {
        if (error !== null) lostLinkPaths.add(path);
        take(null, error === null ? real : path);
      });
    },
    stat: (path: string, take: FsCallback<Stats>) => {
      statWithCallback(path, (error, stats) => {
        if (error === null) take(null, stats);
        else if (lostLinks === 'files') lstat(path, take);
        else lstat(path, (failed, link) => take(failed, failed === null ? asFolder(link) : link));
      });
    },
  };
  // The cast is safe: the search calls these in no other way (fdir, `api/walker`).
  return { unread, lost: lostLinkPaths, adapter: adapter as unknown as FileSystemAdapter };
}

function asFolder(link: Stats): Stats {
  return Object.assign(link, { isDirectory: () => true });
}

/** Returns a path below a folder relative to it; other paths are unchanged. */
function fromFolder(folder: string, path: string): string {
  const below = relative(folder, resolve(folder, path));
  return below.startsWith('..') || isAbsolute(below) ? normalize(path) : below;
}
