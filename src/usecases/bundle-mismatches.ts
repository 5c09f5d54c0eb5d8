import { byCodePoint } from '../text/code-point-order.js';
import type { Mismatch } from './mismatch.js';

/** Files by name; undefined: what has that name is no file. */
export type FoundFiles = ReadonlyMap<string, Uint8Array | undefined>;

/**
 * Where the files of a bundle differ from those that the lockfile renders, byte by byte: for each
 * file, its first line that does. `folder` is where they were found, for messages.
 */
export function bundleMismatches(
  rendered: ReadonlyMap<string, string>,
  found: FoundFiles,
  folder: string,
): Mismatch[] {
  const names = [...new Set([...rendered.keys(), ...found.keys()])].sort(byCodePoint);
  return names.flatMap((name): Mismatch[] => {
    const about = { kind: 'bundle', file: `${folder}/${name}` } as const;
    const wanted = rendered.get(name);
    const bytes = found.get(name);
    if (wanted === undefined) return [{ ...about, text: 'the lockfile renders no such file' }];
    if (!found.has(name)) return [{ ...about, text: 'the file is missing' }];
    if (bytes === undefined) return [{ ...about, text: 'it is no file' }];
    const buffer = Buffer.from(bytes);
    if (buffer.equals(Buffer.from(wanted))) return [];
    const text = 'not what the lockfile renders';
    return [{ ...about, text, ...firstDifference(wanted, buffer.toString('utf8')) }];
  });
}

/** Where the other file has one more line. */
const END_OF_FILE = 'the end of the file';

function firstDifference(wanted: string, found: string) {
  const [a, b] = [wanted.split('\n'), found.split('\n')];
  const at = a.findIndex((line, i) => line !== b[i]);
  const index = at < 0 ? a.length : at;
  return { line: index + 1, locked: a[index] ?? END_OF_FILE, found: b[index] ?? END_OF_FILE };
}
