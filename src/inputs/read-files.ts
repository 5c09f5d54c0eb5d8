import { dirname, isAbsolute, join } from 'node:path';
import { formatOrigin, InputError } from '../model/input-error.js';
import type { Origin } from '../model/package.js';
import { WRITTEN_MARK } from '../text/written-mark.js';
import type { Contribution } from './contribution.js';
import { parseDocuments } from './document.js';
import type { FromFile } from './documents/own-objects.js';
import { readText, realPath, type InputFile } from './input-files.js';
import { over, under } from './overlay.js';
import { readDocument } from './read-document.js';

export interface FileReadOptions {
  readonly cwd: string;
  /** Standard input, for `-`. */
  readonly stdin: () => Promise<string>;
  readonly compat?: boolean | undefined;
  /** By path, texts to read in place of what files hold, or are to hold: edits not written yet. */
  readonly unsaved?: Pick<ReadonlyMap<string, string>, 'get' | 'keys'> | undefined;
}

/** Reads files, and those that they include; one that another includes is read there alone. */
export async function readFiles(
  files: readonly InputFile[],
  options: FileReadOptions,
): Promise<readonly FromFile[]> {
  const reader = new FileReader(options);
  const read = [];
  for (const file of files) read.push({ file, from: await reader.read(file, []) });
  const identities = await Promise.all(files.map(({ path }) => realPath(options.cwd, path)));
  return read.flatMap(({ from }, i) => (reader.included.has(identities[i]!) ? [] : from));
}

/** A file that is being read, and where the next one is included. */
interface Including {
  readonly identity: string;
  readonly origin: Origin;
}

class FileReader {
  /** Real paths of what was included. */
  readonly included = new Set<string>();
  readonly #options: FileReadOptions;

  constructor(options: FileReadOptions) {
    this.#options = options;
  }

  async read(file: InputFile, above: readonly Including[]): Promise<readonly FromFile[]> {
    const { compat = false } = this.#options;
    const text = await this.#textOf(file);
    // A folder may well hold bundles and lockfiles of earlier answers: they ask for nothing.
    if (file.folder !== undefined && text.startsWith(WRITTEN_MARK)) return [];
    const found: FromFile[] = [];
    for (const document of parseDocuments(text, file.path)) {
      for (const contribution of await readDocument(document, { compat })) {
        found.push(...(await this.#withIncluded({ file, text, contribution }, above)));
      }
    }
    return found;
  }

  async #textOf({ path }: InputFile): Promise<string> {
    const { cwd, stdin, unsaved } = this.#options;
    return unsaved?.get(path) ?? (path === '-' ? stdin() : readText(path, cwd));
  }

  async #withIncluded(own: FromFile, above: readonly Including[]): Promise<readonly FromFile[]> {
    const { file, text, contribution: top } = own;
    const below: FromFile[] = [];
    for (const include of top.include ?? [])
      below.push(...(await this.#include(include, file, above)));
    if (below.length === 0) return [own];
    const bases = below.map(({ contribution }) => contribution);
    return [
      ...below.map((each) => ({ ...each, contribution: under(each.contribution, top) })),
      { file, text, contribution: over(top, bases) },
    ];
  }

  async #include(
    { path, origin }: NonNullable<Contribution['include']>[number],
    from: InputFile,
    above: readonly Including[],
  ): Promise<readonly FromFile[]> {
    const { cwd } = this.#options;
    const folder = from.path === '-' ? '.' : dirname(from.path);
    const file = { path: isAbsolute(path) ? path : join(folder, path), folder: undefined };
    const [identity, own] = await Promise.all([realPath(cwd, file.path), realPath(cwd, from.path)]);
    const way = [...above, { identity: own, origin }];
    const loop = way.findIndex((each) => each.identity === identity);
    if (loop >= 0) throw includesItself(file, way.slice(loop));
    if (this.included.has(identity)) return [];
    this.included.add(identity);
    try {
      return await this.read(file, way);
    } catch (error) {
      throw error instanceof InputError && above.length === 0 ? includedAt(error, origin) : error;
    }
  }
}

function includesItself({ path }: InputFile, way: readonly Including[]): InputError {
  const places = way.map(({ origin }) => formatOrigin(origin));
  return new InputError(`\`${path}\` includes itself, by way of ${places.join(', then ')}`, {
    origin: way.at(-1)!.origin,
    hint: 'take one of these lines out',
  });
}

/** The error with the second place that it is about: where the file is included. */
function includedAt(error: InputError, origin: Origin): InputError {
  const place = error.origin === undefined ? '' : `${formatOrigin(error.origin)}: `;
  const message = error.message.startsWith(place)
    ? error.message.slice(place.length)
    : error.message;
  return new InputError(`${message} (included at ${formatOrigin(origin)})`, {
    origin: error.origin,
    ...(error.hint !== undefined && { hint: error.hint }),
    cause: error,
  });
}
