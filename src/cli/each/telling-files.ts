import { lstat, readdir, realpath, stat, type Stats } from 'node:fs';
import type { FileSystemAdapter } from 'tinyglobby';
import { isAbsent } from '../../files/error-code.js';

export interface UnreadFolder {
  readonly path: string;
  readonly error: unknown;
}

type Taking<T> = (error: NodeJS.ErrnoException | null, value: T) => void;

/**
 * The file system for a search that passes over what it cannot read. Here such folders are told of,
 * and a link that leads nowhere is a file, which then cannot be read: a set must not go missing.
 */
export function tellingAll(tell: (folder: UnreadFolder) => void): FileSystemAdapter {
  const adapter = {
    readdir: (path: string, options: { withFileTypes: true }, take: Taking<unknown>) => {
      readdir(path, options, (error, entries) => {
        if (error !== null && !isAbsent(error)) tell({ path, error });
        take(error, entries);
      });
    },
    realpath: (path: string, take: Taking<string>) => {
      realpath(path, (error, real) => take(null, error === null ? real : path));
    },
    stat: (path: string, take: Taking<Stats>) => {
      stat(path, (error, stats) => {
        if (error === null) take(null, stats);
        else lstat(path, take);
      });
    },
  };
  // The cast is safe: the search calls these in no other way (fdir, `api/walker`).
  return adapter as unknown as FileSystemAdapter;
}
