import type { FoundAnswer } from './answer-command.js';
import { shellCommand } from '../../base/escape.js';
import type { BundleArgs } from '../../cli/arguments/common-flags.js';
import { readRequestAndTexts } from '../../cli/arguments/input-flags.js';
import { type ResolveArgs, resolveOptions } from '../../cli/arguments/resolve-flags.js';
import type { LockOnDisk } from '../../cli/files/lock-file.js';
import { wantsLongerTags } from '../../cli/files/rendered-folder.js';
import { combinedSource, openEach } from '../../cli/sources/source-flags.js';
import { type CommandWord, type RunIo, silent } from '../../cli/terminal/io.js';
import { withProgress } from '../../cli/terminal/progress.js';
import type { GivenInputs, InputEdit } from '../../project/edit/input-edit.js';
import type { Inputs } from '../../project/inputs/read-inputs.js';
import type { Request } from '../../project/inputs/request.js';
import { noStats, type ReadStats } from '../../resolver/driver/read-stats.js';
import type { Answer } from '../../resolver/resolve/answer.js';
import type { ResolveOptions } from '../../resolver/resolve/to-problem.js';
import type { PackageSource } from '../../sources/package-source.js';
import { requiredSignatures, type RequiringArgs } from '../verify/signatures-command.js';

/** The inputs of a run, and what suggestions can change in them. */
export interface Given extends GivenInputs, Inputs {}

type InputArgs = ResolveArgs &
  Pick<BundleArgs, 'out' | 'write' | 'applyHint'> & {
    readonly refs?: readonly string[] | undefined;
  };

/** Returns the output paths of a command. Input folders that contain them are read without them. */
export function outputsOf({ lock, out }: Pick<InputArgs, 'lock' | 'out'>): readonly string[] {
  return [lock, ...(out === '-' ? [] : [out])];
}

/** Reads the inputs; `unsaved` has new texts of files by path. */
export async function readGiven(
  args: Omit<InputArgs, 'write' | 'applyHint'>,
  io: RunIo,
  unsaved?: ReadonlyMap<string, string>,
): Promise<Given> {
  const { refs } = args;
  const skip = outputsOf(args);
  return withCommandLine(await readRequestAndTexts(args, io, { refs, skip, unsaved }), args, io);
}

/** Adds to inputs what suggestions need to know about the command line. */
export function withCommandLine(
  inputs: Inputs,
  { refs = [], file: files = [], crossplane }: Pick<InputArgs, 'refs' | 'file' | 'crossplane'>,
  { cwd }: RunIo,
): Given {
  return { ...inputs, refs, files, hasCrossplane: crossplane !== undefined, cwd };
}

interface Resolution {
  readonly inputs: Given;
  readonly lock: LockOnDisk | undefined;
  /** Whether indexes are read in the state that the lockfile records. Undefined: no. */
  readonly isLocked?: boolean | undefined;
  readonly solve: (request: Request, options: ResolveOptions) => Promise<Answer>;
}

/** Opens the sources and resolves the inputs, if need be with the change of `--apply-hint`. */
export async function answerInputs(
  args: InputArgs &
    RequiringArgs &
    Pick<BundleArgs, 'pin' | 'bundle'> & { readonly lockIndex: boolean },
  { inputs, lock, isLocked = false, solve }: Resolution,
  io: RunIo,
): Promise<FoundAnswer & { readonly source: PackageSource; readonly stats: ReadStats }> {
  const stats = noStats();
  const { kept } = inputs.request;
  const locked = isLocked ? lock?.lockfile.indexes : undefined;
  const sources = await openEach(args, io, stats, kept, locked);
  const source = await combinedSource(sources, args, io, { stats, kept, locked });
  const signatureOptions = await requiredSignatures(args, io, { sources, kept });
  const longerTags = isLocked ? undefined : await wantsLongerTags(args, lock, io);
  const answering = (request: Request, flags: ResolveArgs, isUnsaved?: boolean) => {
    const options = {
      ...resolveOptions(flags, source, io),
      ...signatureOptions.options,
      lockfile: lock?.lockfile,
      lockIndexes: args.lockIndex,
      longerTags,
      isUnsaved,
    };
    return withProgress(io, stats, () => solve(request, options));
  };
  const found = await answerWithHint(args, inputs, answering, io);
  await signatureOptions.printNotes(found.answer);
  if (args.lockIndex) noteUnrecordedIndexes(found.answer, io);
  return { ...found, inputs, lock, isLocked, stats, source };
}

/** Prints a note if `--lock-index` has nothing to record. */
function noteUnrecordedIndexes(answer: Answer, io: RunIo): void {
  if (answer.status !== 'solved' || (answer.lockfile.indexes ?? []).length > 0) return;
  io.afterwards(
    'note: `--lock-index` records nothing: no source is an index in parts that a lockfile can name; give `--from index:DIR/`, with a relative path, or `--from index:oci://…`',
  );
}

/** Returns the answer; if there is none and `--apply-hint` is given, the answer with that hint applied. */
async function answerWithHint(
  args: InputArgs,
  inputs: Given,
  answering: (request: Request, args: ResolveArgs, isUnsaved?: boolean) => Promise<Answer>,
  io: RunIo,
): Promise<Pick<FoundAnswer, 'answer' | 'request' | 'unsaved'>> {
  const { request } = inputs;
  const answer = await answering(request, args);
  if (args.applyHint === undefined) return { answer, request };
  if (answer.status !== 'unsolvable') {
    io.note('note: there is an answer, so no hint is applied');
    return { answer, request };
  }
  const { takeHint } = await import('./refusal-output.js');
  const { edit, texts } = takeHint(args.applyHint, answer, inputs, io);
  if (edit.refs !== undefined || edit.args !== undefined) {
    const line = commandWithHint(io.words, inputs.refs, edit);
    io.note(args.write ? `from now on: ${line}` : `the command would become: ${line}`);
  }
  const changed = { ...withHintFlags(args, edit.args), refs: edit.refs ?? inputs.refs };
  const edited = await readGiven(changed, silent(io), new Map([...inputs.texts, ...texts]));
  const unsaved = new Map([...texts].filter(([path]) => path !== '-'));
  const again = await answering(edited.request, changed, !args.write);
  return { answer: again, request: edited.request, unsaved };
}

/** The command line with a suggestion applied: other references, and flags added or changed. */
function commandWithHint(
  words: readonly CommandWord[],
  refs: readonly string[],
  { refs: newRefs = refs, args = [] }: InputEdit,
): string {
  const replaced = ['apply-hint', ...(args.includes('--crossplane') ? ['crossplane'] : [])];
  const unchanged = words.filter(({ text, flag }) =>
    flag === undefined ? text !== '--' && !refs.includes(text) : !replaced.includes(flag),
  );
  return shellCommand(['xpkg-resolve', ...unchanged.map(({ text }) => text), ...args, ...newRefs]);
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
