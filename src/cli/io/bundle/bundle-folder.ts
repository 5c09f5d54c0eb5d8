import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { codeOf, isAbsent, isFileSystemError } from '../../../files/error-code.js';
import type { FileChange } from '../../../files/transaction.js';
import { InputError } from '../../../model/input-error.js';
import { bundleMismatches, type FoundFiles } from '../../../usecases/bundle-mismatches.js';
import type { Mismatch } from '../../../usecases/mismatch.js';
import { LAYER_FOLDER } from '../../../usecases/layouts/flux-layout.js';
import { CHART_FILE, CHART_FOLDERS } from '../../../usecases/layouts/helm-layout.js';
import { readRenderRecord, type RenderRecord } from '../../../usecases/render-record.js';
import type { Io } from '../io.js';
import {
  KUSTOMIZATION_FILE,
  RENDERED_FILES,
  RENDERED_MARK,
  type Rendering,
} from '../../../usecases/render.js';

/** Files that are told one by one. */
const MOST_TOLD = 5;

/** The folder of a bundle, with what of one is in it: files of its names, and others of ours. */
export class BundleFolder {
  /** As the user names it, without a slash at the end. */
  readonly named: string;
  readonly #path: string;
  readonly #files: FoundFiles;

  constructor(named: string, path: string, files: FoundFiles) {
    this.named = named.replace(/(?<=[^/]|^\/)\/+$/, '');
    this.#path = path;
    this.#files = files;
  }

  /** The folder that the flags name; undefined: no bundle is to be written or compared. */
  static async of(
    { bundle = true, out }: { readonly bundle?: boolean; readonly out: string },
    { cwd }: Io,
  ): Promise<BundleFolder | undefined> {
    return bundle && out !== '-' ? BundleFolder.#read(out, cwd) : undefined;
  }

  static async #read(named: string, cwd: string): Promise<BundleFolder> {
    const path = resolve(cwd, named);
    const files = new Map<string, Uint8Array | undefined>();
    const top = await namesIn(path, () => notFolder(path));
    const inner = top
      .filter(isFolderOfLayout)
      .map(async (folder) =>
        (await namesIn(join(path, folder))).map((name) => `${folder}/${name}`),
      );
    const names = [...top, ...(await Promise.all(inner)).flat()];
    for (const name of names.filter((each) => each.endsWith('.yaml'))) {
      const bytes = await bytesOf(join(path, name));
      if (RENDERED_FILES.includes(name) || isRendered(bytes)) files.set(name, bytes);
    }
    return new BundleFolder(named, path, files);
  }

  /** No bundle is there, nor part of one. */
  get isEmpty(): boolean {
    return this.#files.size === 0;
  }

  /** What the bundle in it was rendered with. */
  get record(): RenderRecord {
    const bytes = [CHART_FILE, KUSTOMIZATION_FILE]
      .map((name) => this.#files.get(name))
      .find(isRendered);
    return bytes === undefined ? {} : readRenderRecord(Buffer.from(bytes).toString('utf8'));
  }

  /** Where it differs from a rendering; a bundle that is not there does not. */
  mismatches({ files }: Pick<Rendering, 'files'>): Mismatch[] {
    return this.isEmpty ? [] : bundleMismatches(files, this.#files, this.named);
  }

  /** The changes after which it holds this rendering and nothing of an older one. */
  changesTo({ files }: Rendering): readonly FileChange[] {
    const names = new Set([...RENDERED_FILES, ...files.keys(), ...this.#files.keys()]);
    return [...names].map((name) => ({
      path: join(this.#path, name),
      content: files.get(name),
      ownOnly: true,
    }));
  }

  /** What changes for it to hold a rendering; where all files are written, or many, the folder is told. */
  toldChanges({ files }: Rendering): { readonly written: string[]; readonly removed: string[] } {
    const differing = this.mismatches({ files }).map(({ file }) => file!);
    const kept = new Set(Array.from(files.keys(), (name) => `${this.named}/${name}`));
    const written = differing.filter((file) => kept.has(file));
    const isWhole = this.isEmpty || written.length === files.size || written.length > MOST_TOLD;
    return {
      written: isWhole ? [`${this.named}/`] : written,
      removed: differing.filter((file) => !kept.has(file)),
    };
  }
}

/** Whether a layout writes to a folder of that name. */
function isFolderOfLayout(name: string): boolean {
  return LAYER_FOLDER.test(name) || CHART_FOLDERS.includes(name);
}

/** `refusal`: what to throw where it is no folder; undefined: such a file is the user's own. */
async function namesIn(folder: string, refusal?: () => InputError): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR' && refusal !== undefined) throw refusal();
    if (isAbsent(error)) return [];
    throw cannotRead(folder, error);
  }
}

/** undefined: it is no file, or a link to none. To read a device may never end. */
async function bytesOf(path: string): Promise<Uint8Array | undefined> {
  try {
    return (await stat(path)).isFile() ? await readFile(path) : undefined;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw cannotRead(path, error);
  }
}

function notFolder(path: string): InputError {
  return new InputError(`\`${path}\` is no folder, where a bundle needs one`, {
    hint: 'see with `ls -l` what it is, or what is above it; remove that, or name another with `--out`',
  });
}

function cannotRead(path: string, error: unknown): unknown {
  if (!isFileSystemError(error)) return error;
  return new InputError(`cannot read \`${path}\`: ${error.message}`, { cause: error });
}

function isRendered(bytes: Uint8Array | undefined): boolean {
  const start = bytes?.subarray(0, RENDERED_MARK.length);
  return start !== undefined && Buffer.from(start).toString('utf8') === RENDERED_MARK;
}
