import type { Dirent, Stats } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { byCodePoint } from '../../text/code-point-order.js';
import { DOT_REGISTRY } from '../../model/dot-registry.js';
import { SourceError } from '../../model/source-error.js';
import { LIMITS } from '../../image/limits.js';
import { isAbsent } from '../../files/error-code.js';

export const SEPARATOR = Buffer.from('---\n');
const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * How a folder is a package: built (`package.yaml`), ready to build (`crossplane.yaml`), or of the
 * first format; undefined: it is none.
 */
export async function packageForm(
  folder: string,
): Promise<'built' | 'parts' | typeof DOT_REGISTRY | undefined> {
  if ((await statIfAny(join(folder, 'package.yaml')))?.isFile() === true) return 'built';
  if ((await statIfAny(join(folder, 'crossplane.yaml')))?.isFile() === true) return 'parts';
  const old = await statIfAny(join(folder, DOT_REGISTRY));
  return old?.isDirectory() === true ? DOT_REGISTRY : undefined;
}

/**
 * The package.yaml of a folder; where there is none it is joined from the meta file and every other
 * YAML file, in the order of `crossplane xpkg build`. `shown` is the folder in messages.
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

/** A file of a package that is ready to build. */
interface PackagePart {
  readonly file: string;
  /** Ends with a newline. */
  readonly bytes: Uint8Array;
}

/** The parts that are joined to a package.yaml, in order, with a separator after each. */
export async function packageParts(folder: string, shown: string): Promise<PackagePart[]> {
  const meta = join(folder, 'crossplane.yaml');
  const others = (await yamlFiles(folder, 'root')).filter((file) => file !== meta);
  const parts: PackagePart[] = [];
  let left = LIMITS.packageYamlBytes;
  for (const file of [meta, ...others]) {
    const bytes = await readWithin(file, left);
    if (bytes === undefined) throw tooLarge(shown);
    left -= bytes.length;
    if (bytes.length > 0) parts.push({ file, bytes: document(bytes) });
  }
  return parts;
}

/** YAML files of a folder tree, sorted by name, without links; examples are not packaged. */
async function yamlFiles(folder: string, place: 'root' | 'below'): Promise<string[]> {
  const files: string[] = [];
  for (const entry of await sortedEntries(folder)) {
    const path = join(folder, entry.name);
    if (entry.isFile() && /\.ya?ml$/.test(entry.name)) files.push(path);
    if (entry.isDirectory() && !(place === 'root' && entry.name === 'examples')) {
      files.push(...(await yamlFiles(path, 'below')));
    }
  }
  return files;
}

async function sortedEntries(folder: string): Promise<Dirent[]> {
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

function document(bytes: Uint8Array): Uint8Array {
  const marked = BYTE_ORDER_MARK.equals(bytes.subarray(0, BYTE_ORDER_MARK.length));
  const text = marked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
  return text.at(-1) === NEWLINE ? text : Buffer.concat([text, Uint8Array.of(NEWLINE)]);
}

async function statIfAny(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
