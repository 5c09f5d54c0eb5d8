import { open, stat } from 'node:fs/promises';
import { join, normalize, resolve } from 'node:path';
import { escapePath, glob } from 'tinyglobby';
import { InputError } from '../../../model/input-error.js';
import { isFileSystemError } from '../../../files/error-code.js';
import { byCodePoint } from '../../../text/code-point-order.js';
import { isMarked, MARK_BYTES } from '../../../text/written-mark.js';
import { fromFolder } from './from-folder.js';
import { matchFiles } from './match-files.js';

/**
 * The files that patterns match, each once, by path in code-point order. A pattern that is the name of
 * a file means that file; one that begins with `!` leaves out what it matches.
 */
export async function findSets(
  patterns: readonly string[],
  cwd: string,
): Promise<readonly string[]> {
  const left = await Promise.all(
    patterns
      .filter((each) => each.startsWith('!'))
      .map((each) => literalIfFile(each.slice(1), cwd)),
  );
  const wanted = patterns.filter((each) => !each.startsWith('!'));
  if (wanted.length === 0) {
    throw new InputError('`--each` only says what to leave out', {
      hint: "say what to take as well: `--each 'clusters/*/xpkg.yaml'`",
    });
  }
  /** By full path: a set may be named in several ways. */
  const found = new Map<string, string>();
  let written = 0;
  for (const pattern of wanted) {
    const isNamed = await isFile(resolve(cwd, pattern));
    const matched = isNamed
      ? await unlessLeftOut(pattern, left, cwd)
      : await matchFiles(pattern, left, cwd);
    if (matched.length === 0 && !(await isAnywhere(pattern, cwd))) {
      throw await nothingFound(pattern, cwd);
    }
    const all = isNamed ? matched : await exceptWritten(matched, cwd);
    written += matched.length - all.length;
    for (const file of all) found.set(resolve(cwd, file), fromFolder(cwd, file));
  }
  if (found.size === 0) throw written > 0 ? noneAskedFor() : nothingLeft(patterns);
  return [...found.values()].sort(byCodePoint);
}

/** Files but for those that this tool wrote: lockfiles and rendered files, which are no sets. */
async function exceptWritten(files: readonly string[], cwd: string): Promise<readonly string[]> {
  const isOurs = await Promise.all(files.map((file) => isWritten(resolve(cwd, file))));
  return files.filter((_, i) => !isOurs[i]);
}

/** Whether this tool wrote a file; of one that cannot be read, its set says so. */
async function isWritten(path: string): Promise<boolean> {
  // To open a pipe may never end.
  const file = (await isFile(path)) ? await open(path).catch(() => undefined) : undefined;
  try {
    const read = await file?.read(Buffer.alloc(MARK_BYTES));
    return read !== undefined && isMarked(read.buffer);
  } catch (error) {
    if (!isFileSystemError(error)) throw error;
    return false;
  } finally {
    await file?.close();
  }
}

/** The name of a file as a pattern that matches it alone; a pattern as it is. */
async function literalIfFile(pattern: string, cwd: string): Promise<string> {
  return (await isFile(resolve(cwd, pattern))) ? escapePath(normalize(pattern)) : pattern;
}

/** A file by its name, unless a pattern leaves it out. */
async function unlessLeftOut(
  file: string,
  left: readonly string[],
  cwd: string,
): Promise<readonly string[]> {
  if (left.length === 0) return [file];
  const there = await matchFiles(escapePath(normalize(file)), left, cwd);
  return there.length === 0 ? [] : [file];
}

/** Whether there is what a pattern matches, left out or not. */
async function isAnywhere(pattern: string, cwd: string): Promise<boolean> {
  if (await isFile(resolve(cwd, pattern))) return true;
  try {
    return (await matchFiles(pattern, [], cwd)).length > 0;
  } catch (error) {
    // A folder that cannot be read, and is left out, may hold some.
    if (!(error instanceof InputError)) throw error;
    return true;
  }
}

function noneAskedFor(): InputError {
  return new InputError('every file that `--each` matches was written by xpkg-resolve', {
    hint: "lockfiles and rendered files are no sets: match the files of these, `--each 'clusters/*/xpkg.yaml'`",
  });
}

function nothingLeft(patterns: readonly string[]): InputError {
  const leaving = patterns.filter((each) => each.startsWith('!'));
  const flags = leaving.map((pattern) => `\`--each '${pattern}'\``).join(', ');
  return new InputError('every file that `--each` matches is left out again', {
    hint: `narrow what leaves them out: ${flags}`,
  });
}

async function nothingFound(pattern: string, cwd: string): Promise<InputError> {
  const folders = await glob(pattern, { cwd, onlyDirectories: true, expandDirectories: false });
  const below = join(pattern, 'xpkg.yaml');
  return new InputError(`no file matches \`--each ${pattern}\``, {
    hint:
      folders.length > 0
        ? `it matches folders: write \`--each '${below}'\``
        : `it is read in \`${cwd}\`; \`*\` stands for a name, \`**\` for folders within folders`,
  });
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() === true;
}
