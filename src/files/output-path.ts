import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { InputError } from '../model/input-error.js';
import { isAbsent } from './error-code.js';
import { isWithin } from './journal/journal.js';

/**
 * The path of a file or folder to write, with links followed; `project` is the working folder.
 *
 * Links in a project may come from a stranger, by a pull request: one that leads out of the project
 * is refused. Of a path that the user names outside the project, its folder is what links must not
 * lead out of.
 */
export async function outputPath(path: string, project = dirname(path)): Promise<string> {
  const root = isWithin(path, project) ? project : dirname(path);
  const real = await followed(path);
  if (isWithin(real, await followed(root))) return real;
  throw new InputError(`\`${path}\` is reached by a link and is really \`${real}\``, {
    hint: `links out of \`${root}\` are not written through: remove the link, or name the real path`,
  });
}

/** Links followed as far as the path exists. */
async function followed(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isAbsent(error) || dirname(path) === path) throw error;
  }
  const link = await lstat(path).catch(() => undefined);
  // Another process may have made the file since; only a link can exist and lead nowhere.
  if (link?.isSymbolicLink() !== true) return join(await followed(dirname(path)), basename(path));
  throw new InputError(`\`${path}\` is a link to something that does not exist`, {
    hint: 'make what it points to, or remove the link',
  });
}
