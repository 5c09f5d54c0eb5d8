import { stat } from 'node:fs/promises';
import { isAbsolute, join, normalize, relative, resolve } from 'node:path';
import { escapePath, glob } from 'tinyglobby';
import { InputError } from '../../model/input-error.js';
import { codeOf } from '../../files/error-code.js';
import { byCodePoint } from '../../text/code-point-order.js';
import { tellingAll, type UnreadFolder } from './telling-files.js';

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
  for (const pattern of wanted) {
    const all = (await isFile(resolve(cwd, pattern)))
      ? await unlessLeftOut(pattern, left, cwd)
      : await matching(pattern, left, cwd);
    if (all.length === 0 && !(await isAnywhere(pattern, cwd))) {
      throw await nothingFound(pattern, cwd);
    }
    for (const file of all) found.set(resolve(cwd, file), fromFolder(cwd, file));
  }
  if (found.size === 0) throw nothingLeft(patterns);
  return [...found.values()].sort(byCodePoint);
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
  return (await isFile(resolve(cwd, pattern))) || (await matching(pattern, [], cwd)).length > 0;
}

async function matching(
  pattern: string,
  left: readonly string[],
  cwd: string,
): Promise<readonly string[]> {
  const skipped = NOT_SEARCHED.filter((name) => !pattern.includes(name));
  const ignore = [...left, ...skipped.map((name) => `**/${name}/**`)];
  const unread: UnreadFolder[] = [];
  const fs = tellingAll((folder) => unread.push(folder));
  const dot = HIDDEN_NAME.test(pattern);
  const files = await glob(pattern, { cwd, ignore, dot, expandDirectories: false, fs });
  const [first] = unread.sort((a, b) => byCodePoint(a.path, b.path));
  if (first !== undefined) throw cannotSearch(first, cwd);
  return files;
}

function cannotSearch({ path, error }: UnreadFolder, cwd: string): InputError {
  const folder = fromFolder(cwd, normalize(`${path}/`)).replace(/\/$/, '');
  return new InputError(`cannot look for sets in \`${folder}\` (${codeOf(error)})`, {
    cause: error,
    hint: `make it readable, or leave it out: \`--each '!${folder}/**'\``,
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
