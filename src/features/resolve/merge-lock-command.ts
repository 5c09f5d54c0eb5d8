import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve as resolvePath } from 'node:path';
import { refuseUndigested, unsolvedResult } from './answer-command.js';
import { mergedPreferences, unmergedRoots } from './merge-lock.js';
import { InputError } from '../../base/errors.js';
import { writeTransaction } from '../../base/files/transaction.js';
import { outputFlag, writeFlag, switchFlag } from '../../cli/arguments/common-flags.js';
import { readRequestAndTexts } from '../../cli/arguments/input-flags.js';
import { resolveFlags, resolveOptions } from '../../cli/arguments/resolve-flags.js';
import { lockInputs } from '../../cli/files/lock-checks.js';
import { readLockText } from '../../cli/files/lock-file.js';
import { mismatchResult, moreCount } from '../../cli/files/mismatches.js';
import { defineCommand } from '../../cli/kit/command.js';
import { openSources } from '../../cli/sources/source-flags.js';
import type { RunIo } from '../../cli/terminal/io.js';
import { changeLines } from '../../cli/terminal/package-text.js';
import { withProgress } from '../../cli/terminal/progress.js';
import { formatLockfile } from '../../project/lockfile/format-lockfile.js';
import type { Lockfile } from '../../project/lockfile/lockfile.js';
import { parseLockfile } from '../../project/lockfile/parse-lockfile.js';
import { resolve } from '../../resolver/resolve/resolve.js';

const { lock: _lock, ...askingFlags } = resolveFlags;

const side = (describe: string) => ({ demandOption: true, describe }) as const;

export const mergeLockCommand = defineCommand({
  isInWorkingFolder: true,
  positionals: {
    base: side('Lockfile that both sides began with; an empty file where there was none'),
    ours: side('Lockfile of this side, which is overwritten'),
    theirs: side('Lockfile of the other side'),
    path: {
      default: 'xpkg.lock.yaml',
      describe: 'Path of the lockfile in the work tree; xpkg.yaml is looked for beside it',
    },
  },
  flags: {
    ...askingFlags,
    ...outputFlag,
    ...writeFlag,
    explain: switchFlag('Argue step by step why there is no answer'),
    'allow-undigested': switchFlag('Lock versions whose digest no source knows'),
  },
  examples: [
    ["git config merge.xpkg-lock.driver '$0 merge-lock %O %A %B %P'", 'once in each clone'],
    ["echo 'xpkg.lock.yaml merge=xpkg-lock' >> .gitattributes", 'once, and committed'],
  ],
  epilogue:
    'A git merge driver: resolves what both sides ask for, and prefers the versions that they ' +
    'locked. On any exit code but 0 nothing is written, and git reports a conflict.',
  run: async (args, io) => {
    const sides = {
      base: await readBase(args.base, io),
      ours: await readSide(args.ours, io),
      theirs: await readSide(args.theirs, io),
    };
    const folder = { ...io, cwd: resolvePath(io.cwd, dirname(args.path)) };
    const readIo = args.file === undefined ? folder : io;
    const unsaved = mergedTexts(readIo);
    const { request, set } = await readRequestAndTexts(args, readIo, { unsaved });
    refuseUnmerged(unmergedRoots(sides, request));
    const source = await openSources(args, io, request.kept);
    const options = { ...resolveOptions(args, source, io), lockfile: mergedPreferences(sides) };
    const answer = await withProgress(io, source.stats, () => resolve(request, options));
    for (const warning of answer.warnings) io.note(`warning: ${warning}`);
    const moved = answer.status === 'gave-up' ? [] : answer.movedTags;
    if (moved.length > 0) throw mismatchResult(moved, args.path, io);
    if (answer.status !== 'solved') throw await unsolvedResult(answer, source.stats, args, io);
    if (!args.allowUndigested && request.allowUndigested !== true)
      refuseUndigested(answer.lockfile);
    const lock = args.file === undefined ? basename(args.path) : args.path;
    const inputs = lockInputs(set, lock, readIo);
    const content = formatLockfile({ ...answer.lockfile, inputs });
    const path = resolvePath(io.cwd, args.ours);
    if (args.write) await writeTransaction([{ path, content }]);
    return { answer, bytes: source.stats.bytes };
  },
  json: async () => (await import('./answer-output.js')).answerOutput,
  closingNotes: ({ answer }, { path, write }) => [
    ...changeLines(answer.changes, write),
    `${write ? 'merged' : 'would merge'} ${path}`,
  ],
});

async function readBase(file: string, io: RunIo): Promise<Lockfile | undefined> {
  const text = file === '/dev/null' ? undefined : await readLockText(file, io);
  return text === undefined || text.trim() === '' ? undefined : parseLockfile(text, file);
}

async function readSide(file: string, io: RunIo): Promise<Lockfile> {
  const text = await readLockText(file, io);
  if (text === undefined) throw new InputError('there is no such file', { origin: { file } });
  return parseLockfile(text, file);
}

function refuseUnmerged(roots: readonly string[]): void {
  if (roots.length === 0) return;
  const names = `${roots[0]!}${moreCount(roots.length)}`;
  throw new InputError(`only one of xpkg.yaml and the merged lockfile asks for ${names}`, {
    hint: 'settle what is asked for, then run `xpkg-resolve resolve`',
  });
}

/** Environment variable in which `git merge` names a merged commit. */
const MERGED_COMMIT = /^GITHEAD_([0-9a-f]{40,64})$/;

/** Larger than any input file. The default of Node.js is 1 MiB. */
const MAX_GIT_BYTES = 256 * 1024 * 1024;

/**
 * Returns files as the merge in progress makes them.
 *
 * git runs a merge driver before it writes any merged file, so that the work tree still holds one
 * side. The other is found by the commit that is merged, or the one that a rebase picks.
 */
function mergedTexts({ cwd, env }: RunIo) {
  const named = Object.keys(env).flatMap((name) => MERGED_COMMIT.exec(name)?.[1] ?? []);
  return {
    /** undefined for the work tree, which may be merged already. */
    get(path: string): string | undefined {
      const file = resolvePath(cwd, path);
      const folder = dirname(file);
      const other = otherSide(folder, named[0]);
      if (other === undefined) return undefined;
      const at = (commit: string) => git(folder, 'show', `${commit}:./${basename(file)}`);
      const [base, ours, theirs] = [at(other.base), at('HEAD'), at(other.commit)];
      if (theirs === undefined || theirs === base || ours === theirs) return undefined;
      if (ours !== undefined && ours !== readIfAny(file)) return undefined;
      return ours === base ? theirs : mergeFile(path, [ours ?? '', base ?? '', theirs]);
    },
    /** Files that are not in the work tree yet; empty if unknown. */
    keys: () => new Map<string, string>().keys(),
  };
}

/** Returns the commit that is merged with HEAD, and their common ancestor; undefined if unknown. */
function otherSide(folder: string, named: string | undefined) {
  const commit = named ?? git(folder, 'rev-parse', '-q', '--verify', 'MERGE_HEAD')?.trim();
  if (commit !== undefined) {
    const base = git(folder, 'merge-base', 'HEAD', commit)?.trim();
    return base === undefined ? undefined : { commit, base };
  }
  const done = git(folder, 'rev-parse', '--git-path', 'rebase-merge/done')?.trim();
  const steps = done === undefined ? undefined : readIfAny(resolvePath(folder, done));
  const picked = steps?.trimEnd().split('\n').at(-1)?.split(' ')[1];
  return picked === undefined ? undefined : { commit: picked, base: `${picked}^` };
}

function mergeFile(path: string, texts: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'xpkg-resolve-merge-'));
  try {
    const files = texts.map((_, i) => join(folder, String(i)));
    for (const [i, text] of texts.entries()) writeFileSync(files[i]!, text);
    const merged = git(folder, 'merge-file', '-p', ...files);
    if (merged !== undefined) return merged;
    throw new InputError('both sides changed the same lines', {
      origin: { file: path },
      hint: 'settle them, then run `xpkg-resolve resolve`',
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the output of git; undefined if git fails or is missing. */
function git(cwd: string, ...words: readonly string[]): string | undefined {
  const options = { cwd, encoding: 'utf8', maxBuffer: MAX_GIT_BYTES } as const;
  const { status, stdout } = spawnSync('git', words, options);
  return status === 0 ? stdout : undefined;
}

function readIfAny(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
