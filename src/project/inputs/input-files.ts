import { createReadStream } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { InputError } from '../../base/errors.js';
import { readUpTo } from '../../base/size-limits.js';
import { byCodePoint } from '../../base/collections.js';

/** A file to read, or standard input. */
export interface InputFile {
  /** Path as the user writes it; `-` for standard input. */
  readonly path: string;
  /** Folder of `-f` in which the file was found; undefined for a file that was named. */
  readonly folder: string | undefined;
}

export interface InputFileOptions {
  /** Arguments of `-f`, in order. */
  readonly files: readonly string[];
  readonly cwd: string;
  /** Files and folders to skip when reading a folder: the output of this tool. */
  readonly skip?: readonly string[] | undefined;
}

/** Files to read by default: the first of them that the working folder has. */
export const DEFAULT_FILES = [
  'xpkg.yaml',
  'crossplane.yaml',
  'crossplane-project.yaml',
  'upbound.yaml',
];

/** Maximum size of a file, pipe or standard input: reading takes up to 25 times as much memory. */
export const MAX_INPUT_BYTES = 16 * 1024 * 1024;
const MAX_FILES = 20_000;
const SUFFIX = /\.(?:ya?ml|json)$/;

/** Returns the files to read, in order. A file that is named or linked twice occurs once. */
export async function findInputFiles(options: InputFileOptions): Promise<readonly InputFile[]> {
  const { files, cwd } = options;
  const paths = files.length > 0 ? files : await defaultFile(cwd);
  const skipped = new Set(
    await Promise.all((options.skip ?? []).map((path) => realPath(cwd, path))),
  );
  const seen = new Set<string>();
  const found: InputFile[] = [];
  for (const path of paths) {
    for (const file of await expand(path, cwd, skipped)) {
      const identity = file.path === '-' ? '-' : await realPath(cwd, file.path);
      if (seen.has(identity)) continue;
      seen.add(identity);
      found.push(file);
    }
  }
  return found;
}

/** Reads a text file. Throws an `InputError` for binary files and other encodings than UTF-8. */
export async function readText(path: string, cwd: string, most = MAX_INPUT_BYTES): Promise<string> {
  const bytes = await readOrThrow(path, () => readUpTo(openFile(path, cwd), most));
  if (bytes === undefined) throw tooLargeError(path, most);
  if (bytes.includes(0)) throw notTextError(path);
  return decodeInput(path, () => new TextDecoder('utf-8', { fatal: true }).decode(bytes));
}

export function openFile(path: string, cwd: string): AsyncIterable<Uint8Array> {
  return createReadStream(resolve(cwd, path));
}

/** Reads a text file or standard input in chunks. Throws the same errors as `readText`. */
export async function* textChunks(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  most: number,
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let size = 0;
  for await (const chunk of readChunks(path, bytes)) {
    size += chunk.length;
    if (size > most) throw tooLargeError(path, most);
    if (chunk.includes(0)) throw notTextError(path);
    yield decodeInput(path, () => decoder.decode(chunk, { stream: true }));
  }
  yield decodeInput(path, () => decoder.decode());
}

async function* readChunks(path: string, bytes: AsyncIterable<Uint8Array>) {
  try {
    yield* bytes;
  } catch (cause) {
    throw unreadableError(path, cause);
  }
}

function decodeInput(path: string, decode: () => string): string {
  try {
    return decode();
  } catch (cause) {
    throw new InputError('is not UTF-8 text', { origin: { file: path }, cause });
  }
}

function tooLargeError(file: string, most: number): InputError {
  return new InputError(`is larger than ${most} bytes, the most that is read`, {
    origin: { file },
  });
}

function notTextError(file: string): InputError {
  return new InputError('is not a text file', { origin: { file } });
}

async function defaultFile(cwd: string): Promise<readonly string[]> {
  for (const name of DEFAULT_FILES) {
    const found = await stat(resolve(cwd, name)).catch(() => undefined);
    if (found?.isFile() === true) return [name];
  }
  return [];
}

async function expand(path: string, cwd: string, skipped: ReadonlySet<string>) {
  if (path === '-') return [{ path, folder: undefined }];
  const found = await readOrThrow(path, () => stat(resolve(cwd, path)));
  if (!found.isDirectory()) return [{ path, folder: undefined }];
  const inside = await filesBelow(path, { cwd, skipped, parents: new Set(), count: { files: 0 } });
  return inside.sort(byCodePoint).map((file) => ({ path: file, folder: path }));
}

interface Walk {
  readonly cwd: string;
  readonly skipped: ReadonlySet<string>;
  /** Real paths of the parent folders. A link to one of them is a loop. */
  readonly parents: ReadonlySet<string>;
  readonly count: { files: number };
}

async function filesBelow(folder: string, at: Walk): Promise<string[]> {
  const realFolder = await realPath(at.cwd, folder);
  if (at.parents.has(realFolder) || at.skipped.has(realFolder)) return [];
  const inner = { ...at, parents: new Set([...at.parents, realFolder]) };
  const names = await readOrThrow(folder, () => readdir(resolve(at.cwd, folder)));
  const files: string[] = [];
  for (const name of names) {
    const path = join(folder, name);
    const found = await stat(resolve(at.cwd, path)).catch(ignoreDanglingLink);
    if (found?.isDirectory() === true) files.push(...(await filesBelow(path, inner)));
    if (found?.isFile() !== true || !SUFFIX.test(name)) continue;
    if (at.skipped.has(await realPath(at.cwd, path))) continue;
    at.count.files += 1;
    if (at.count.files > MAX_FILES) {
      const what = `holds more than ${MAX_FILES} files to read`;
      throw new InputError(what, { origin: { file: folder } });
    }
    files.push(path);
  }
  return files;
}

/** Ignores a dangling link: editors use them as locks. */
function ignoreDanglingLink(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ELOOP') throw error;
}

/** Returns the path with links resolved. Returns `-` and missing paths unchanged. */
export async function realPath(cwd: string, path: string): Promise<string> {
  const absolutePath = resolve(cwd, path);
  return realpath(absolutePath).catch(() => absolutePath);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'may not be read',
  EPERM: 'may not be read',
  ENOTDIR: 'there is no such file: a part of the path is not a folder',
  ELOOP: 'is a link that leads back to itself',
};

async function readOrThrow<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    throw unreadableError(path, cause);
  }
}

function unreadableError(path: string, cause: unknown): InputError {
  const { code = '' } = cause as NodeJS.ErrnoException;
  const why = REASONS[code] ?? `cannot be read (${code})`;
  return new InputError(why, { origin: { file: path }, cause });
}
