import { open, stat } from 'node:fs/promises';
import { isAbsolute, join, normalize, relative, resolve } from 'node:path';
import { escapePath, glob, isDynamicPattern } from 'tinyglobby';
import { InputError } from '../../model/input-error.js';
import { codeOf, isFileSystemError } from '../../files/error-code.js';
import { byCodePoint } from '../../text/code-point-order.js';
import { WRITTEN_MARK } from '../../text/written-mark.js';
import { SearchedFiles, type LostLinks, type UnreadFolder } from './searched-files.js';

/** Folders that hold files of others; a pattern that names one is taken at its word. */
const NOT_SEARCHED = ['node_modules', '.git'];

/** A hidden name in a pattern, which is taken at its word, too. */
const HIDDEN_NAME = /(?:^|\/)\.[^./]/;

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
      : await matching(pattern, left, cwd);
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
  const isWritten = await Promise.all(
    files.map((file) => beginsWith(resolve(cwd, file), WRITTEN_MARK)),
  );
  return files.filter((_, i) => !isWritten[i]);
}

/** Whether a file begins so; one that cannot be read does not. */
async function beginsWith(path: string, text: string): Promise<boolean> {
  // To open a pipe may never end.
  if (!(await isFile(path))) return false;
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return false;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Buffer.byteLength(text)));
    return buffer.toString('utf8', 0, bytesRead) === text;
  } catch (error) {
    if (!isFileSystemError(error)) throw error;
    return false;
  } finally {
    await file.close();
  }
}

/** A path below a folder as seen from there; any other as it is. */
function fromFolder(folder: string, path: string): string {
  const below = relative(folder, resolve(folder, path));
  return below.startsWith('..') || isAbsolute(below) ? normalize(path) : below;
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
  const there = await matching(escapePath(normalize(file)), left, cwd);
  return there.length === 0 ? [] : [file];
}

/** Whether there is what a pattern matches, left out or not. */
async function isAnywhere(pattern: string, cwd: string): Promise<boolean> {
  if (await isFile(resolve(cwd, pattern))) return true;
  try {
    return (await matching(pattern, [], cwd)).length > 0;
  } catch (error) {
    // A folder that cannot be read, and is left out, may hold some.
    if (!(error instanceof InputError)) throw error;
    return true;
  }
}

async function matching(
  pattern: string,
  left: readonly string[],
  cwd: string,
): Promise<readonly string[]> {
  const skipped = NOT_SEARCHED.filter((name) => !pattern.includes(name));
  const ignore = [...left, ...skipped.map((name) => `**/${name}/**`)];
  const search = async (lostLinks: LostLinks) => {
    const seen = new SearchedFiles(lostLinks, skipped);
    const dot = HIDDEN_NAME.test(pattern);
    const options = { cwd, ignore, dot, expandDirectories: false, fs: seen.adapter };
    return { files: await glob(pattern, options), seen };
  };
  const { files, seen } = await search('files');
  const unread = [...seen.unread];
  // Such a link may have led to a folder of sets; below `**`, to anything.
  if (seen.isLinkLost && !pattern.includes('**')) {
    const asFiles = new Set(files.map((file) => resolve(cwd, file)));
    const { seen: again } = await search('folders');
    unread.push(...again.unread.filter(({ path }) => !asFiles.has(resolve(cwd, path))));
  }
  const [first] = unread.sort((a, b) => byCodePoint(a.path, b.path));
  if (first !== undefined) throw cannotSearch(first, cwd);
  const hidden = pattern.split('/').filter((name) => name.startsWith('.'));
  return files.filter((file) => namesHidden(file, hidden));
}

/** Whether a path has no hidden names but these, which `*` does not stand for. */
function namesHidden(path: string, hidden: readonly string[]): boolean {
  if (hidden.some((name) => isDynamicPattern(name))) return true;
  return path.split('/').every((name) => !/^\.[^.]/.test(name) || hidden.includes(name));
}

function cannotSearch({ path, error }: UnreadFolder, cwd: string): InputError {
  const folder = fromFolder(cwd, normalize(`${path}/`)).replace(/\/$/, '');
  return new InputError(`cannot look for sets in \`${folder}\` (${codeOf(error)})`, {
    cause: error,
    hint: `make it readable, or leave it out: \`--each '!${folder}/**'\``,
  });
}

function noneAskedFor(): InputError {
  return new InputError('every file that `--each` matches was written by xpkg-resolve', {
    hint: "lockfiles and rendered files are no sets: match those, `--each 'clusters/*/xpkg.yaml'`",
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
