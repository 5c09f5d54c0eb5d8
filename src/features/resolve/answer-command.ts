import type { PrintedAnswer } from './answer-output.js';
import { InputError } from '../../base/errors.js';
import { shellCommand } from '../../base/escape.js';
import { LINE_WIDTH } from '../../base/messages.js';
import type { BundleArgs } from '../../cli/arguments/common-flags.js';
import { lockInputs, staleMismatches } from '../../cli/files/lock-checks.js';
import type { LockOnDisk } from '../../cli/files/lock-file.js';
import { mismatchAdvice, mismatchHeadline, mismatchLines } from '../../cli/files/mismatches.js';
import {
  refuseInBundle,
  renderAgain,
  type RenderedAgain,
  renderingNotes,
  writeOutputs,
} from '../../cli/files/render-again.js';
import { BundleFolder } from '../../cli/files/rendered-folder.js';
import type { Report } from '../../cli/findings/report.js';
import { OtherResult, type Outcome } from '../../cli/kit/command.js';
import { outOfTimeText } from '../../cli/kit/errors.js';
import { projectFlags } from '../../cli/projects/project.js';
import { isOciPath } from '../../cli/sources/oci-path.js';
import type { RunIo } from '../../cli/terminal/io.js';
import {
  answerHeadline,
  changeLines,
  packageLines,
  requirerLines,
} from '../../cli/terminal/package-text.js';
import type { Repository } from '../../crossplane/packages/package.js';
import type { GivenInputs } from '../../project/edit/input-edit.js';
import type { Inputs } from '../../project/inputs/read-inputs.js';
import type { Request } from '../../project/inputs/request.js';
import { formatLockfile } from '../../project/lockfile/format-lockfile.js';
import { packagesWithoutDigest } from '../../project/lockfile/lock-graph.js';
import type { Lockfile } from '../../project/lockfile/lockfile.js';
import type { Answer, GaveUp, Solved } from '../../resolver/resolve/answer.js';

type Args = BundleArgs & { readonly lock: string };

/** An answer, with the data needed to check and write it. */
export interface FoundAnswer {
  readonly answer: Answer;
  readonly request: Request;
  readonly inputs: GivenInputs & Pick<Inputs, 'set'>;
  /** The lockfile as it was; undefined: there was none. */
  readonly lock: LockOnDisk | undefined;
  /** Whether a changed lockfile is a failure. */
  readonly isLocked: boolean;
  /** Packages whose tag may have moved. Undefined: none. */
  readonly accepted?: ReadonlySet<Repository> | undefined;
  /** New texts of the input files of the answer, by path. */
  readonly unsaved?: ReadonlyMap<string, string> | undefined;
  /** New text of the edited file, for `-o yaml`. */
  readonly edited?: string | undefined;
  /** Bytes read from the network so far. */
  readonly stats: { readonly bytes: number };
}

/** The result of the commands that resolve and write the lockfile. */
export interface AnswerValue extends PrintedAnswer {
  readonly request: Request;
  /** Undefined if there is no answer, or if there are mismatches. */
  readonly written?: WrittenAnswer | undefined;
  /** Lines for stderr after everything else. */
  readonly closing?: readonly string[] | undefined;
}

/** An answer whose files have been written, unless `--no-write` is given. */
interface WrittenAnswer extends RenderedAgain {
  readonly answer: Solved;
  readonly hadLock: boolean;
  /** New text of the edited file. */
  readonly edited: string | undefined;
  /** What was written, in one sentence; undefined if there is nothing to say. */
  readonly sentence: string | undefined;
}

/** Checks an answer and writes the lockfile, the rendered manifests and the edited inputs. */
export async function writeAnswer(found: FoundAnswer, args: Args, io: RunIo): Promise<AnswerValue> {
  const { answer, request, inputs, lock, isLocked, accepted, unsaved } = found;
  const value = { answer, request, inputs, bytes: found.stats.bytes };
  for (const warning of answer.warnings) io.note(`warning: ${warning}`);
  for (const note of answer.notes) io.note(`note: ${note}`);
  const moved = answer.status === 'gave-up' ? [] : answer.movedTags;
  const refused = moved.filter(({ repository }) => accepted?.has(repository!) !== true);
  if (refused.length > 0) return { ...value, mismatches: refused };
  if (answer.status !== 'solved') return value;
  const unchanged = isLocked ? lock : undefined;
  const stale = unchanged === undefined ? [] : staleMismatches(answer, unchanged);
  if (stale.length > 0) return { ...value, mismatches: stale };
  const recorded = isOciPath(args.lock)
    ? lock?.lockfile.inputs
    : lockInputs(inputs.set, args.lock, io);
  const lockfile = unchanged?.lockfile ?? { ...answer.lockfile, inputs: recorded };
  const text = unchanged?.text ?? formatLockfile(lockfile);
  if (args.write && isOciPath(args.lock) && text !== lock?.text) {
    throw new InputError(`\`--lock ${args.lock}\` would change, and can only be read`, {
      hint: 'resolve with a lockfile of your own, and `xpkg-resolve push` it; or look with --no-write',
    });
  }
  const isChange = (unsaved?.size ?? 0) > 0 || (lock !== undefined && answer.changes.length > 0);
  if (!args.allowUndigested && request.allowUndigested !== true) {
    if (args.write) refuseUndigested(lockfile);
    else if (isChange && packagesWithoutDigest(lockfile).length > 0) io.note(NOT_LOCKABLE);
  }
  return { ...value, ...(await writeSolved(answer, { ...found, lockfile, text }, args, io)) };
}

interface WriteRequest extends Pick<FoundAnswer, 'lock' | 'isLocked' | 'unsaved' | 'edited'> {
  /** The lockfile to render. */
  readonly lockfile: Lockfile;
  /** Text of the lockfile; undefined if it is not written. */
  readonly text: string | undefined;
}

/** Renders the lockfile and writes all files, before anything is printed. */
export async function writeSolved(
  answer: Solved,
  { lockfile, text, lock, isLocked, unsaved, edited }: WriteRequest,
  args: Args,
  io: RunIo,
): Promise<Pick<AnswerValue, 'mismatches' | 'written'>> {
  const folder = await BundleFolder.of(args, io);
  const { rendering, keptFlags } = renderAgain(lockfile, args, folder);
  refuseInBundle(args.lock, { rendering, folder }, io);
  const mismatches = isLocked ? (folder?.mismatches(rendering) ?? []) : [];
  if (mismatches.length > 0) return { mismatches };
  if (args.write && !args.replaceLock) folder?.refuseOtherSet(lockfile);
  const named = { named: args.lock, text, before: lock?.text };
  const outputs = { lock: named, rendering, folder, unsaved };
  const sentence = args.write ? await writeOutputs(outputs, io) : undefined;
  return {
    written: { answer, rendering, keptFlags, edited, hadLock: lock !== undefined, sentence },
  };
}

/** How the commands that resolve and write the lockfile print an `AnswerValue`. */
export const answerPrinting = {
  json: async () => (await import('./answer-output.js')).answerOutput,
  text: ({ written }: AnswerValue, { output, out }: Args): readonly string[] | string => {
    if (written === undefined) return [];
    if (output === 'yaml') return written.edited ?? '';
    return out === '-' ? written.rendering.stream : packageLines(written.answer);
  },
  notes: ({ written }: AnswerValue, { out, write, bundle }: Args) =>
    written === undefined ? [] : renderingNotes(written, { out, write: write && bundle }),
  closingNotes: async (value: AnswerValue, args: Args & UnsolvedArgs, io: RunIo) => [
    ...(await closingLines(value, args, io)),
    ...(value.closing ?? []),
  ],
  headline: ({ answer, mismatches, written }: AnswerValue, { write }: Args) => {
    if (mismatches !== undefined) return mismatchHeadline(mismatches);
    if (answer.status !== 'solved') return unsolvedHeadline(answer);
    return answerHeadline(answer, { hadLock: written!.hadLock, isWritten: write });
  },
  exit: ({ answer, mismatches }: AnswerValue): Outcome =>
    mismatches === undefined ? answer.status : 'mismatch',
};

async function closingLines(
  { answer, inputs, mismatches, written }: AnswerValue,
  args: Args & UnsolvedArgs,
  io: RunIo,
): Promise<readonly string[]> {
  if (mismatches !== undefined) {
    return [...mismatchLines(mismatches, args.lock), ...mismatchAdvice(mismatches, args.lock)];
  }
  if (answer.status !== 'solved') return unsolvedLines(answer, inputs, args, io);
  return [
    ...(args.explain ? requirerLines(answer) : []),
    ...(written?.hadLock === true ? changeLines(answer.changes, args.write) : []),
    ...(written?.sentence === undefined ? [] : [written.sentence]),
  ];
}

/** Returns the findings of an answer, for `--format`. */
export async function reportOfAnswer(
  { answer, request, mismatches }: AnswerValue,
  { lock, write }: Args,
  io: RunIo,
  command: string,
): Promise<Report> {
  if (mismatches === undefined) {
    const { answerReport } = await import('./findings-output.js');
    return answerReport(command, answer, request, write);
  }
  const { mismatchReport } = await import('../../cli/findings/report-parts.js');
  return mismatchReport(command, mismatches, lock, io);
}

/** Flags that affect how a refusal is printed. */
interface UnsolvedArgs extends Partial<Pick<Args, 'explain' | 'lock' | 'out'>> {
  readonly output: string;
  readonly file?: readonly string[] | undefined;
  readonly from?: readonly string[] | undefined;
}

type UnsolvedAnswer = Exclude<Answer, Solved>;

/** Returns why there is no answer, for commands whose value is not an `AnswerValue`. */
export async function unsolvedResult(
  answer: UnsolvedAnswer,
  { bytes, inputs }: Pick<AnswerValue, 'bytes' | 'inputs'>,
  args: UnsolvedArgs,
  io: RunIo,
): Promise<OtherResult> {
  return new OtherResult({
    json: async () => {
      const { answerDocument } = await import('./answer-output.js');
      return answerDocument({ answer, bytes, inputs });
    },
    headline: unsolvedHeadline(answer),
    notes: await unsolvedLines(answer, inputs, args, io),
    exit: answer.status,
  });
}

function unsolvedHeadline(answer: UnsolvedAnswer): string {
  return answer.status === 'gave-up' ? gaveUpText(answer).line : answer.summary.headline;
}

function gaveUpText({ reason, stats: { conflicts, fetched } }: GaveUp) {
  if (reason !== undefined) return outOfTimeText(reason);
  return {
    line: `gave up after ${conflicts} conflicts and ${fetched} packages read`,
    hint: 'raise --timeout, or narrow what is asked for',
  };
}

/** Returns why there is no answer as lines for stderr. With `-o json`, the document has the refusal. */
async function unsolvedLines(
  answer: UnsolvedAnswer,
  inputs: GivenInputs | undefined,
  args: UnsolvedArgs,
  io: RunIo,
): Promise<readonly string[]> {
  if (answer.status === 'gave-up') {
    const { line, hint } = gaveUpText(answer);
    return [`error: ${line}`, `hint: ${hint}`];
  }
  if (args.output === 'json') return [];
  const { explainedRefusalText, refusalText } = await import('./refusal-output.js');
  const textOf = args.explain === true ? explainedRefusalText : refusalText;
  const width = Math.min(io.terminal.note() ?? LINE_WIDTH, LINE_WIDTH);
  const alone = io.shared && shellCommand(projectFlags(args, io));
  const lines = textOf(answer, inputs, { width, alone });
  if (answer.core.every(({ kind }) => kind !== 'missing')) return lines;
  const places = (args.from ?? ['registry']).map((place) => `\`${place}\``).join(', ');
  return [...lines, `note: packages were looked for in ${places}; \`--from\` names other places`];
}

const NOT_LOCKABLE =
  'note: without --no-write this fails: digests are missing, and `--allow-undigested` is not given';

/** Throws an `InputError` where a version is locked without the digest of its bytes. */
export function refuseUndigested(lockfile: Lockfile): void {
  const [first, ...more] = packagesWithoutDigest(lockfile);
  if (first === undefined) return;
  const others = more.length === 0 ? '' : ` (and of ${more.length} more)`;
  const name = `${first.repository} ${first.version}${others}`;
  throw new InputError(`the digest of ${name} is not known, so it cannot be locked`, {
    hint: 'give a source that has it, or `--allow-undigested` (`spec.allowUndigested`), or `--no-write` for the answer alone',
  });
}
