import { resolve as resolvePath } from 'node:path';
import { formatLockfile } from '../../lock/format-lockfile.js';
import { undigested } from '../../lock/lock-manifest.js';
import type { Lockfile } from '../../lock/lockfile.js';
import { InputError } from '../../model/input-error.js';
import type { Request } from '../../model/request.js';
import { targetFor } from '../../model/target.js';
import { changesBetween } from '../../resolve/changes.js';
import { render } from '../../resolve/render.js';
import { resolve, type Answer, type Solved } from '../../resolve/resolve.js';
import { staleness } from '../../resolve/stale.js';
import { noStats } from '../../sources/counted.js';
import type { Command } from '../command.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { readRequest } from '../input-flags.js';
import type { Io } from '../io.js';
import { readLock, type LockOnDisk } from '../lock-file.js';
import { outputFlag, type OutputArgs } from '../output-flag.js';
import { answerJson } from '../render/answer-json.js';
import { changeLines, demandLines, packageLines } from '../render/packages.js';
import { refusalText } from '../render/refusal.js';
import { renderedOutputs } from '../rendered-outputs.js';
import { resolveOptions, wantFlags, type WantArgs } from '../resolve-flags.js';
import { openSources } from '../source-flags.js';
import { writeOutputs } from '../write-outputs.js';

interface Args extends WantArgs, OutputArgs {
  readonly out: string;
  readonly write: boolean;
  readonly locked: boolean;
  readonly frozen: boolean;
  readonly upgrade: boolean;
  readonly prefer: 'newest' | 'lowest' | 'locked' | undefined;
  readonly explain: boolean;
  readonly 'allow-undigested': boolean;
  readonly pin: 'tag' | 'digest';
  readonly 'apply-lock': boolean;
}

export const resolveCommand: Command<Args> = {
  builder: (yargs) =>
    outputFlag(wantFlags(yargs)).options({
      out: {
        type: 'string',
        requiresArg: true,
        default: 'rendered',
        describe: 'Folder to write the bundle to, or - to print it',
      },
      write: { type: 'boolean', default: true, describe: '--no-write answers and writes nothing' },
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
        choices: ['newest', 'lowest', 'locked'] as const,
        describe: 'Which versions to prefer (default: locked, where there is a lockfile)',
      },
      explain: { type: 'boolean', default: false, describe: 'Say who asks for each package' },
      'allow-undigested': {
        type: 'boolean',
        default: false,
        describe: 'Lock versions whose digest no source knows',
      },
      pin: {
        choices: ['tag', 'digest'] as const,
        default: 'tag' as const,
        describe: 'How objects name versions',
      },
      'apply-lock': {
        type: 'boolean',
        default: false,
        describe: 'Apply the Lock with the packages',
      },
    }),
  run: async (args, io) => {
    refuseContradictions(args);
    const request = await readRequest(args, io, {
      refs: args.refs,
      skip: [args.lock, ...(args.out === '-' ? [] : [args.out])],
    });
    const lock = await readLock(resolvePath(io.cwd, args.lock), args.lock);
    if (lock === undefined && (args.locked || args.frozen)) {
      io.note(`error: there is no lockfile \`${args.lock}\``);
      io.note('hint: `xpkg-resolve resolve` without --locked or --frozen writes one');
      return EXIT.lockMismatch;
    }
    return args.frozen ? runFrozen(lock!, request, args, io) : runResolve(lock, request, args, io);
  },
};

function refuseContradictions(args: Args): void {
  if (args.locked && args.frozen) throw clash('--locked', '--frozen');
  if (args.upgrade && (args.locked || args.frozen)) throw clash('--upgrade', '--locked');
  if (args.upgrade && args.prefer === 'locked') throw clash('--upgrade', '--prefer locked');
  if (args.output === 'json' && args.out === '-') throw clash('-o json', '--out -');
}

function clash(a: string, b: string): InputError {
  return new InputError(`\`${a}\` and \`${b}\` contradict each other`, { hint: 'leave one out' });
}

async function runResolve(
  lock: LockOnDisk | undefined,
  request: Request,
  args: Args,
  io: Io,
): Promise<ExitCode> {
  const stats = noStats();
  const source = await openSources(args, io, stats, request.kept);
  const answer = await resolve(request, {
    ...resolveOptions(args, source),
    lockfile: lock?.lockfile,
    prefer: args.prefer === 'lowest' ? 'lowest' : 'newest',
    unlock: args.upgrade || (args.prefer ?? 'locked') !== 'locked' ? 'all' : undefined,
  });
  for (const note of answer.notes) io.note(`note: ${note}`);
  if (answer.status === 'solved') return conclude(answer, lock, args, io, stats.bytes);
  if (args.output === 'json') io.out(answerJson(answer, stats.bytes));
  return complain(answer, args, io);
}

function complain(answer: Exclude<Answer, Solved>, args: Args, io: Io): ExitCode {
  if (answer.status === 'gave-up') {
    const { conflicts, fetched } = answer.stats;
    io.note(`error: gave up after ${conflicts} conflicts and ${fetched} packages read`);
    io.note('hint: raise --timeout, or narrow what is asked for');
    return EXIT.gaveUp;
  }
  if (args.output === 'text') for (const line of refusalText(answer)) io.note(line);
  return EXIT.unsolvable;
}

async function conclude(
  answer: Solved,
  lock: LockOnDisk | undefined,
  args: Args,
  io: Io,
  bytes: number,
): Promise<ExitCode> {
  const { lockfile } = answer;
  const text = formatLockfile(lockfile);
  const changes = changesBetween(lock?.lockfile, lockfile);
  if (args.locked && text !== lock!.text) {
    io.note(`error: the lockfile \`${args.lock}\` is stale`);
    for (const line of changeLines(changes)) io.note(`  ${line}`);
    if (changes.length === 0) io.note('  no version changes, but what it records of them does');
    io.note('hint: run `xpkg-resolve resolve` and commit what it writes');
    return EXIT.lockMismatch;
  }
  const rendering = renderAll(lockfile, args, io);
  if (args.output === 'json') io.out(answerJson({ ...answer, changes }, bytes));
  else if (args.out === '-') io.out(rendering.stream);
  else
    io.out(
      packageLines(answer)
        .map((line) => `${line}\n`)
        .join(''),
    );
  if (args.explain) for (const line of demandLines(lockfile)) io.note(line);
  if (lock !== undefined) for (const line of changeLines(changes)) io.note(line);
  if (!args.write) return EXIT.done;
  refuseUndigested(lockfile, args);
  const bundle = args.out === '-' ? [] : renderedOutputs(rendering, resolvePath(io.cwd, args.out));
  await writeOutputs([{ path: resolvePath(io.cwd, args.lock), text }, ...bundle]);
  io.note(`wrote ${args.lock}${args.out === '-' ? '' : ` and ${args.out}/`}`);
  return EXIT.done;
}

/** Renders what is locked; with --frozen that is all there is to do. */
function renderAll(lockfile: Lockfile, args: Args, io: Io): ReturnType<typeof render> {
  const rendering = render(lockfile, { pin: args.pin, applyLock: args['apply-lock'] });
  for (const warning of rendering.warnings) io.note(`warning: ${warning}`);
  for (const reason of rendering.bundle.skips) {
    io.note(`note: every package has \`skipDependencyResolution: true\`: ${reason}`);
  }
  return rendering;
}

async function runFrozen(
  lock: LockOnDisk,
  request: Request,
  args: Args,
  io: Io,
): Promise<ExitCode> {
  const { lockfile } = lock;
  const target = targetFor(lockfile.crossplane)!;
  const asked = args.crossplane ?? request.crossplane?.text;
  const stale = staleness(lockfile, request, target, { compat: args.compat });
  if (asked !== undefined && targetFor(asked) !== undefined && asked !== lockfile.crossplane) {
    stale.unshift(`it is for Crossplane ${lockfile.crossplane}, and ${asked} is asked for`);
  }
  if (stale.length > 0) {
    io.note(`error: the lockfile \`${args.lock}\` does not answer what is asked`);
    for (const reason of stale) io.note(`  ${reason}`);
    io.note('hint: run `xpkg-resolve resolve` and commit what it writes');
    return EXIT.lockMismatch;
  }
  const rendering = renderAll(lockfile, args, io);
  const order = lockfile.packages.map(({ repository }) => repository);
  const stats = { listed: 0, fetched: 0, decisions: 0, conflicts: 0 };
  const answer: Solved = { status: 'solved', target, lockfile, order, notes: [], stats };
  if (args.output === 'json') io.out(answerJson(answer, 0));
  else if (args.out === '-') io.out(rendering.stream);
  else
    io.out(
      packageLines(answer)
        .map((line) => `${line}\n`)
        .join(''),
    );
  if (!args.write || args.out === '-') return EXIT.done;
  await writeOutputs(renderedOutputs(rendering, resolvePath(io.cwd, args.out)));
  io.note(`wrote ${args.out}/`);
  return EXIT.done;
}

function refuseUndigested(lockfile: Lockfile, args: Args): void {
  const [first, ...more] = undigested(lockfile);
  if (first === undefined || args['allow-undigested']) return;
  const others = more.length === 0 ? '' : ` (and of ${more.length} more)`;
  throw new InputError(
    `the digest of ${first.repository} ${first.version}${others} is not known, so it cannot be locked`,
    {
      hint: 'give a source that has it, or `--allow-undigested`, or `--no-write` for the answer alone',
    },
  );
}
