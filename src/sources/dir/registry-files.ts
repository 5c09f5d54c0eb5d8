import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DOT_REGISTRY } from '../../model/dot-registry.js';
import type { PackageContents } from '../../model/package-contents.js';
import { SourceError } from '../../model/source-error.js';
import { RegistryPackage } from '../../package-yaml/dot-registry/registry-package.js';
import { byCodePoint } from '../../text/code-point-order.js';

/** Of all files below a `.registry/` on disk together. */
const MAX_REGISTRY_BYTES = 32 * 1024 * 1024;
const MAX_REGISTRY_FILES = 50_000;

/** A file of a `.registry/` package; its name begins with that folder. */
export interface RegistryFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The files below `.registry/` in a folder, by name, without links. `shown` is it in messages. */
export async function readRegistryFiles(folder: string, shown: string): Promise<RegistryFile[]> {
  const names = await namesBelow(folder, DOT_REGISTRY);
  const files: RegistryFile[] = [];
  let left = MAX_REGISTRY_BYTES;
  for (const name of names.sort(byCodePoint)) {
    left -= (await stat(join(folder, name))).size;
    if (left < 0 || names.length > MAX_REGISTRY_FILES) throw tooLarge(shown);
    files.push({ name, bytes: await readFile(join(folder, name)) });
  }
  return files;
}

/** What the files of a `.registry/` package say; `read`: what else reads them. */
export async function registryContents(
  files: readonly RegistryFile[],
  read: Pick<RegistryPackage, 'add' | 'value'> = new RegistryPackage(),
): Promise<PackageContents> {
  for (const { name, bytes } of files) await read.add(name, chunks(bytes));
  return read.value ?? { metas: [], objects: [], problems: [NOTHING], warnings: [] };
}

const NOTHING = { message: '`.registry/` is empty' };

async function* chunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Names with slashes, on every system. */
async function namesBelow(root: string, folder: string): Promise<string[]> {
  const names: string[] = [];
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const name = `${folder}/${entry.name}`;
    if (entry.isFile()) names.push(name);
    if (entry.isDirectory()) names.push(...(await namesBelow(root, name)));
  }
  return names;
}

function tooLarge(shown: string): SourceError {
  const limit = `${MAX_REGISTRY_BYTES >> 20} MiB or ${MAX_REGISTRY_FILES} files`;
  return new SourceError('TOO_LARGE', shown, `its \`${DOT_REGISTRY}/\` holds more than ${limit}`);
}
