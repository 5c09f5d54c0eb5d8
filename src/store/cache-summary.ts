import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isUnfinished } from '../files/atomic-file.js';
import { CACHE_FORMAT } from './disk-cache.js';
import { parseJson } from '../text/json.js';
import { heldTagsFrom, type HeldTags } from './cached-repository.js';
import { namesIn } from '../files/names-in.js';

/** What a cache holds. */
export interface CacheCensus {
  readonly format: string;
  /** Manifests and layers. */
  readonly blobs: Holdings;
  /** Packages that need no parsing. */
  readonly packages: Holdings;
  /** Of repositories, by name; `at` is when the registry last gave it. */
  readonly tagLists: readonly Pick<HeldTags, 'name' | 'at'>[];
  /** Files found damaged and put aside. */
  readonly quarantine: Holdings;
}

export interface Holdings {
  readonly files: number;
  readonly bytes: number;
}

export async function takeCensus(folder: string): Promise<CacheCensus> {
  const root = join(folder, CACHE_FORMAT);
  return {
    format: CACHE_FORMAT,
    blobs: await holdings(join(root, 'blobs', 'sha256')),
    packages: await holdings(join(root, 'packages')),
    tagLists: await tagLists(join(root, 'tags')),
    quarantine: await holdings(join(root, 'quarantine')),
  };
}

async function holdings(folder: string): Promise<Holdings> {
  let [files, bytes] = [0, 0];
  for (const name of await namesIn(folder)) {
    const found = isUnfinished(name) ? undefined : await statIfThere(join(folder, name));
    if (found === undefined) continue;
    files += 1;
    bytes += found.size;
  }
  return { files, bytes };
}

async function tagLists(folder: string): Promise<CacheCensus['tagLists']> {
  const lists = [];
  for (const file of await namesIn(folder)) {
    const text = await readFile(join(folder, file), 'utf8').catch(() => '');
    const held = heldTagsFrom(parseJson(text.slice(text.indexOf('\n') + 1))?.value);
    if (held !== undefined) lists.push({ name: held.name, at: held.at });
  }
  return lists.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function statIfThere(path: string) {
  return stat(path).catch(() => undefined);
}
