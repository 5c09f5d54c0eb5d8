import { normalize, resolve } from 'node:path';
import { glob, isDynamicPattern } from 'tinyglobby';
import { codeOf } from '../../../files/error-code.js';
import { InputError } from '../../../model/input-error.js';
import { byCodePoint } from '../../../text/code-point-order.js';
import { fromFolder } from './from-folder.js';
import { SearchedFiles, type LostLinks, type UnreadFolder } from './searched-files.js';

/** Folders that hold files of others; a pattern that names one is taken at its word. */
const NOT_SEARCHED = ['node_modules', '.git'];

/** A hidden name in a pattern, which is taken at its word, too. */
const HIDDEN_NAME = /(?:^|\/)\.[^./]/;

/** The files that a pattern matches and none of `left` does; throws where a folder cannot be read. */
export async function matchFiles(
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
