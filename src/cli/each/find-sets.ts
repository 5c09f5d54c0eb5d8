import { stat } from 'node:fs/promises';
import { join, normalize, resolve } from 'node:path';
import { glob } from 'tinyglobby';
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
  const left = patterns.filter((each) => each.startsWith('!')).map((each) => each.slice(1));
  const wanted = patterns.filter((each) => !each.startsWith('!'));
  if (wanted.length === 0) {
    throw new InputError('`--each` only says what to leave out', {
      hint: "say what to take as well: `--each 'clusters/*/xpkg.yaml'`",
    });
  }
  const found = new Set<string>();
  for (const pattern of wanted) {
    const files = (await isFile(resolve(cwd, pattern)))
      ? [pattern]
      : await matching(pattern, left, cwd);
    if (files.length === 0) throw await nothingFound(pattern, cwd);
    for (const file of files) found.add(normalize(file));
  }
  return [...found].sort(byCodePoint);
}

function matching(pattern: string, left: readonly string[], cwd: string): Promise<string[]> {
  const skipped = NOT_SEARCHED.filter((name) => !pattern.includes(name));
  const ignore = [...left, ...skipped.map((name) => `**/${name}/**`)];
  return glob(pattern, { cwd, ignore, expandDirectories: false });
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
