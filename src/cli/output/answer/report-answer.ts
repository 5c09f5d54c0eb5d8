import { resolve as resolvePath } from 'node:path';
import { formatLockfile } from '../../../lock/format-lockfile.js';
import { undigested } from '../../../lock/lock-manifest.js';
import type { Lockfile } from '../../../lock/lockfile.js';
import { InputError } from '../../../model/input-error.js';
import { render, type Rendering } from '../../../usecases/render.js';
import type { Answer, Solved } from '../../../usecases/resolve/answer.js';
import type { BundleArgs } from '../../flags/bundle-flags.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import type { Io } from '../../io/io.js';
import { besideLock, isRemoteLock, type LockOnDisk } from '../../io/lock-file.js';
import { answerJson } from './answer-json.js';
import { changeLines, packageLines, requirerLines } from '../packages.js';
import { refusalText } from './refusal.js';
import { movedTagAlert } from '../security.js';
import { renderedOutputs } from '../../io/rendered-outputs.js';
import { writeTransaction } from '../../../files/transaction.js';

interface Args extends BundleArgs {
  readonly lock: string;
}

/** An answer, and what it is compared and reported with. */
interface ReportedAnswer {
  readonly answer: Answer;
  /** The lockfile as it was; undefined: there was none. */
  readonly lock: LockOnDisk | undefined;
  /** false: a lockfile that would change is a failure. */
  readonly mayChange: boolean;
  /** Read from the network. */
  readonly bytes: number;
}

/** Prints an answer and, where it is one, writes lockfile and bundle. */
export async function reportAnswer(
  { answer, lock, mayChange, bytes }: ReportedAnswer,
  args: Args,
  io: Io,
): Promise<ExitCode> {
  for (const warning of answer.warnings) io.note(`warning: ${warning}`);
  for (const note of answer.notes) io.note(`note: ${note}`);
  if (answer.status !== 'solved') {
    if (args.output === 'json') io.out(answerJson(answer, bytes));
    return reportNoAnswer(answer, args, io);
  }
  const { lockfile, changes } = answer;
  const text = formatLockfile(lockfile);
  if (!mayChange && text !== lock?.text) {
    io.note(`error: the lockfile \`${args.lock}\` is stale`);
    for (const line of changeLines(changes)) io.note(`  ${line}`);
    if (changes.length === 0) io.note('  no version changes, but what it records of them does');
    const moved = changes.some(({ movedTag }) => movedTag !== undefined);
    if (moved) for (const line of movedTagAlert(false)) io.note(line);
    else io.note('hint: run `xpkg-resolve resolve` and commit what it writes');
    return EXIT.lockMismatch;
  }
  if (args.write && isRemoteLock(args) && text !== lock?.text) throw unwritable(args);
  if (args.write) refuseUndigested(lockfile, args);
  const rendering = renderAndPrint(answer, bytes, args, io);
  if (lock !== undefined) for (const line of changeLines(changes)) io.note(line);
  if (!args.write) return EXIT.done;
  const bundle = args.out === '-' ? [] : renderedOutputs(rendering, resolvePath(io.cwd, args.out));
  const own = text === lock?.text ? [] : [{ path: resolvePath(io.cwd, args.lock), content: text }];
  await writeTransaction([...own, ...bundle], besideLock(args, io));
  const written = [...own.map(() => args.lock), ...(args.out === '-' ? [] : [`${args.out}/`])];
  const told = written.length > 0 ? [`wrote ${written.join(' and ')}`] : [];
  if (own.length === 0) told.push(`${args.lock} is up to date`);
  io.note(told.join('; '));
  return EXIT.done;
}

/** Renders what is locked and prints the answer in the form asked for. */
export function renderAndPrint(answer: Solved, bytes: number, args: BundleArgs, io: Io): Rendering {
  const { lockfile } = answer;
  const rendering = render(lockfile, { pin: args.pin, applyLock: args.applyLock });
  for (const warning of rendering.warnings) io.note(`warning: ${warning}`);
  for (const reason of rendering.bundle.skips) {
    io.note(`note: every package has \`skipDependencyResolution: true\`: ${reason}`);
  }
  if (args.output === 'json') io.out(answerJson(answer, bytes));
  else if (args.out === '-') io.out(rendering.stream);
  else for (const line of packageLines(answer)) io.out(`${line}\n`);
  if (args.explain) for (const line of requirerLines(answer)) io.note(line);
  return rendering;
}

function reportNoAnswer(answer: Exclude<Answer, Solved>, args: Args, io: Io): ExitCode {
  if (answer.status === 'gave-up') {
    const { conflicts, fetched } = answer.stats;
    io.note(`error: gave up after ${conflicts} conflicts and ${fetched} packages read`);
    io.note('hint: raise --timeout, or narrow what is asked for');
    return EXIT.gaveUp;
  }
  if (args.output === 'text') for (const line of refusalText(answer)) io.note(line);
  return EXIT.unsolvable;
}

function unwritable({ lock }: Args): InputError {
  return new InputError(`\`--lock ${lock}\` would change, and can only be read`, {
    hint: 'resolve with a lockfile of your own, and `xpkg-resolve push` it; or look with --no-write',
  });
}

function refuseUndigested(lockfile: Lockfile, args: Args): void {
  const [first, ...more] = undigested(lockfile);
  if (first === undefined || args.allowUndigested) return;
  const others = more.length === 0 ? '' : ` (and of ${more.length} more)`;
  throw new InputError(
    `the digest of ${first.repository} ${first.version}${others} is not known, so it cannot be locked`,
    {
      hint: 'give a source that has it, or `--allow-undigested`, or `--no-write` for the answer alone',
    },
  );
}
