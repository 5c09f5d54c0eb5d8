import { resolve as resolvePath } from 'node:path';
import type { Request } from '../../../model/request.js';
import { frozen } from '../../../usecases/frozen.js';
import { resolve, type ResolveOptions } from '../../../usecases/resolve/resolve.js';
import { noStats } from '../../../driver/read-stats.js';
import { bundleFlags, refuseTwoOutputs } from '../../flags/bundle-flags.js';
import { clash } from '../../flags/clash.js';
import { command, type ArgsOf, type Flags } from '../../command.js';
import { reportAnswer, renderAndPrint } from '../../output/answer/report-answer.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import { readRequest } from '../../flags/input-flags.js';
import type { Io } from '../../io/io.js';
import { besideLock, readLock, type LockOnDisk } from '../../io/lock-file.js';
import { renderedOutputs } from '../../io/rendered-outputs.js';
import { withProgress } from '../../io/progress.js';
import { refsArgument, resolveFlags, resolveOptions } from '../../flags/resolve-flags.js';
import { openSources } from '../../flags/source-flags.js';
import { writeTransaction } from '../../../files/transaction.js';

const flags = {
  ...resolveFlags,
  ...bundleFlags,
  locked: {
    type: 'boolean',
    default: false,
    describe: 'Fail if the lockfile is missing or would change',
  },
  frozen: {
    type: 'boolean',
    default: false,
    describe: 'Take the lockfile as it is; ask no source',
  },
  upgrade: { type: 'boolean', default: false, describe: 'Prefer newest to what is locked' },
  prefer: {
    choices: ['newest', 'lowest', 'locked'],
    describe: 'Which versions to prefer (default: locked, where there is a lockfile)',
  },
} as const satisfies Flags;

type Args = ArgsOf<typeof flags>;

export const resolveCommand = command({
  positionals: refsArgument,
  flags,
  run: async (args, io) => {
    refuseContradictions(args);
    const request = await readRequest(args, io, {
      refs: args.refs,
      skip: [args.lock, ...(args.out === '-' ? [] : [args.out])],
    });
    const lock = await readLock(args, io);
    if (lock === undefined && (args.locked || args.frozen)) {
      io.note(`error: there is no lockfile \`${args.lock}\``);
      io.note('hint: `xpkg-resolve resolve` without --locked or --frozen writes one');
      return EXIT.lockMismatch;
    }
    return args.frozen ? runFrozen(lock!, request, args, io) : runResolve(lock, request, args, io);
  },
});

function refuseContradictions(args: Args): void {
  if (args.locked && args.frozen) throw clash('--locked', '--frozen');
  if (args.upgrade && args.locked) throw clash('--upgrade', '--locked');
  if (args.upgrade && args.frozen) throw clash('--upgrade', '--frozen');
  if (args.upgrade && args.prefer === 'locked') throw clash('--upgrade', '--prefer locked');
  refuseTwoOutputs(args);
}

async function runResolve(
  lock: LockOnDisk | undefined,
  request: Request,
  args: Args,
  io: Io,
): Promise<ExitCode> {
  const stats = noStats();
  const source = await openSources(args, io, stats, request.kept);
  const options: ResolveOptions = {
    ...resolveOptions(args, source),
    lockfile: lock?.lockfile,
    prefer: args.prefer === 'lowest' ? 'lowest' : 'newest',
    unlock: args.upgrade || (args.prefer ?? 'locked') !== 'locked' ? 'all' : undefined,
  };
  const answer = await withProgress(io, stats, () => resolve(request, options));
  return reportAnswer({ answer, lock, mayChange: !args.locked, bytes: stats.bytes }, args, io);
}

async function runFrozen(
  lock: LockOnDisk,
  request: Request,
  args: Args,
  io: Io,
): Promise<ExitCode> {
  const answer = frozen(lock.lockfile, request, args);
  if (answer.status === 'stale') {
    io.note(`error: the lockfile \`${args.lock}\` does not answer what is asked`);
    for (const reason of answer.reasons) io.note(`  ${reason}`);
    io.note('hint: run `xpkg-resolve resolve` and commit what it writes');
    return EXIT.lockMismatch;
  }
  const rendering = renderAndPrint(answer, 0, args, io);
  if (!args.write || args.out === '-') return EXIT.done;
  const outputs = renderedOutputs(rendering, resolvePath(io.cwd, args.out));
  await writeTransaction(outputs, besideLock(args, io));
  io.note(`wrote ${args.out}/`);
  return EXIT.done;
}
