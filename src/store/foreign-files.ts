import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../files/error-code.js';
import { isLockName } from '../files/folder-lock.js';
import { descriptorFrom } from '../image/descriptor.js';
import { InputError } from '../model/input-error.js';
import { isDigest } from '../text/digest.js';
import { fieldsOf, listOf, parseJson } from '../text/json.js';
import { printable } from '../text/printable.js';
import { REF_NAME } from './image-layout.js';

/** What a layout consists of. */
const LAYOUT_PARTS = ['index.json', 'oci-layout', 'blobs'] as const;

/**
 * What a folder holds and a layout written by `vendor` would not, in words; replacing the layout
 * would lose it. `isOurs` knows other names that `vendor` uses there.
 */
export async function foreignFiles(
  folder: string,
  shown: string,
  isOurs: (name: string) => boolean,
): Promise<readonly string[]> {
  const present = await namesIn(folder, shown);
  const names = present.filter((name) => !isOurs(name) && !isLockName(name));
  const others = names.filter((name) => !LAYOUT_PARTS.some((part) => part === name));
  if (names.length === 0 || others.length > 0) return quoted(others);
  const missing = LAYOUT_PARTS.filter((part) => !names.includes(part));
  // A process that was killed while it filled an empty folder left its staging folder there, too.
  const isUnfinished = missing.includes('index.json') && present.some(isOurs);
  if (isUnfinished) return foreignBlobs(folder, shown);
  if (missing.length > 0) return quoted(names).map((name) => `${name} without \`${missing[0]}\``);
  return [...(await foreignBlobs(folder, shown)), ...(await foreignImages(folder, shown))];
}

async function foreignBlobs(folder: string, shown: string): Promise<readonly string[]> {
  const kinds = await namesIn(join(folder, 'blobs'), shown);
  const blobs = await namesIn(join(folder, 'blobs', 'sha256'), shown);
  return quoted([
    ...kinds.filter((kind) => kind !== 'sha256').map((kind) => `blobs/${kind}`),
    ...blobs.filter((name) => !isDigest(`sha256:${name}`)).map((name) => `blobs/sha256/${name}`),
  ]);
}

/** `vendor` gives every image its full name; other tools name images by tag, or not at all. */
async function foreignImages(folder: string, shown: string): Promise<readonly string[]> {
  const text = await readFile(join(folder, 'index.json'), 'utf8').catch((error: unknown) => {
    throw unwritable(shown, error);
  });
  const images = listOf(fieldsOf(parseJson(text)?.value)?.get('manifests'));
  if (images === undefined) return ['an `index.json` that is no image index'];
  return images.flatMap((image) => {
    const descriptor = descriptorFrom(image);
    const name = descriptor?.annotations.get(REF_NAME);
    if (name?.includes('/') === true) return [];
    return [`the image \`${printable(name ?? descriptor?.digest ?? 'without a digest')}\``];
  });
}

function quoted(names: readonly string[]): string[] {
  return names.map((name) => `\`${printable(name)}\``);
}

async function namesIn(folder: string, shown: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw unwritable(shown, error);
  }
}

/** What to throw where a folder cannot be looked into before it is replaced. */
export function unwritable(shown: string, error: unknown): InputError {
  return new InputError(`\`${shown}\` cannot be written: ${codeOf(error)}`, { cause: error });
}
