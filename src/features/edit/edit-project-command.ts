import { COMMAND_LINE } from '../../project/inputs/references.js';
import type { Repository } from '../../crossplane/packages/package.js';
import type { Request } from '../../project/inputs/request.js';
import type { PackageSource } from '../../sources/package-source.js';
import type { PatchOperation } from '../../base/json.js';
import { noStats } from '../../resolver/driver/read-stats.js';
import { applyPatch } from '../../project/edit/apply-patch.js';
import {
  findPackageList,
  type ListInFile,
  packageListIn,
} from '../../project/edit/package-list.js';
import { parseDocuments } from '../../project/inputs/document.js';
import type { Answer, Solved } from '../../resolver/resolve/answer.js';
import { resolve } from '../../resolver/resolve/resolve.js';
import type { ArgsOf, Flags } from '../../cli/kit/command.js';
import { bundleFlags, editedOutputFlag } from '../../cli/arguments/common-flags.js';
import { resolveFlags, resolveOptions } from '../../cli/arguments/resolve-flags.js';
import { openSources } from '../../cli/sources/source-flags.js';
import { wantsLongerTags } from '../../cli/files/rendered-folder.js';
import { type RunIo, silent } from '../../cli/terminal/io.js';
import { readLock, type LockOnDisk } from '../../cli/files/lock-file.js';
import { refuseOtherSet } from '../../cli/files/lock-checks.js';
import { withProgress } from '../../cli/terminal/progress.js';
import { type AnswerValue, writeAnswer } from '../resolve/answer-command.js';
import { type Given, outputsOf, readGiven, withHintFlags } from '../resolve/workflow-command.js';
import { shellCommand } from '../../base/escape.js';

/** Flags of every command that edits input files and resolves. */
export const editFlags = {
  ...resolveFlags,
  ...bundleFlags,
  ...editedOutputFlag,
} as const satisfies Flags;

type EditArgs = ArgsOf<typeof editFlags>;

/** An input file with pending edits. They are written together with the answer, or not at all. */
export class EditedSet {
  readonly lock: LockOnDisk | undefined;
  /** Packages that the command names: messages mention that, and no suggestion changes them. */
  readonly named = new Set<Repository>();
  /** The command names the release: no suggestion changes it. */
  isReleaseNamed = false;
  #args: EditArgs;
  readonly #io: RunIo;
  readonly #stats = noStats();
  readonly #oldText: string;
  #listInFile: ListInFile;
  /** New texts of other files that a hint changes. */
  #others: ReadonlyMap<string, string> = new Map();
  #hintsTaken = 0;
  #source: PackageSource | undefined;

  constructor(args: EditArgs, io: RunIo, found: ListInFile, lock: LockOnDisk | undefined) {
    this.#args = args;
    this.#io = io;
    this.#oldText = found.text;
    this.#listInFile = found;
    this.lock = lock;
  }

  static async open(args: EditArgs, io: RunIo): Promise<EditedSet> {
    // Read first, because reading the lockfile completes the edits of a killed command.
    const lock = await readLock(args, io);
    const options = { files: args.file ?? [], cwd: io.cwd, skip: outputsOf(args) };
    return new EditedSet(args, io, await findPackageList(options), lock);
  }

  /** Path as the user would write it. */
  get file(): string {
    return this.#listInFile.file;
  }

  get list(): ListInFile['list'] {
    return this.#listInFile.list;
  }

  /** A release or range that overrides the input files. */
  resolveFor(crossplane: string): void {
    this.#args = { ...this.#args, crossplane };
  }

  /** Packages whose prereleases are admitted, by flag or hint. */
  get prereleases(): readonly string[] {
    return this.#args.prerelease ?? [];
  }

  edit(operations: readonly PatchOperation[]): void {
    if (operations.length === 0) return;
    this.#replaceText(applyPatch(this.#listInFile.text, this.list.document.number, operations));
  }

  #replaceText(text: string): void {
    const { number } = this.list.document;
    const document = parseDocuments(text, this.file).find((each) => each.number === number)!;
    this.#listInFile = { file: this.file, text, list: packageListIn(document)! };
  }

  /** The request, including edits and these references. */
  async request(refs: readonly string[] = []): Promise<Request> {
    return (await this.#readInputs(refs)).request;
  }

  async #readInputs(refs: readonly string[]): Promise<Given> {
    // Notes about the inputs are printed once, by `finish`.
    const read = await readGiven({ ...this.#args, refs }, silent(this.#io), this.#unsavedTexts());
    return { ...read, request: this.#withNamed(read.request) };
  }

  /** The command line is the origin of what it names, although the file will contain it. */
  #withNamed(request: Request): Request {
    const roots = request.roots.map((root) => {
      if (root.root !== 'package' || !this.named.has(root.repository)) return root;
      const isRef = root.origin.file === COMMAND_LINE.file;
      return { ...root, isNamed: true, origin: isRef ? root.origin : COMMAND_LINE };
    });
    return { ...request, roots };
  }

  async source({ kept }: Request): Promise<PackageSource> {
    this.#source ??= await openSources(this.#args, this.#io, kept, { stats: this.#stats });
    return this.#source;
  }

  async resolve(request: Request, unlock?: ReadonlySet<Repository>): Promise<Answer> {
    const options = {
      ...resolveOptions(this.#args, await this.source(request), this.#io),
      lockfile: this.lock?.lockfile,
      longerTags: await wantsLongerTags(this.#args, this.lock, this.#io),
      isReleaseNamed: this.isReleaseNamed,
      isUnsaved: !this.#args.write,
      unlock,
    };
    return withProgress(this.#io, this.#stats, () => resolve(request, options));
  }

  /** Applies the hint of `--apply-hint`, once. Returns the new references; undefined without the flag. */
  async takeHint(answer: Answer, refs: readonly string[]): Promise<readonly string[] | undefined> {
    const { applyHint } = this.#args;
    if (applyHint === undefined || answer.status !== 'unsolvable' || this.#hintsTaken > 0) {
      return undefined;
    }
    this.#hintsTaken++;
    const { takeHint } = await import('../resolve/refusal-output.js');
    const { edit, texts } = takeHint(applyHint, answer, await this.#readInputs(refs), this.#io);
    if (edit.args !== undefined) {
      const when = this.#args.write ? 'from now on, `resolve` needs' : '`resolve` would need';
      this.#io.note(`${when} these flags: ${shellCommand(edit.args)}`);
    }
    this.#args = withHintFlags(this.#args, edit.args);
    this.#others = new Map([...texts].filter(([file]) => file !== this.file));
    const text = texts.get(this.file);
    if (text !== undefined) this.#replaceText(text);
    return edit.refs ?? refs;
  }

  /** Resolves the edited inputs. If there is an answer, writes everything. */
  async finish(): Promise<AnswerValue> {
    const { request, set } = await this.#readInputs([]);
    refuseOtherSet(this.lock?.lockfile, set, this.#args, this.#io);
    const answer = await this.resolve(request);
    if ((await this.takeHint(answer, [])) !== undefined) return this.finish();
    const inputs = await this.#readInputs([]);
    for (const warning of inputs.warnings) this.#io.note(`warning: ${warning}`);
    for (const note of inputs.notes) this.#io.note(`note: ${note}`);
    if (this.#args.applyHint !== undefined && this.#hintsTaken === 0) {
      this.#io.note('note: there is an answer, so no hint is applied');
    }
    return this.#write(answer, inputs);
  }

  /** Returns the value of the command for a request without an answer: nothing is written. */
  async refuse(answer: Exclude<Answer, Solved>, refs: readonly string[]): Promise<AnswerValue> {
    return this.#write(answer, await this.#readInputs(refs));
  }

  #write(answer: Answer, inputs: Given): Promise<AnswerValue> {
    const found = { answer, request: inputs.request, inputs, lock: this.lock, isLocked: false };
    const edits = { unsaved: this.#unsavedTexts(), edited: this.#listInFile.text };
    return writeAnswer({ ...found, ...edits, stats: this.#stats }, this.#args, this.#io);
  }

  #unsavedTexts(): ReadonlyMap<string, string> {
    const { file, text } = this.#listInFile;
    return new Map([...(text === this.#oldText ? [] : [[file, text] as const]), ...this.#others]);
  }
}

/** Adds what happened to each named package, or would happen with `--no-write`, to a solved value. */
export function withEdits(
  value: AnswerValue,
  edits: readonly string[],
  { write }: Pick<EditArgs, 'write'>,
): AnswerValue {
  if (value.written === undefined) return value;
  return { ...value, closing: [...edits, ...(write ? [] : ['nothing was written (--no-write)'])] };
}
