import type { Dirent, Stats } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { byCodePoint } from '../base/collections.js';
import { SourceError } from '../base/errors.js';
import { isAbsent } from '../base/files/file-system.js';
import { DOT_REGISTRY } from '../crossplane/legacy/dot-registry.js';
import { RegistryPackage } from '../crossplane/legacy/registry-package.js';
import type { PackageContents } from '../crossplane/packages/package-contents.js';
import { LIMITS } from '../oci/image/limits.js';

export const SEPARATOR = Buffer.from('---\n');
const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Returns the form of a package folder: built (`package.yaml`), not yet built (`crossplane.yaml`)
 * or legacy (`.registry`). Returns undefined if it is not a package.
 */
export async function packageForm(
  folder: string,
): Promise<'built' | 'parts' | typeof DOT_REGISTRY | undefined> {
  if ((await statIfPresent(join(folder, 'package.yaml')))?.isFile() === true) return 'built';
  if ((await statIfPresent(join(folder, 'crossplane.yaml')))?.isFile() === true) return 'parts';
  const old = await statIfPresent(join(folder, DOT_REGISTRY));
  return old?.isDirectory() === true ? DOT_REGISTRY : undefined;
}

/**
 * Returns the package.yaml of a folder. If there is none, it is joined from the meta file and all
 * other YAML files, in the order of `crossplane xpkg build`. `shown` is the folder in messages.
 */
export async function readPackageFiles(folder: string, shown: string): Promise<Uint8Array> {
  if ((await packageForm(folder)) === 'built') {
    const bytes = await readWithin(join(folder, 'package.yaml'), LIMITS.packageYamlBytes);
    if (bytes === undefined) throw tooLarge(shown);
    return bytes;
  }
  const parts = await packageParts(folder, shown);
  return Buffer.concat([SEPARATOR, ...parts.flatMap(({ bytes }) => [bytes, SEPARATOR])]);
}

/** A source file of a package that is not yet built. */
interface PackagePart {
  readonly file: string;
  /** Content with a newline at the end. */
  readonly bytes: Uint8Array;
}

/** Returns the files that make up a package.yaml, in order. */
export async function packageParts(folder: string, shown: string): Promise<PackagePart[]> {
  const meta = join(folder, 'crossplane.yaml');
  const others = (await yamlFiles(folder, 'root')).filter((file) => file !== meta);
  const parts: PackagePart[] = [];
  let left = LIMITS.packageYamlBytes;
  for (const file of [meta, ...others]) {
    const bytes = await readWithin(file, left);
    if (bytes === undefined) throw tooLarge(shown);
    left -= bytes.length;
    if (bytes.length > 0) parts.push({ file, bytes: withFinalNewline(bytes) });
  }
  return parts;
}

/**
 * Returns the YAML files of a folder tree, sorted by name, except links and the examples folder.
 */
async function yamlFiles(folder: string, level: 'root' | 'below'): Promise<string[]> {
  const files: string[] = [];
  for (const entry of await sortedEntries(folder)) {
    const path = join(folder, entry.name);
    if (entry.isFile() && /\.ya?ml$/.test(entry.name)) files.push(path);
    if (entry.isDirectory() && !(level === 'root' && entry.name === 'examples')) {
      files.push(...(await yamlFiles(path, 'below')));
    }
  }
  return files;
}

export async function sortedEntries(folder: string): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.sort((a, b) => byCodePoint(a.name, b.name));
}

async function readWithin(file: string, most: number): Promise<Uint8Array | undefined> {
  return (await stat(file)).size > most ? undefined : readFile(file);
}

function tooLarge(shown: string): SourceError {
  const limit = `${LIMITS.packageYamlBytes >> 20} MiB`;
  return new SourceError('TOO_LARGE', shown, `over ${limit}, which is all that Crossplane reads`);
}

function withFinalNewline(bytes: Uint8Array): Uint8Array {
  const marked = BYTE_ORDER_MARK.equals(bytes.subarray(0, BYTE_ORDER_MARK.length));
  const text = marked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
  return text.at(-1) === NEWLINE ? text : Buffer.concat([text, Uint8Array.of(NEWLINE)]);
}

async function statIfPresent(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Total size of all files below a `.registry/` folder. */
const MAX_REGISTRY_BYTES = 32 * 1024 * 1024;
const MAX_REGISTRY_FILES = 50_000;

/** A file of a `.registry/` package; its name starts with that folder. */
export interface RegistryFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/**
 * Returns the files below `.registry/`, sorted, without links. `shown` is the folder in messages.
 */
export async function readRegistryFiles(folder: string, shown: string): Promise<RegistryFile[]> {
  const names = await namesBelow(folder, DOT_REGISTRY);
  const files: RegistryFile[] = [];
  let left = MAX_REGISTRY_BYTES;
  for (const name of names.sort(byCodePoint)) {
    left -= (await stat(join(folder, name))).size;
    if (left < 0 || names.length > MAX_REGISTRY_FILES) throw tooManyFiles(shown);
    files.push({ name, bytes: await readFile(join(folder, name)) });
  }
  return files;
}

/** Parses the files of a `.registry/` package. `read` may also collect documents. */
export async function registryContents(
  files: readonly RegistryFile[],
  read: Pick<RegistryPackage, 'add' | 'value'> = new RegistryPackage(),
): Promise<PackageContents> {
  for (const { name, bytes } of files) await read.add(name, chunks(bytes));
  return read.value ?? { metas: [], objects: [], problems: [EMPTY_PROBLEM], warnings: [] };
}

const EMPTY_PROBLEM = { message: '`.registry/` is empty' };

async function* chunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Returns file names with slashes on every system. */
async function namesBelow(root: string, folder: string): Promise<string[]> {
  const names: string[] = [];
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const name = `${folder}/${entry.name}`;
    if (entry.isFile()) names.push(name);
    if (entry.isDirectory()) names.push(...(await namesBelow(root, name)));
  }
  return names;
}

function tooManyFiles(shown: string): SourceError {
  const limit = `${MAX_REGISTRY_BYTES >> 20} MiB or ${MAX_REGISTRY_FILES} files`;
  return new SourceError('TOO_LARGE', shown, `its \`${DOT_REGISTRY}/\` holds more than ${limit}`);
}
