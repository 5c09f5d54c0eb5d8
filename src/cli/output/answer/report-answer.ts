import type { GivenInputs } from '../../../inputs/edit/input-edit.js';
import { formatLockfile } from '../../../lock/format-lockfile.js';
import { undigested } from '../../../lock/lock-manifest.js';
import type { Lockfile } from '../../../lock/lockfile.js';
import { LINE_WIDTH } from '../../../text/wrap.js';
import { InputError } from '../../../model/input-error.js';
import type { Repository } from '../../../model/package.js';
import type { IndexState } from '../../../model/package-source.js';
import type { Mismatch } from '../../../usecases/mismatch.js';
import type { Answer, Solved } from '../../../usecases/resolve/answer.js';
import type { Movement } from '../../../usecases/resolve/movement.js';
import type { BundleArgs } from '../../flags/bundle-flags.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import type { Io } from '../../io/io.js';
import { isRemoteLock, type LockOnDisk } from '../../io/lock-file.js';
import { answerJson } from './answer-json.js';
import { answerHeadline, changeLines, packageLines, requirerLines } from '../packages.js';
import { outOfTimeText } from './out-of-time.js';
import { reportMismatches } from '../lock/mismatches.js';
import { shellLine } from '../shell-line.js';
import { BundleFolder } from '../../io/bundle/bundle-folder.js';
import { renderAgain, type RenderedAgain } from '../../io/bundle/render-again.js';
import { refuseInBundle, writeOutputs } from '../../io/bundle/write-outputs.js';
import { renderingNotes } from '../lock/rendering.js';

interface Args extends BundleArgs {
  readonly lock: string;
}

/** An answer, and what it is compared and reported with. */
export interface ReportedAnswer {
  readonly answer: Answer;
  /** The lockfile as it was; undefined: there was none. */
  readonly lock: LockOnDisk | undefined;
  /** false: a lockfile that would change is a failure. */
  readonly mayChange: boolean;
  /** Packages whose locked version may name other bytes now. */
  readonly accepted?: ReadonlySet<Repository> | undefined;
  /** Files that the answer is for as they are to become, by path. */
  readonly unsaved?: ReadonlyMap<string, string> | undefined;
  /** The file that was edited, as it becomes, for `-o yaml`. */
  readonly edited?: string | undefined;
  /** Whether the request lets versions without a digest be locked. */
  readonly allowUndigested?: boolean | undefined;
  /** Read from the network. */
  readonly bytes: number;
  /** What was given, for hints to change; undefined: they are told and no more. */
  readonly inputs?: GivenInputs | undefined;
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
  const lockfile = mayChange ? answer.lockfile : withNamesOf(lock?.lockfile, answer.lockfile);
  const text = formatLockfile(lockfile);
  if (!mayChange && text !== lock?.text)
    return reportMismatches(staleMismatches(changes, lockfile, lock?.lockfile), args, io);
  if (args.write && isRemoteLock(args) && text !== lock?.text) throw unwritable(args);
  if (args.write && !args.allowUndigested && allowUndigested !== true) refuseUndigested(lockfile);
  const folder = await BundleFolder.of(args, io);
  const { rendering, kept } = renderAgain(lockfile, args, folder);
  refuseInBundle(args.lock, { rendering, folder }, io);
  const differs = mayChange ? [] : (folder?.mismatches(rendering) ?? []);
  if (differs.length > 0) return reportMismatches(differs, args, io);
  printAnswer(answer, { rendering, kept, edited, bytes }, args, io);
  io.headline(answerHeadline(answer, lock !== undefined));
  if (lock !== undefined) for (const line of changeLines(changes)) io.note(line);
  if (!args.write) return EXIT.done;
  const outputs = {
    lock: { named: args.lock, text, before: lock?.text },
    rendering,
    folder,
    unsaved,
  };
  await writeOutputs(outputs, io);
  return EXIT.done;
}

/** A state that was read by another path or tag than is recorded is no change of the lockfile. */
function withNamesOf(before: Lockfile | undefined, after: Lockfile): Lockfile {
  const [was, is] = [before?.indexes ?? [], after.indexes ?? []];
  const isSame = was.length === is.length && is.every(({ digest }, i) => digest === was[i]!.digest);
  return isSame && is.length > 0 ? { ...after, indexes: was } : after;
}

function unaccepted(
  moved: readonly Mismatch[],
  accepted: ReadonlySet<Repository> = new Set(),
): readonly Mismatch[] {
  return moved.filter(({ repository }) => !accepted.has(repository!));
}

/** Why resolving again changes a lockfile, a line for each package that does. */
export function staleMismatches(
  changes: readonly Movement[],
  after: Lockfile,
  before: Lockfile | undefined,
): Mismatch[] {
  if (changes.length === 0) {
    const text =
      otherIndexes(before?.indexes, after.indexes) ??
      'no version changes, but what it records of them does';
    return [{ kind: 'stale', text }];
  }
  const lines = changeLines(changes);
  return changes.map(({ repository, from }, i) => ({
    kind: 'stale',
    repository,
    version: from,
    text: lines[i]!,
  }));
}

/** Why the indexes that were read are not those of a lockfile; undefined: they are. */
function otherIndexes(
  recorded: readonly IndexState[] = [],
  read: readonly IndexState[] = [],
): string | undefined {
  const [was, is] = [statesText(recorded), statesText(read)];
  if (was === is) return undefined;
  return `no version changes, but it records that ${was} was read, and now ${is} was: name with \`--from\` what it records, or resolve without \`--locked\` to record what is read now`;
}

function statesText(states: readonly IndexState[]): string {
  const shown = states.map(({ from, digest }) => `\`${from}\` (${digest})`);
  return shown.join(', ') || 'no index in parts';
}

/** Says so where `--lock-index` has nothing to record. */
export function tellUnrecorded(
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
  /** Read from the network. */
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
  { bytes, inputs }: Pick<ReportedAnswer, 'bytes' | 'inputs'>,
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
    const { explainedRefusalText, refusalText } = await import('./refusal.js');
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

/** The flags that make a run be about the set of these arguments, of many; undefined: it is the only one. */
function namingAlone(
  { file = [], lock, out }: Parameters<typeof reportUnsolved>[2],
  { shared }: Io,
): string | undefined {
  if (shared === undefined) return undefined;
  const files = file.flatMap((path) => ['-f', path]);
  return shellLine([
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

/** Throws an `InputError` where a version is locked without the digest of its bytes. */
export function refuseUndigested(lockfile: Lockfile): void {
  const [first, ...more] = undigested(lockfile);
  if (first === undefined) return;
  const others = more.length === 0 ? '' : ` (and of ${more.length} more)`;
  throw new InputError(
    `the digest of ${first.repository} ${first.version}${others} is not known, so it cannot be locked`,
    {
      hint: 'give a source that has it, or `--allow-undigested` (`spec.allowUndigested`), or `--no-write` for the answer alone',
    },
  );
}
