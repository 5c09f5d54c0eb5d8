import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Origin } from '../../../model/package.js';
import type { Io } from '../../io/io.js';

/** Where a lockfile speaks of a package, or of the set; `named` is its path as the user writes it. */
export class LockPlaces {
  readonly #named: string;
  readonly #lines: ReadonlyMap<string, number>;

  /** `text` of the lockfile; undefined: it is not at hand. */
  constructor(named: string, text: string | undefined) {
    this.#named = named;
    this.#lines = linesOfPackages(text ?? '');
  }

  /** Of the lockfile of that name; without one that can be read, every place is its first line. */
  static async read(named: string, { cwd }: Pick<Io, 'cwd'>): Promise<LockPlaces> {
    const text = await readFile(resolve(cwd, named), 'utf8').catch(() => undefined);
    return new LockPlaces(named, text);
  }

  /** The line that names a package; of the set, or of a package that is not in it, the first. */
  of(repository: string | undefined): Origin {
    const line = repository === undefined ? undefined : this.#lines.get(repository);
    return { file: this.#named, line: line ?? 1 };
  }
}

/** Blocks of packages begin as `format-lockfile.ts` writes them. */
const BLOCK = /^ *- source: (?:"([^"]*)"|(\S+))\s*$/;

function linesOfPackages(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  for (const [i, line] of text.split('\n').entries()) {
    const [, quoted, plain] = BLOCK.exec(line) ?? [];
    const repository = quoted ?? plain;
    if (repository !== undefined && !lines.has(repository)) lines.set(repository, i + 1);
  }
  return lines;
}
