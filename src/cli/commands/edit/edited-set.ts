import type { Request } from '../../../model/request.js';
import type { PackageSource } from '../../../model/package-source.js';
import type { PatchOperation } from '../../../text/patch-operation.js';
import { noStats } from '../../../driver/read-stats.js';
import { SourceMemory } from '../../../driver/source-memory.js';
import {
  findPackageList,
  isPackageSet,
  type ListInFile,
} from '../../../inputs/edit/find-package-list.js';
import { readInputs, type Inputs } from '../../../inputs/read-inputs.js';
import type { Answer } from '../../../usecases/resolve/answer.js';
import { resolve, type ResolveOptions } from '../../../usecases/resolve/resolve.js';
import type { ArgsOf, Flags } from '../../command.js';
import type { ExitCode } from '../../exit-code.js';
import { bundleFlags } from '../../flags/bundle-flags.js';
import { editedOutputFlag } from '../../flags/output-flag.js';
import { resolveFlags, resolveOptions } from '../../flags/resolve-flags.js';
import { openSources } from '../../flags/source/source-flags.js';
import { wantsLongerTags } from '../../io/bundle/wants-longer-tags.js';
import type { Io } from '../../io/io.js';
import { readLock, type LockOnDisk } from '../../io/lock-file.js';
import { withProgress } from '../../io/progress.js';
import type { Given } from '../../hints/answer-with-hint.js';
import { withHintFlags } from '../../hints/with-hint-flags.js';
import { reportAnswer } from '../../output/answer/report-answer.js';
import { shellLine } from '../../output/shell-line.js';

/** Flags of every command that edits what is asked for and resolves it. */
export const editFlags = {
  ...resolveFlags,
  ...bundleFlags,
  ...editedOutputFlag,
} as const satisfies Flags;

export type EditArgs = ArgsOf<typeof editFlags>;

/** A file that says what is wanted, open for edits that are written with their answer or not at all. */
export class EditedSet {
  readonly lock: LockOnDisk | undefined;
  #args: EditArgs;
  readonly #io: Io;
  readonly #stats = noStats();
  readonly #before: string;
  #found: ListInFile;
  /** Other files that a hint changes, as they become. */
  #others: ReadonlyMap<string, string> = new Map();
  #hintsTaken = 0;
  #source: PackageSource | undefined;

  constructor(args: EditArgs, io: Io, found: ListInFile, lock: LockOnDisk | undefined) {
    this.#args = args;
    this.#io = io;
    this.#before = found.text;
    this.#found = found;
    this.lock = lock;
  }

  static async open(args: EditArgs, io: Io): Promise<EditedSet> {
    const options = { files: args.file ?? [], cwd: io.cwd, skip: outputsOf(args) };
    // The lockfile first: to read it finishes what a killed command began.
    const lock = await readLock(args, io);
    return new EditedSet(args, io, await findPackageList(options), lock);
  }

  /** As the user would write its path. */
  get file(): string {
    return this.#found.file;
  }

  get list(): ListInFile['list'] {
    return this.#found.list;
  }

  /** false: it is a package under development. */
  get isPackageSet(): boolean {
    return isPackageSet(this.list);
  }

  /** A release, or a range of releases, that beats what files say. */
  resolveFor(crossplane: string): void {
    this.#args = { ...this.#args, crossplane };
  }

  /** Packages of which prereleases will do, by flag or by hint. */
  get prereleases(): readonly string[] {
    return this.#args.prerelease ?? [];
  }

  async edit(operations: readonly PatchOperation[]): Promise<void> {
    if (operations.length === 0) return;
    const { applyPatch } = await import('../../../inputs/edit/apply-patch.js');
    await this.#become(applyPatch(this.#found.text, this.list.document.number, operations));
  }

  async #become(text: string): Promise<void> {
    const { packageListIn } = await import('../../../inputs/edit/package-list.js');
    const { parseDocuments } = await import('../../../inputs/document.js');
    const { number } = this.list.document;
    const document = parseDocuments(text, this.file).find((each) => each.number === number)!;
    this.#found = { file: this.file, text, list: packageListIn(document)! };
  }

  /** What is asked for, edits included, and these references. */
  async request(refs: readonly string[] = []): Promise<Request> {
    return (await this.#given(refs)).request;
  }

  async #given(refs: readonly string[]): Promise<Given & Pick<Inputs, 'notes'>> {
    const { file: files = [], strict, compat, crossplane } = this.#args;
    const read = await readInputs({
      files,
      refs,
      cwd: this.#io.cwd,
      stdin: () => this.#io.stdin(),
      strict,
      compat,
      skip: outputsOf(this.#args),
      unsaved: this.#unsaved(),
    });
    return { ...read, refs, files, hasCrossplane: crossplane !== undefined };
  }

  async source({ kept }: Request): Promise<PackageSource> {
    this.#source ??= SourceMemory.of(await openSources(this.#args, this.#io, this.#stats, kept));
    return this.#source;
  }

  async resolve(
    request: Request,
    options: Pick<ResolveOptions, 'unlock'> = { unlock: undefined },
  ): Promise<Answer> {
    const source = await this.source(request);
    const whole = {
      ...resolveOptions(this.#args, source, this.#io),
      lockfile: this.lock?.lockfile,
      longerTags: await wantsLongerTags(this.#args, this.lock, this.#io),
      ...options,
    };
    return withProgress(this.#io, this.#stats, () => resolve(request, whole));
  }

  /** Takes the hint that `--apply-hint` names, once: the references with it; undefined: none is. */
  async takeHint(answer: Answer, refs: readonly string[]): Promise<readonly string[] | undefined> {
    const { applyHint } = this.#args;
    if (applyHint === undefined || answer.status !== 'unsolvable' || this.#hintsTaken > 0) {
      return undefined;
    }
    this.#hintsTaken++;
    const { takeHint } = await import('../../hints/take-hint.js');
    const { edit, texts } = takeHint(applyHint, answer, await this.#given(refs), this.#io);
    if (edit.args !== undefined) {
      this.#io.note(`from now on, \`resolve\` needs these flags: ${shellLine(edit.args)}`);
    }
    this.#args = withHintFlags(this.#args, edit.args);
    this.#others = new Map([...texts].filter(([file]) => file !== this.file));
    const text = texts.get(this.file);
    if (text !== undefined) await this.#become(text);
    return edit.refs ?? refs;
  }

  /** Prints an answer that nothing is written for. */
  async refuse(
    answer: Exclude<Answer, { status: 'solved' }>,
    refs: readonly string[],
  ): Promise<ExitCode> {
    return this.#report(answer, await this.#given(refs));
  }

  /** Resolves what the edits ask for; where there is an answer, writes everything. */
  async finish(): Promise<ExitCode> {
    const answer = await this.resolve(await this.request());
    if ((await this.takeHint(answer, [])) !== undefined) return this.finish();
    const inputs = await this.#given([]);
    for (const note of inputs.notes) this.#io.note(`note: ${note}`);
    if (this.#args.applyHint !== undefined && this.#hintsTaken === 0) {
      this.#io.note('note: there is an answer, so no hint is applied');
    }
    return this.#report(answer, inputs);
  }

  #unsaved(): ReadonlyMap<string, string> {
    const { file, text } = this.#found;
    return new Map([...(text === this.#before ? [] : [[file, text] as const]), ...this.#others]);
  }

  #report(answer: Answer, inputs: Given): Promise<ExitCode> {
    const { bytes } = this.#stats;
    const { lock } = this;
    const { allowUndigested } = inputs.request;
    const reported = { answer, lock, mayChange: true, allowUndigested, bytes, inputs };
    const edits = { unsaved: this.#unsaved(), edited: this.#found.text };
    return reportAnswer({ ...reported, ...edits }, this.#args, this.#io);
  }
}

function outputsOf({ lock, out }: EditArgs): readonly string[] {
  return [lock, ...(out === '-' ? [] : [out])];
}
