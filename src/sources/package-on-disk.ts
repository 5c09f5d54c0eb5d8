import { createReadStream } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { createGunzip } from 'node:zlib';
import { DOT_REGISTRY } from '../crossplane/legacy/dot-registry.js';
import { InputError, type Origin } from '../base/errors.js';
import type { PackageContents } from '../crossplane/packages/package-contents.js';
import type { PackageDocument } from '../crossplane/package-yaml/package-documents.js';
import { RegistryDocuments } from '../crossplane/legacy/registry-package.js';
import { readContents, readPackageYaml } from '../crossplane/package-yaml/read-package-yaml.js';
import {
  packageForm,
  packageParts,
  readPackageFiles,
  readRegistryFiles,
  registryContents,
  SEPARATOR,
} from './package-files.js';

/** A package that was read from local files. */
interface PackageOnDisk {
  readonly contents: PackageContents;
  /** File and line of a line in `contents`. */
  readonly originOf: (line: number | undefined) => Origin;
}

/**
 * Reads a package.yaml (gzip or not) or a package folder: with a package.yaml, with a
 * `crossplane.yaml` that `crossplane xpkg build` would accept, or in the legacy `.registry` format.
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
  throw notAPackage(shown);
}

function notAPackage(shown: string): InputError {
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
  if (form === undefined && !isInside) throw notAPackage(shown);
  const [folder, name] = isInside ? [dirname(path), dirname(shown)] : [path, shown];
  const read = new RegistryDocuments();
  const contents = await registryContents(await readRegistryFiles(folder, name), read);
  return { contents, complete: true, notes: read.passTo(take) };
}

async function contentStream(path: string): Promise<AsyncIterable<Uint8Array>> {
  return (await isGzip(path)) ? gunzipped(path) : createReadStream(path);
}

/** `pipe` alone would not destroy one stream when the other fails. */
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
