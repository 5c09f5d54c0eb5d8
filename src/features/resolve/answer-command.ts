import { answerJson } from './answer-output.js';
import { InputError } from '../../base/errors.js';
import { shellCommand } from '../../base/escape.js';
import { LINE_WIDTH } from '../../base/messages.js';
import type { BundleArgs } from '../../cli/arguments/common-flags.js';
import { readRequestAndTexts } from '../../cli/arguments/input-flags.js';
import type { ResolveArgs } from '../../cli/arguments/resolve-flags.js';
import { lockInputs, staleMismatches } from '../../cli/files/lock-checks.js';
import { isRemoteLock, type LockOnDisk } from '../../cli/files/lock-file.js';
import { reportMismatches } from '../../cli/files/mismatches.js';
import {
  refuseInBundle,
  renderAgain,
  type RenderedAgain,
  renderingNotes,
  writeOutputs,
} from '../../cli/files/render-again.js';
import { BundleFolder } from '../../cli/files/rendered-folder.js';
import { EXIT, type ExitCode } from '../../cli/kit/command.js';
import { outOfTimeText } from '../../cli/kit/errors.js';
import type { CommandWord, Io } from '../../cli/terminal/io.js';
import {
  answerHeadline,
  changeLines,
  packageLines,
  requirerLines,
} from '../../cli/terminal/package-text.js';
import type { Repository } from '../../crossplane/packages/package.js';
import type { GivenInputs, InputEdit } from '../../project/edit/input-edit.js';
import type { InputSet } from '../../project/inputs/read-inputs.js';
import type { Request } from '../../project/inputs/request.js';
import { formatLockfile } from '../../project/lockfile/format-lockfile.js';
import { packagesWithoutDigest } from '../../project/lockfile/lock-manifest.js';
import type { Lockfile } from '../../project/lockfile/lockfile.js';
import type { Mismatch } from '../../project/lockfile/mismatch.js';
import type { Answer, Solved } from '../../resolver/resolve/answer.js';

interface Args extends BundleArgs {
  readonly lock: string;
}

/** An answer, with the data needed to compare and report it. */
export interface ReportedAnswer {
  readonly answer: Answer;
  /** The lockfile as it was; undefined: there was none. */
  readonly lock: LockOnDisk | undefined;
  /** False if a changed lockfile is a failure. */
  readonly mayChange: boolean;
  /** Packages whose tag may have moved. */
  readonly accepted?: ReadonlySet<Repository> | undefined;
  /** New texts of the input files of the answer, by path. */
  readonly unsaved?: ReadonlyMap<string, string> | undefined;
  /** New text of the edited file, for `-o yaml`. */
  readonly edited?: string | undefined;
  /** Whether the request lets versions without a digest be locked. */
  readonly allowUndigested?: boolean | undefined;
  /** Bytes read from the network. */
  readonly bytes: number;
  /** Inputs that hints can change; undefined if hints are only printed. */
  readonly inputs?: (GivenInputs & Pick<Given, 'set'>) | undefined;
}

/** Prints an answer and, where it is one, writes lockfile and bundle. */
export async function reportAnswer(
  reported: ReportedAnswer,
  args: Args,
  io: Io,
): Promise<ExitCode> {
  const { answer, lock, mayChange, accepted, unsaved, edited, allowUndigested } = reported;
  const { bytes, inputs } = reported;
  for (const warning of answer.warnings) io.note(`warning: ${warning}`);
  for (const note of answer.notes) io.note(`note: ${note}`);
  const moved = answer.status === 'gave-up' ? [] : unaccepted(answer.movedTags, accepted);
  if (moved.length > 0) return reportMismatches(moved, args, io);
  if (answer.status !== 'solved') return reportUnsolved(answer, { bytes, inputs }, args, io);
  const { changes } = answer;
  const unchanged = mayChange ? undefined : lock;
  const stale = unchanged === undefined ? [] : staleMismatches(answer, unchanged);
  if (stale.length > 0) return reportMismatches(stale, args, io);
  const recorded = isRemoteLock(args) ? lock?.lockfile.inputs : inputsFor(inputs, args, io);
  const lockfile = unchanged?.lockfile ?? { ...answer.lockfile, inputs: recorded };
  const text = unchanged?.text ?? formatLockfile(lockfile);
  if (args.write && isRemoteLock(args) && text !== lock?.text) throw unwritable(args);
  const isChange = (unsaved?.size ?? 0) > 0 || (lock !== undefined && changes.length > 0);
  if (!args.allowUndigested && allowUndigested !== true) {
    if (args.write) refuseUndigested(lockfile);
    else if (isChange && packagesWithoutDigest(lockfile).length > 0) io.note(NOT_LOCKABLE);
  }
  const folder = await BundleFolder.of(args, io);
  const { rendering, kept } = renderAgain(lockfile, args, folder);
  refuseInBundle(args.lock, { rendering, folder }, io);
  const differs = mayChange ? [] : (folder?.mismatches(rendering) ?? []);
  if (differs.length > 0) return reportMismatches(differs, args, io);
  if (args.write && !args.replaceLock) folder?.refuseOtherSet(lockfile);
  const outputs = {
    lock: { named: args.lock, text, before: lock?.text },
    rendering,
    folder,
    unsaved,
  };
  // Outputs are written first: an answer that cannot be written is not printed.
  const written = args.write ? await writeOutputs(outputs, io) : undefined;
  printAnswer(answer, { rendering, kept, edited, bytes }, args, io);
  const isWritten = args.write;
  io.headline(answerHeadline(answer, { hadLock: lock !== undefined, isWritten }));
  if (lock !== undefined) for (const line of changeLines(changes, isWritten)) io.note(line);
  if (written !== undefined) io.note(written);
  return EXIT.done;
}

function inputsFor(inputs: ReportedAnswer['inputs'], { lock }: Args, io: Io): Lockfile['inputs'] {
  return inputs && lockInputs(inputs.set, lock, io);
}

function unaccepted(
  moved: readonly Mismatch[],
  accepted: ReadonlySet<Repository> = new Set(),
): readonly Mismatch[] {
  return moved.filter(({ repository }) => !accepted.has(repository!));
}

/** Prints a note if `--lock-index` has nothing to record. */
export function noteUnrecordedIndexes(
  answer: Answer,
  { lockIndex }: { readonly lockIndex: boolean },
  io: Pick<Io, 'afterwards'>,
): void {
  if (!lockIndex || answer.status !== 'solved' || (answer.lockfile.indexes ?? []).length > 0)
    return;
  io.afterwards(
    'note: `--lock-index` records nothing: no source is an index in parts that a lockfile can name; give `--from index:DIR/`, with a relative path, or `--from index:oci://…`',
  );
}

interface PrintedAnswer extends RenderedAgain, Pick<ReportedAnswer, 'edited'> {
  /** Bytes read from the network. */
  readonly bytes: number;
}

/** Prints an answer in the form asked for. */
export function printAnswer(
  answer: Solved,
  { rendering, kept, edited = '', bytes }: PrintedAnswer,
  args: BundleArgs,
  io: Io,
): void {
  for (const line of renderingNotes(
    { rendering, kept },
    { out: args.out, write: args.write && args.bundle },
  ))
    io.note(line);
  if (args.output === 'json') io.out(answerJson(answer, bytes));
  else if (args.output === 'yaml') io.out(edited);
  else if (args.out === '-') io.out(rendering.stream);
  else for (const line of packageLines(answer)) io.out(`${line}\n`);
  if (args.explain) for (const line of requirerLines(answer)) io.note(line);
}

/** Prints why there is no answer; the exit code says which sort of "no" it is. */
export async function reportUnsolved(
  answer: Exclude<Answer, Solved>,
  { bytes, inputs }: Pick<ReportedAnswer, 'bytes'> & { readonly inputs?: GivenInputs | undefined },
  args: Pick<Args, 'output'> &
    Partial<Pick<Args, 'explain' | 'lock' | 'out'>> & {
      readonly file?: readonly string[] | undefined;
      readonly from?: readonly string[] | undefined;
    },
  io: Io,
): Promise<ExitCode> {
  if (args.output === 'json') io.out(answerJson(answer, bytes, inputs));
  if (answer.status === 'gave-up') {
    const { conflicts, fetched } = answer.stats;
    const searching = {
      line: `gave up after ${conflicts} conflicts and ${fetched} packages read`,
      hint: 'raise --timeout, or narrow what is asked for',
    };
    const { line, hint } = answer.reason === undefined ? searching : outOfTimeText(answer.reason);
    io.headline(line);
    io.note(`error: ${line}`);
    io.note(`hint: ${hint}`);
    return EXIT.gaveUp;
  }
  io.headline(answer.summary.headline);
  if (args.output !== 'json') {
    const { explainedRefusalText, refusalText } = await import('./refusal-output.js');
    const textOf = args.explain === true ? explainedRefusalText : refusalText;
    const width = Math.min(io.terminal.note() ?? LINE_WIDTH, LINE_WIDTH);
    for (const line of textOf(answer, inputs, { width, alone: namingAlone(args, io) }))
      io.note(line);
    if (answer.core.some(({ kind }) => kind === 'missing')) {
      const places = (args.from ?? ['registry']).map((place) => `\`${place}\``).join(', ');
      io.note(`note: packages were looked for in ${places}; \`--from\` names other places`);
    }
  }
  return EXIT.unsolvable;
}

/** Returns the flags that select the project of these arguments; undefined for a single run. */
function namingAlone(
  { file = [], lock, out }: Parameters<typeof reportUnsolved>[2],
  { shared }: Io,
): string | undefined {
  if (shared === undefined) return undefined;
  const files = file.flatMap((path) => ['-f', path]);
  return shellCommand([
    ...files,
    ...(lock === undefined ? [] : ['--lock', lock]),
    ...(out === undefined ? [] : ['--out', out]),
  ]);
}

function unwritable({ lock }: Args): InputError {
  return new InputError(`\`--lock ${lock}\` would change, and can only be read`, {
    hint: 'resolve with a lockfile of your own, and `xpkg-resolve push` it; or look with --no-write',
  });
}

const NOT_LOCKABLE =
  'note: without --no-write this fails: digests are missing, and `--allow-undigested` is not given';

/** Throws an `InputError` where a version is locked without the digest of its bytes. */
export function refuseUndigested(lockfile: Lockfile): void {
  const [first, ...more] = packagesWithoutDigest(lockfile);
  if (first === undefined) return;
  const others = more.length === 0 ? '' : ` (and of ${more.length} more)`;
  throw new InputError(
    `the digest of ${first.repository} ${first.version}${others} is not known, so it cannot be locked`,
    {
      hint: 'give a source that has it, or `--allow-undigested` (`spec.allowUndigested`), or `--no-write` for the answer alone',
    },
  );
}

/** The request, and the inputs that hints can change. */
export interface Given extends GivenInputs {
  /** The package set that the files describe. */
  readonly set: InputSet;
  readonly request: Request;
}

export type HintedArgs = ResolveArgs &
  BundleArgs & { readonly refs?: readonly string[] | undefined };

/** Reads what is asked for; `unsaved` are texts of files as they are to become. */
export async function readGiven(
  args: HintedArgs,
  io: Io,
  unsaved?: ReadonlyMap<string, string>,
): Promise<Given> {
  const { refs = [], file: files = [], crossplane } = args;
  const skip = [args.lock, ...(args.out === '-' ? [] : [args.out])];
  const read = await readRequestAndTexts(args, io, { refs, skip, unsaved });
  return { ...read, refs, files, hasCrossplane: crossplane !== undefined, cwd: io.cwd };
}

interface HintedAnswer {
  readonly answer: Answer;
  readonly request: Request;
  /** New texts of the files that the hint changes. */
  readonly unsaved: ReadonlyMap<string, string>;
}

/** Returns the answer; if there is none and `--apply-hint` is given, the answer with that hint applied. */
export async function answerWithHint<Args extends HintedArgs>(
  args: Args,
  inputs: Given,
  answering: (request: Request, args: Args) => Promise<Answer>,
  io: Io,
): Promise<HintedAnswer> {
  const answer = await answering(inputs.request, args);
  if (args.applyHint === undefined || answer.status !== 'unsolvable') {
    if (args.applyHint !== undefined) io.note('note: there is an answer, so no hint is applied');
    return { answer, request: inputs.request, unsaved: new Map() };
  }
  const { takeHint } = await import('./refusal-output.js');
  const { edit, texts } = takeHint(args.applyHint, answer, inputs, io);
  if (edit.refs !== undefined || edit.args !== undefined) {
    const line = newCommand(io.words, inputs.refs, edit);
    io.note(args.write ? `from now on: ${line}` : `the command would become: ${line}`);
  }
  const changed = { ...withHintFlags(args, edit.args), refs: edit.refs ?? inputs.refs };
  const quiet = { ...io, note: () => {} };
  const { request } = await readGiven(changed, quiet, new Map([...inputs.texts, ...texts]));
  const unsaved = new Map([...texts].filter(([path]) => path !== '-'));
  return { answer: await answering(request, changed), request, unsaved };
}

/** The command line with a suggestion applied: other references, and flags added or changed. */
function newCommand(
  words: readonly CommandWord[],
  refs: readonly string[],
  { refs: newRefs = refs, args = [] }: InputEdit,
): string {
  const replaced = ['apply-hint', ...(args.includes('--crossplane') ? ['crossplane'] : [])];
  const kept = words.filter(({ text, flag }) =>
    flag === undefined ? text !== '--' && !refs.includes(text) : !replaced.includes(flag),
  );
  return shellCommand(['xpkg-resolve', ...kept.map(({ text }) => text), ...args, ...newRefs]);
}

/** Returns the flags, with those that a hint adds or changes, except `-f`. */
export function withHintFlags<Args extends ResolveArgs>(
  args: Args,
  words: readonly string[] = [],
): Args {
  const after = (flag: string) => words.filter((_, i) => words[i - 1] === flag);
  return {
    ...args,
    crossplane: after('--crossplane')[0] ?? args.crossplane,
    prerelease: [...(args.prerelease ?? []), ...after('--prerelease')],
    allowCycles: args.allowCycles || words.includes('--allow-cycles'),
  };
}
