import { createReadStream, type Dirent } from 'node:fs';
import { open, readdir, stat, readFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { createGunzip } from 'node:zlib';
import { DOT_REGISTRY } from '../crossplane/legacy/dot-registry.js';
import { InputError, type Origin, SourceError } from '../base/errors.js';
import type { PackageContents } from '../crossplane/packages/package-contents.js';
import {
  type PackageDocument,
  readContents,
  readPackageYaml,
} from '../crossplane/package-yaml/read-package-yaml.js';
import { RegistryDocuments, RegistryPackage } from '../crossplane/legacy/registry-package.js';
import { byCodePoint } from '../base/collections.js';
import { undefinedIfAbsent } from '../base/files/file-system.js';
import { LIMITS } from '../oci/image/limits.js';

interface PackageOnDisk {
  readonly contents: PackageContents;
  /** File and line of a line in `contents`. */
  readonly originOf: (line: number | undefined) => Origin;
}

/** Reads a package.yaml (gzip or not) or a package folder of any form. */
export async function readPackageOnDisk(path: string, shown: string): Promise<PackageOnDisk> {
  if (!(await stat(path)).isDirectory()) return readStream(path, shown);
  const names = await readdir(path);
  if (names.includes('package.yaml')) {
    return readStream(join(path, 'package.yaml'), join(shown, 'package.yaml'));
  }
  if (names.includes('crossplane.yaml')) return readParts(path, shown);
  if (names.includes(DOT_REGISTRY)) return readRegistry(path, shown);
  if (basename(path) === DOT_REGISTRY) return readRegistry(dirname(path), dirname(shown));
  throw notPackageError(shown);
}

function notPackageError(shown: string): InputError {
  return new InputError(`\`${shown}\` holds neither a crossplane.yaml nor a package.yaml`, {
    hint: 'name the folder of a package, or a package.yaml',
  });
}

async function readStream(path: string, shown: string): Promise<PackageOnDisk> {
  const contents = await readPackageYaml(await contentStream(path));
  return { contents, originOf: (line) => ({ file: shown, line }) };
}

/** Reads a package like `readPackageOnDisk`, and passes every document to `take`. */
export async function readPackageAndDocuments(
  path: string,
  shown: string,
  take: (document: PackageDocument) => void,
): Promise<{
  readonly contents: PackageContents;
  /** Whether the package could be read to its end. */
  readonly complete: boolean;
  readonly notes?: readonly string[];
}> {
  if (!(await stat(path)).isDirectory()) return readContents(await contentStream(path), take);
  const form = await packageForm(path);
  if (form === 'built' || form === 'parts') {
    return readContents([await readPackageFiles(path, shown)], take);
  }
  const isInside = basename(path) === DOT_REGISTRY;
  if (form === undefined && !isInside) throw notPackageError(shown);
  const [folder, name] = isInside ? [dirname(path), dirname(shown)] : [path, shown];
  const read = new RegistryDocuments();
  const contents = await registryContents(await readRegistryFiles(folder, name), read);
  return { contents, complete: true, notes: read.passTo(take) };
}

async function contentStream(path: string): Promise<AsyncIterable<Uint8Array>> {
  if (!(await isGzip(path))) return createReadStream(path);
  const file = createReadStream(path);
  const unzip = createGunzip();
  // `pipe` alone would not destroy one stream when the other fails.
  file.on('error', (error) => unzip.destroy(error));
  unzip.on('close', () => file.destroy());
  return file.pipe(unzip);
}

async function isGzip(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer.readUInt16BE() === 0x1f8b;
  } finally {
    await file.close();
  }
}

async function readRegistry(folder: string, shown: string): Promise<PackageOnDisk> {
  const contents = await registryContents(await readRegistryFiles(folder, shown));
  return { contents, originOf: (line) => ({ file: join(shown, DOT_REGISTRY, 'app.yaml'), line }) };
}

async function readParts(folder: string, shown: string): Promise<PackageOnDisk> {
  const parts = await packageParts(folder, shown);
  let line = 1;
  const starts = parts.map(({ file, bytes }) => {
    const start = { file: join(shown, relative(folder, file)), line };
    line += newlinesIn(bytes) + newlinesIn(SEPARATOR);
    return start;
  });
  const stream = Buffer.concat(parts.flatMap(({ bytes }) => [bytes, SEPARATOR]));
  return {
    contents: await readPackageYaml(stream),
    originOf: (at) => {
      const part = at === undefined ? undefined : starts.findLast((start) => start.line <= at);
      return part && at ? { file: part.file, line: at - part.line + 1 } : { file: shown };
    },
  };
}

function newlinesIn(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte === 0x0a) count++;
  return count;
}

export const SEPARATOR = Buffer.from('---\n');
const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Returns the form of a package folder, or undefined if it is not a package. */
export async function packageForm(
  folder: string,
): Promise<'built' | 'parts' | typeof DOT_REGISTRY | undefined> {
  const statOf = (name: string) => undefinedIfAbsent(stat(join(folder, name)));
  if ((await statOf('package.yaml'))?.isFile() === true) return 'built';
  if ((await statOf('crossplane.yaml'))?.isFile() === true) return 'parts';
  return (await statOf(DOT_REGISTRY))?.isDirectory() === true ? DOT_REGISTRY : undefined;
}

/** Returns package.yaml, or joins it from its parts in the order of `crossplane xpkg build`. */
export async function readPackageFiles(folder: string, shown: string): Promise<Uint8Array> {
  if ((await packageForm(folder)) === 'built') {
    const bytes = await readUnlessTooLarge(join(folder, 'package.yaml'), LIMITS.packageYamlBytes);
    if (bytes === undefined) throw tooLargeError(shown);
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

async function packageParts(folder: string, shown: string): Promise<PackagePart[]> {
  const meta = join(folder, 'crossplane.yaml');
  const others = (await yamlFiles(folder, 'root')).filter((file) => file !== meta);
  const parts: PackagePart[] = [];
  let remaining = LIMITS.packageYamlBytes;
  for (const file of [meta, ...others]) {
    const bytes = await readUnlessTooLarge(file, remaining);
    if (bytes === undefined) throw tooLargeError(shown);
    remaining -= bytes.length;
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

async function readUnlessTooLarge(file: string, limit: number): Promise<Uint8Array | undefined> {
  return (await stat(file)).size > limit ? undefined : readFile(file);
}

function tooLargeError(shown: string): SourceError {
  const limit = `${LIMITS.packageYamlBytes >> 20} MiB`;
  return new SourceError('TOO_LARGE', shown, `over ${limit}, which is all that Crossplane reads`);
}

function withFinalNewline(bytes: Uint8Array): Uint8Array {
  const hasByteOrderMark = BYTE_ORDER_MARK.equals(bytes.subarray(0, BYTE_ORDER_MARK.length));
  const text = hasByteOrderMark ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
  return text.at(-1) === NEWLINE ? text : Buffer.concat([text, Uint8Array.of(NEWLINE)]);
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
  let remaining = MAX_REGISTRY_BYTES;
  for (const name of names.sort(byCodePoint)) {
    remaining -= (await stat(join(folder, name))).size;
    if (remaining < 0 || names.length > MAX_REGISTRY_FILES) {
      const limit = `${MAX_REGISTRY_BYTES >> 20} MiB or ${MAX_REGISTRY_FILES} files`;
      const what = `its \`${DOT_REGISTRY}/\` holds more than ${limit}`;
      throw new SourceError('TOO_LARGE', shown, what);
    }
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
  const problems = [{ message: '`.registry/` is empty' }];
  return read.value ?? { metas: [], objects: [], problems, warnings: [] };
}

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
