import { stat } from 'node:fs/promises';
import { join, normalize, resolve } from 'node:path';
import { escapePath, glob } from 'tinyglobby';
import { InputError } from '../../model/input-error.js';
import { byCodePoint } from '../../text/code-point-order.js';

/** Folders that hold files of others; a pattern that names one is taken at its word. */
const NOT_SEARCHED = ['node_modules', '.git'];

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
  const found = new Set<string>();
  for (const pattern of wanted) {
    const all = (await isFile(resolve(cwd, pattern)))
      ? await unlessLeftOut(pattern, left, cwd)
      : await matching(pattern, left, cwd);
    if (all.length === 0 && !(await isAnywhere(pattern, cwd))) {
      throw await nothingFound(pattern, cwd);
    }
    for (const file of all) found.add(normalize(file));
  }
  if (found.size === 0) throw nothingLeft(patterns);
  return [...found].sort(byCodePoint);
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

function matching(pattern: string, left: readonly string[], cwd: string): Promise<string[]> {
  const skipped = NOT_SEARCHED.filter((name) => !pattern.includes(name));
  const ignore = [...left, ...skipped.map((name) => `**/${name}/**`)];
  return glob(pattern, { cwd, ignore, expandDirectories: false });
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
