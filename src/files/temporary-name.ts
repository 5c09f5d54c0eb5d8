import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';

/** Twelve hex digits that no other temporary name has. */
export function temporaryId(): string {
  return randomBytes(6).toString('hex');
}

/** A hidden path beside `path` that no other process uses: `.NAME.0123456789ab.ENDING`. */
export function temporaryBeside(path: string, ending: string): string {
  return temporaryNamed(path, temporaryId(), ending);
}

/** The path that `temporaryBeside` would give, were `id` the one that it chose. */
export function temporaryNamed(path: string, id: string, ending: string): string {
  return join(dirname(path), `.${basename(path)}.${id}.${ending}`);
}

/** Whether `temporaryBeside` made that name for a file called `original`, with one of the endings. */
export function isTemporaryOf(name: string, original: string, endings: readonly string[]): boolean {
  if (!name.startsWith(`.${original}.`)) return false;
  const [unique = '', ...ending] = name.slice(original.length + 2).split('.');
  return /^[0-9a-f]{12}$/.test(unique) && endings.includes(ending.join('.'));
}
