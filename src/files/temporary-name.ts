import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';

/** A hidden path beside `path` that no other process uses: `.NAME.0123456789ab.ENDING`. */
export function temporaryBeside(path: string, ending: string): string {
  const unique = randomBytes(6).toString('hex');
  return join(dirname(path), `.${basename(path)}.${unique}.${ending}`);
}

/** Whether `temporaryBeside` made that name for a file called `original`, with one of the endings. */
export function isTemporaryOf(name: string, original: string, endings: readonly string[]): boolean {
  if (!name.startsWith(`.${original}.`)) return false;
  const [unique = '', ...ending] = name.slice(original.length + 2).split('.');
  return /^[0-9a-f]{12}$/.test(unique) && endings.includes(ending.join('.'));
}
