import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { inputsFrom } from './lock-checks.js';
import type { LockOnDisk } from './lock-file.js';
import { byCodePoint } from '../../base/collections.js';
import { InputError } from '../../base/errors.js';
import { codeOf, isAbsent, isFileSystemError } from '../../base/files/file-system.js';
import type { FileChange } from '../../base/files/transaction.js';
import {
  projectText,
  isOtherProject,
  type Lockfile,
  type LockInputs,
} from '../../project/lockfile/lockfile.js';
import type { Mismatch } from '../../project/lockfile/mismatch.js';
import { LAYER_FOLDER } from '../../project/manifests/flux.js';
import { CHART_FILE, CHART_FOLDERS } from '../../project/manifests/helm.js';
import {
  readInputsRecord,
  readRenderRecord,
  type RenderRecord,
} from '../../project/manifests/render-record.js';
import {
  KUSTOMIZATION_FILE,
  RENDERED_FILES,
  RENDERED_MARK,
  type Rendering,
} from '../../project/manifests/render.js';
import type { BundleArgs } from '../arguments/common-flags.js';
import type { RunIo } from '../terminal/io.js';

const MAX_LISTED_FILES = 5;

/** Where rendered manifests and their lockfile are, as the user wrote it. */
interface RenderPaths {
  readonly out: string;
  readonly lock: string;
}

/** A folder for rendered manifests, and the files in it that belong to them. */
export class BundleFolder {
  /** Path as the user wrote it, without a slash at the end. */
  readonly named: string;
  readonly #path: string;
  readonly #files: FoundFiles;
  readonly #lock: string;
  readonly #cwd: string;

  constructor({ out, lock }: RenderPaths, cwd: string, files: FoundFiles) {
    this.named = out.replace(/(?<=[^/]|^\/)\/+$/, '');
    this.#path = resolve(cwd, out);
    this.#files = files;
    this.#lock = lock;
    this.#cwd = cwd;
  }

  /** Opens the folder that the flags name; undefined if no manifests are written or compared. */
  static async of(
    { bundle = true, ...paths }: RenderPaths & { readonly bundle?: boolean },
    { cwd }: RunIo,
  ): Promise<BundleFolder | undefined> {
    if (!bundle || paths.out === '-') return undefined;
    const path = resolve(cwd, paths.out);
    const files = new Map<string, Buffer | undefined>();
    const names = [...(await namesIn(path, () => notFolderError(path)))];
    for (const folder of names.filter(isFolderOfLayout)) {
      names.push(...(await namesIn(join(path, folder))).map((name) => `${folder}/${name}`));
    }
    for (const name of names.filter((each) => each.endsWith('.yaml'))) {
      const bytes = await bytesOf(join(path, name));
      if (RENDERED_FILES.includes(name) || isRendered(bytes)) files.set(name, bytes);
    }
    return new BundleFolder(paths, cwd, files);
  }

  /** Whether there are no rendered manifests. */
  get isEmpty(): boolean {
    return this.#files.size === 0;
  }

  /** The settings that the manifests were rendered with. */
  get record(): RenderRecord {
    return readRenderRecord(this.#recordText);
  }

  /** Text of the file whose comments record the settings; empty if there is none. */
  get #recordText(): string {
    const bytes = [CHART_FILE, KUSTOMIZATION_FILE]
      .map((name) => this.#files.get(name))
      .find(isRendered);
    return bytes?.toString('utf8') ?? '';
  }

  /** Throws an `InputError` if the folder has the manifests of another package set. */
  refuseOtherSet(lockfile: Pick<Lockfile, 'inputs'>): void {
    const own = readInputsRecord(this.#recordText);
    const inputs = this.inputsOf(lockfile);
    if (own === undefined || !isOtherProject(own, inputs)) return;
    throw new InputError(
      `\`${this.named}/\` holds the packages of ${projectText(own)}, and is not overwritten with those of ${projectText(inputs!)}`,
      { hint: `name another folder with \`--out DIR\`, or remove \`${this.named}/\` first` },
    );
  }

  /** Returns the inputs of a lockfile with paths relative to the folder above this one. */
  inputsOf({ inputs }: Pick<Lockfile, 'inputs'>): LockInputs | undefined {
    return inputs && inputsFrom(dirname(this.#path), inputs, this.#lock, { cwd: this.#cwd });
  }

  /** Returns where the files differ from a rendering; nothing if there are no rendered manifests. */
  mismatches({ files }: Pick<Rendering, 'files'>): Mismatch[] {
    if (this.isEmpty) return [];
    const names = [...new Set([...files.keys(), ...this.#files.keys()])].sort(byCodePoint);
    return names.flatMap((name) => {
      const difference = fileDifference(files.get(name), name, this.#files);
      return difference ? [{ kind: 'bundle', file: `${this.named}/${name}`, ...difference }] : [];
    });
  }

  /** Returns the file changes that replace the last rendering with this one. */
  changesTo({ files }: Rendering): readonly FileChange[] {
    const names = new Set([...RENDERED_FILES, ...files.keys(), ...this.#files.keys()]);
    return [...names].map((name) => ({
      path: join(this.#path, name),
      content: files.get(name),
      replacesOnlyOwn: true,
    }));
  }

  /** Returns the names of files that a rendering changes; if many or all change, the name of the folder. */
  summarizedChanges({ files }: Rendering): {
    readonly written: string[];
    readonly removed: string[];
  } {
    const differing = this.mismatches({ files }).map(({ file }) => file!);
    const kept = new Set(Array.from(files.keys(), (name) => `${this.named}/${name}`));
    const written = differing.filter((file) => kept.has(file));
    const isWhole =
      this.isEmpty || written.length === files.size || written.length > MAX_LISTED_FILES;
    return {
      written: isWhole ? [`${this.named}/`] : written,
      removed: differing.filter((file) => !kept.has(file)),
    };
  }
}

/** Returns whether a layout writes to a folder of that name. */
function isFolderOfLayout(name: string): boolean {
  return LAYER_FOLDER.test(name) || CHART_FOLDERS.includes(name);
}

/** Returns file names; empty if the path is absent or, without `refusal`, is a file of the user. */
async function namesIn(folder: string, refusal?: () => InputError): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR' && refusal !== undefined) throw refusal();
    if (isAbsent(error)) return [];
    throw cannotRead(folder, error);
  }
}

/** Returns undefined for a path that is not a regular file: reading a device may never end. */
async function bytesOf(path: string): Promise<Buffer | undefined> {
  try {
    return (await stat(path)).isFile() ? await readFile(path) : undefined;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw cannotRead(path, error);
  }
}

function notFolderError(path: string): InputError {
  return new InputError(`\`${path}\` is no folder, where a bundle needs one`, {
    hint: 'see with `ls -l` what it is, or what is above it; remove that, or name another with `--out`',
  });
}

function cannotRead(path: string, error: unknown): unknown {
  if (!isFileSystemError(error)) return error;
  return new InputError(`cannot read \`${path}\`: ${error.message}`, { cause: error });
}

function isRendered(bytes: Buffer | undefined): boolean {
  return bytes?.toString('utf8', 0, RENDERED_MARK.length) === RENDERED_MARK;
}

/** Files by name; undefined for a name that is not a regular file. */
type FoundFiles = ReadonlyMap<string, Buffer | undefined>;

/** Returns how a file differs from what the lockfile renders, with its first line that differs. */
function fileDifference(rendered: string | undefined, name: string, found: FoundFiles) {
  const bytes = found.get(name);
  if (rendered === undefined) return { text: 'the lockfile renders no such file' };
  if (!found.has(name)) return { text: 'the file is missing' };
  if (bytes === undefined) return { text: 'it is no file' };
  if (bytes.equals(Buffer.from(rendered))) return undefined;
  const first = firstDifference(rendered, bytes.toString('utf8'));
  return { text: 'not what the lockfile renders', ...first };
}

/** Describes the line that only one of two files has. */
const END_OF_FILE = 'the end of the file';

function firstDifference(wanted: string, found: string) {
  const [a, b] = [wanted.split('\n'), found.split('\n')];
  const at = a.findIndex((line, i) => line !== b[i]);
  const index = at < 0 ? a.length : at;
  return { line: index + 1, locked: a[index] ?? END_OF_FILE, found: b[index] ?? END_OF_FILE };
}

/**
 * Returns whether the lockfile records published tags that share a prefix: with `--pin locked`, now
 * or in the last rendering. A lockfile that has them keeps them until another pin is requested.
 */
export async function wantsLongerTags(
  args: Pick<BundleArgs, 'pin' | 'bundle' | 'out'> & { readonly lock: string },
  lock: LockOnDisk | undefined,
  io: RunIo,
): Promise<boolean> {
  if (args.pin !== undefined) return args.pin === 'locked';
  const hasLongerTags = lock?.lockfile.packages.some(({ longerTags }) => longerTags !== undefined);
  return hasLongerTags === true || (await BundleFolder.of(args, io))?.record.pin === 'locked';
}
