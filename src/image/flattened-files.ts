import { posix } from 'node:path';
import { SourceError } from '../model/source-error.js';
import type { TarEntry } from './archive/tar-entries.js';
import type { Limits } from './limits.js';

const WHITEOUT = '.wh.';

/**
 * The file system that results from all layers, built from the top layer down.
 *
 * The rules are those of go-containerregistry's `mutate.Extract`: the first entry of a path wins, a
 * whiteout or a file also hides every path below its own, and opaque whiteouts have no special
 * meaning.
 */
export class FlattenedFiles {
  /** By path: whether the entry there hides everything below it. */
  readonly #claimed = new Map<string, boolean>();
  readonly #subject: string;
  readonly #limits: Limits;
  #characters = 0;

  constructor(subject: string, limits: Limits) {
    this.#subject = subject;
    this.#limits = limits;
  }

  /** Adds the next entry, in layer and tar order; true: nothing hides it. */
  shows(entry: TarEntry): boolean {
    const base = posix.basename(entry.path);
    const whiteout = base.startsWith(WHITEOUT);
    const folder = entry.type === 'directory';
    const path =
      whiteout && !folder
        ? posix.join(posix.dirname(entry.path), base.slice(WHITEOUT.length))
        : entry.path;
    if (this.#claimed.has(path) || this.#hidden(path)) return false;
    this.#claimed.set(path, whiteout || !folder);
    this.#characters += path.length;
    this.#refuseMany();
    return !whiteout;
  }

  /** What holds for the files of a layer holds for those of all layers together. */
  #refuseMany(): void {
    const { tarEntries, tarNamesChars } = this.#limits;
    if (this.#claimed.size <= tarEntries && this.#characters <= tarNamesChars) return;
    const what = `its layers hold more than ${tarEntries} files, or their names more than ${tarNamesChars} characters`;
    throw new SourceError('TOO_LARGE', this.#subject, what);
  }

  #hidden(path: string): boolean {
    for (let below = path; ;) {
      const folder = posix.dirname(below);
      if (folder === below) return false;
      if (this.#claimed.get(folder) === true) return true;
      below = folder;
    }
  }
}
