import { createReadStream } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { createGunzip } from 'node:zlib';
import { DOT_REGISTRY } from '../../model/dot-registry.js';
import { InputError } from '../../model/input-error.js';
import type { Origin } from '../../model/package.js';
import type { PackageContents } from '../../model/package-contents.js';
import type { PackageDocument } from '../../model/document/package-document.js';
import { RegistryDocuments } from '../../package-yaml/dot-registry/registry-documents.js';
import { readContents, readPackageYaml } from '../../package-yaml/read-package-yaml.js';
import { packageForm, packageParts, readPackageFiles, SEPARATOR } from './package-files.js';
import { readRegistryFiles, registryContents } from './registry-files.js';

/** A package read from the user's own files. */
interface PackageOnDisk {
  readonly contents: PackageContents;
  /** File and line that a line of `contents` comes from. */
  readonly originOf: (line: number | undefined) => Origin;
}

/**
 * Reads a package.yaml, gzipped or not, or a folder: one with a package.yaml, or one that
 * `crossplane xpkg build` would take, `crossplane.yaml` beside other YAML files, or one of the first
 * format, with a `.registry`.
 *
 * `shown` is the path as the user wrote it, for messages.
 */
export async function readPackageOnDisk(path: string, shown: string): Promise<PackageOnDisk> {
  if (!(await stat(path)).isDirectory()) return readStream(path, shown);
  const names = await readdir(path);
  if (names.includes('package.yaml')) {
    return readStream(join(path, 'package.yaml'), join(shown, 'package.yaml'));
  }
  if (names.includes('crossplane.yaml')) return readParts(path, shown);
  if (names.includes(DOT_REGISTRY)) return readRegistry(path, shown);
  if (basename(path) === DOT_REGISTRY) return readRegistry(dirname(path), dirname(shown));
  throw noPackage(shown);
}

function noPackage(shown: string): InputError {
  return new InputError(`\`${shown}\` holds neither a crossplane.yaml nor a package.yaml`, {
    hint: 'name the folder of a package, or a package.yaml',
  });
}

async function readStream(path: string, shown: string): Promise<PackageOnDisk> {
  const contents = await readPackageYaml(await bytesOf(path));
  return { contents, originOf: (line) => ({ file: shown, line }) };
}

/** What `readPackageOnDisk` reads, and every document of it; `shown` is the path as the user wrote it. */
export async function contentsOnDisk(
  path: string,
  shown: string,
  take: (document: PackageDocument) => void,
): Promise<{
  readonly contents: PackageContents;
  /** Whether it could be read to its end. */
  readonly complete: boolean;
  readonly notes?: readonly string[];
}> {
  if (!(await stat(path)).isDirectory()) return readContents(await bytesOf(path), take);
  const form = await packageForm(path);
  if (form === 'built' || form === 'parts') {
    return readContents([await readPackageFiles(path, shown)], take);
  }
  const isInside = basename(path) === DOT_REGISTRY;
  if (form === undefined && !isInside) throw noPackage(shown);
  const [folder, name] = isInside ? [dirname(path), dirname(shown)] : [path, shown];
  const read = new RegistryDocuments();
  const contents = await registryContents(await readRegistryFiles(folder, name), read);
  return { contents, complete: true, notes: read.give(take) };
}

async function bytesOf(path: string): Promise<AsyncIterable<Uint8Array>> {
  return (await isGzip(path)) ? gunzipped(path) : createReadStream(path);
}

/** Each end of the pipe is destroyed with the other: `pipe` alone would leave it open. */
function gunzipped(path: string): AsyncIterable<Uint8Array> {
  const file = createReadStream(path);
  const unzip = createGunzip();
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
