import { readFile } from 'node:fs/promises';
import { dirname, resolve as resolvePath } from 'node:path';
import { noStats } from '../../../driver/read-stats.js';
import { writeTransaction } from '../../../files/transaction.js';
import { formatLockfile } from '../../../lock/format-lockfile.js';
import type { Lockfile } from '../../../lock/lockfile.js';
import { parseLockfile } from '../../../lock/parse-lockfile.js';
import { InputError } from '../../../model/input-error.js';
import { mergedPreferences, unmergedRoots, type LockSides } from '../../../usecases/merge-lock.js';
import { resolve } from '../../../usecases/resolve/resolve.js';
import { command } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { allowUndigestedFlag, explainFlag } from '../../flags/bundle-flags.js';
import { readRequest } from '../../flags/input-flags.js';
import { outputFlag } from '../../flags/output-flag.js';
import { resolveFlags, resolveOptions } from '../../flags/resolve-flags.js';
import { openSources } from '../../flags/source/source-flags.js';
import type { Io } from '../../io/io.js';
import { MergedTexts } from '../../io/merged-texts.js';
import { withProgress } from '../../io/progress.js';
import { answerJson } from '../../output/answer/answer-json.js';
import { refuseUndigested, reportUnsolved } from '../../output/answer/report-answer.js';
import { changeLines } from '../../output/packages.js';

const { lock: _lock, ...askingFlags } = resolveFlags;

const side = (describe: string) => ({ type: 'string', demandOption: true, describe }) as const;

export const mergeLockCommand = command({
  positionals: {
    base: side('Lockfile that both sides began with; an empty file where there was none'),
    ours: side('Lockfile of this side, which is overwritten'),
    theirs: side('Lockfile of the other side'),
    path: {
      type: 'string',
      default: 'xpkg.lock.yaml',
      describe: 'Path of the lockfile in the work tree; xpkg.yaml is looked for beside it',
    },
  },
  flags: {
    ...askingFlags,
    ...outputFlag,
    ...explainFlag('Argue step by step why there is no answer'),
    ...allowUndigestedFlag('Lock versions whose digest no source knows'),
  },
  examples: [
    ["git config merge.xpkg-lock.driver '$0 merge-lock %O %A %B %P'", 'once in each clone'],
    ["echo 'xpkg.lock.yaml merge=xpkg-lock' >> .gitattributes", 'once, and committed'],
  ],
  epilogue:
    'A git merge driver: resolves what both sides ask for, and prefers the versions that they ' +
    'locked. On any exit code but 0 nothing is written, and git reports a conflict.',
  run: async (args, io) => {
    const sides = await readSides(args, io);
    const folder = { ...io, cwd: resolvePath(io.cwd, dirname(args.path)) };
    const there = args.file === undefined ? folder : io;
    const request = await readRequest(args, there, { unsaved: new MergedTexts(there) });
    refuseUnmerged(unmergedRoots(sides, request));
    const stats = noStats();
    const source = await openSources(args, io, stats, request.kept);
    const options = { ...resolveOptions(args, source, io), lockfile: mergedPreferences(sides) };
    const answer = await withProgress(io, stats, () => resolve(request, options));
    if (answer.status !== 'solved') return reportUnsolved(answer, stats, args, io);
    if (!args.allowUndigested && request.allowUndigested !== true)
      refuseUndigested(answer.lockfile);
    const content = formatLockfile(answer.lockfile);
    await writeTransaction([{ path: resolvePath(io.cwd, args.ours), content }]);
    if (args.output === 'json') io.out(answerJson(answer, stats.bytes));
    for (const line of changeLines(answer.changes)) io.note(line);
    io.note(`merged ${args.path}`);
    return EXIT.done;
  },
});

async function readSides(
  { base, ours, theirs }: { base: string; ours: string; theirs: string },
  io: Io,
): Promise<LockSides> {
  const text = await readFile(resolvePath(io.cwd, base), 'utf8').catch(() => '');
  return {
    base: text.trim() === '' ? undefined : parseLockfile(text, base),
    ours: await readSide(ours, io),
    theirs: await readSide(theirs, io),
  };
}

async function readSide(path: string, io: Io): Promise<Lockfile> {
  try {
    return parseLockfile(await readFile(resolvePath(io.cwd, path), 'utf8'), path);
  } catch (cause) {
    if (cause instanceof InputError || !(cause instanceof Error)) throw cause;
    throw new InputError(`cannot be read (${cause.message})`, { origin: { file: path }, cause });
  }
}

function refuseUnmerged([first, ...more]: readonly string[]): void {
  if (first === undefined) return;
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
  throw new InputError(`only one of xpkg.yaml and the merged lockfile asks for ${first}${others}`, {
    hint: 'settle what is asked for, then run `xpkg-resolve resolve`',
  });
}
