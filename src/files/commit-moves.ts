import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from './sync-folder.js';

/** One rename of a commit. */
export interface FileMove {
  readonly from: string;
  readonly to: string;
  /** A second name of what `to` was before; undefined: there was nothing. */
  readonly backup?: string | undefined;
}

/** The move that failed; those before it have been undone. */
interface FailedMove {
  /** Its place in the list. */
  readonly index: number;
  readonly error: unknown;
}

/**
 * Puts files and folders that are complete and on the disk in their places: all of them or, should
 * one rename fail, none.
 *
 * The one place where a set of changes becomes visible. Callers hold the lock of the folders and
 * hold signals back. A process killed in here leaves the first moves done and the rest undone; the
 * list of moves is all that is needed to finish or to undo it.
 */
export async function commitMoves(moves: readonly FileMove[]): Promise<FailedMove | undefined> {
  for (const [index, { from, to }] of moves.entries()) {
    try {
      await rename(from, to);
    } catch (error) {
      for (const move of moves.slice(0, index).reverse()) await undo(move);
      return { index, error };
    }
  }
  for (const folder of new Set(moves.map(({ to }) => dirname(to)))) await syncFolder(folder);
  return undefined;
}

function undo({ from, to, backup }: FileMove): Promise<void> {
  return backup === undefined ? rename(to, from) : rename(backup, to);
}
