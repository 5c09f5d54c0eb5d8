import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { InputError } from '../../model/input-error.js';
import type { Io } from './io.js';

/** Variable by which `git merge` names each commit that it merges. */
const MERGED_COMMIT = /^GITHEAD_([0-9a-f]{40,64})$/;

/**
 * Files as the merge in progress makes them.
 *
 * git runs a merge driver before it writes any merged file, so that the work tree still holds one
 * side. The other is found by the commit that is merged, or the one that a rebase picks.
 */
export class MergedTexts {
  readonly #io: Io;

  constructor(io: Io) {
    this.#io = io;
  }

  /** undefined: as it is in the work tree, which may be merged already. */
  get(path: string): string | undefined {
    const file = resolve(this.#io.cwd, path);
    const other = this.#otherSide(dirname(file));
    if (other === undefined) return undefined;
    const at = (commit: string) =>
      this.#git(dirname(file), 'show', `${commit}:./${basename(file)}`);
    const [base, ours, theirs] = [at(other.base), at('HEAD'), at(other.commit)];
    if (theirs === undefined || theirs === base || ours === theirs) return undefined;
    if (ours !== undefined && ours !== readIfAny(file)) return undefined;
    if (ours === base) return theirs;
    return this.#mergeFile(path, [ours ?? '', base ?? '', theirs]);
  }

  /** Files that are not in the work tree yet: none that is known. */
  keys(): MapIterator<string> {
    return new Map<string, string>().keys();
  }

  #otherSide(folder: string): { readonly commit: string; readonly base: string } | undefined {
    const named = Object.keys(this.#io.env).flatMap((name) => MERGED_COMMIT.exec(name)?.[1] ?? []);
    const commit =
      named[0] ?? this.#git(folder, 'rev-parse', '-q', '--verify', 'MERGE_HEAD')?.trim();
    if (commit !== undefined) {
      const base = this.#git(folder, 'merge-base', 'HEAD', commit)?.trim();
      return base === undefined ? undefined : { commit, base };
    }
    const done = this.#git(folder, 'rev-parse', '--git-path', 'rebase-merge/done')?.trim();
    const steps = done === undefined ? undefined : readIfAny(resolve(folder, done));
    const picked = steps?.trimEnd().split('\n').at(-1)?.split(' ')[1];
    return picked === undefined ? undefined : { commit: picked, base: `${picked}^` };
  }

  #mergeFile(path: string, texts: readonly string[]): string {
    const folder = mkdtempSync(join(tmpdir(), 'xpkg-resolve-merge-'));
    try {
      const files = texts.map((text, i) => {
        writeFileSync(join(folder, String(i)), text);
        return join(folder, String(i));
      });
      const merged = this.#git(folder, 'merge-file', '-p', ...files);
      if (merged !== undefined) return merged;
      throw new InputError('both sides changed the same lines', {
        origin: { file: path },
        hint: 'settle them, then run `xpkg-resolve resolve`',
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** What git prints; undefined: it fails, or there is no git. */
  #git(cwd: string, ...words: readonly string[]): string | undefined {
    const { status, stdout } = spawnSync('git', words, { cwd, encoding: 'utf8' });
    return status === 0 ? stdout : undefined;
  }
}

function readIfAny(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
