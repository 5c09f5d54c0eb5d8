import { lstat, readdir, realpath, stat, type Stats } from 'node:fs';
import { basename } from 'node:path';
import type { FileSystemAdapter } from 'tinyglobby';
import { isAbsent } from '../../../files/error-code.js';

export interface UnreadFolder {
  readonly path: string;
  readonly error: unknown;
}

/** What links that lead nowhere are taken for: either may have been meant. */
export type LostLinks = 'files' | 'folders';

type Taking<T> = (error: NodeJS.ErrnoException | null, value: T) => void;

/**
 * The file system as a search sees it. The search itself passes over what it cannot read; here such
 * folders are kept, and links that lead nowhere are found, lest a set goes missing.
 */
export class SearchedFiles {
  readonly unread: UnreadFolder[] = [];
  readonly #lostLinks: LostLinks;
  readonly #skipped: readonly string[];
  readonly #lost = new Set<string>();

  /** Folders named `skipped` are taken to be empty. */
  constructor(lostLinks: LostLinks, skipped: readonly string[]) {
    this.#lostLinks = lostLinks;
    this.#skipped = skipped;
  }

  get isLinkLost(): boolean {
    return this.#lost.size > 0;
  }

  get adapter(): FileSystemAdapter {
    const adapter = {
      readdir: (path: string, options: { withFileTypes: true }, take: Taking<unknown>) => {
        if (this.#skipped.includes(basename(path))) return take(null, []);
        return readdir(path, options, (error, entries) => {
          const isLost = this.#lost.has(path.replace(/\/$/, ''));
          if (error !== null && (isLost || !isAbsent(error))) this.unread.push({ path, error });
          take(error, entries);
        });
      },
      realpath: (path: string, take: Taking<string>) => {
        realpath(path, (error, real) => {
          if (error !== null) this.#lost.add(path);
          take(null, error === null ? real : path);
        });
      },
      stat: (path: string, take: Taking<Stats>) => {
        stat(path, (error, stats) => {
          if (error === null) take(null, stats);
          else if (this.#lostLinks === 'files') lstat(path, take);
          else lstat(path, (failed, link) => take(failed, failed === null ? asFolder(link) : link));
        });
      },
    };
    // The cast is safe: the search calls these in no other way (fdir, `api/walker`).
    return adapter as unknown as FileSystemAdapter;
  }
}

function asFolder(link: Stats): Stats {
  return Object.assign(link, { isDirectory: () => true });
}
