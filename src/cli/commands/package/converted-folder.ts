import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CONVERTED_MARK } from '../../../convert/convert-package.js';
import { cannotWrite } from '../../../files/cannot-write.js';
import { isAbsent } from '../../../files/error-code.js';
import { InputError } from '../../../model/input-error.js';

/**
 * The files of an earlier conversion in a folder, by path below it; none: the folder is empty, or is
 * not there. A folder with anything else in it is refused.
 */
export async function convertedFolder(folder: string, shown: string): Promise<readonly string[]> {
  try {
    const names = await namesIn(folder);
    for (const name of names) {
      if (await isConverted(join(folder, name))) continue;
      throw new InputError(`\`${join(shown, name)}\` was not written by \`convert\``, {
        hint: 'name a new folder with `--out`: one that holds anything else is left as it is',
      });
    }
    return names;
  } catch (error) {
    throw error instanceof InputError ? error : cannotWrite(folder, error);
  }
}

async function namesIn(folder: string, below = ''): Promise<string[]> {
  const names: string[] = [];
  for (const entry of await entriesOf(join(folder, below))) {
    const name = join(below, entry.name);
    if (entry.isDirectory()) names.push(...(await namesIn(folder, name)));
    else names.push(name);
  }
  return names.sort();
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

async function isConverted(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    if (!(await file.stat()).isFile()) return false;
    const { buffer } = await file.read(Buffer.alloc(CONVERTED_MARK.length), 0);
    return buffer.toString('utf8') === CONVERTED_MARK;
  } finally {
    await file.close();
  }
}
