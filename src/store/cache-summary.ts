import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isUnfinished } from '../files/atomic-file.js';
import { CACHE_FORMAT } from './disk-cache.js';
import { parseJson } from '../text/json.js';
import { cachedTagsFrom, type CachedTags } from './cached-repository.js';
import { namesIn } from '../files/names-in.js';

/** What a cache holds. */
export interface CacheSummary {
  readonly format: string;
  /** Manifests and layers. */
  readonly blobs: FileTotals;
  /** Packages that were parsed in an earlier run. */
  readonly packages: FileTotals;
  /** By name of the repository; `at` is when the registry sent the list, in milliseconds. */
  readonly tagLists: readonly Pick<CachedTags, 'name' | 'at'>[];
  /** Damaged files that were moved aside. */
  readonly quarantine: FileTotals;
}

export interface FileTotals {
  readonly files: number;
  readonly bytes: number;
}

export async function summarizeCache(folder: string): Promise<CacheSummary> {
  const root = join(folder, CACHE_FORMAT);
  return {
    format: CACHE_FORMAT,
    blobs: await totalsIn(join(root, 'blobs', 'sha256')),
    packages: await totalsIn(join(root, 'packages')),
    tagLists: await tagLists(join(root, 'tags')),
    quarantine: await totalsIn(join(root, 'quarantine')),
  };
}

async function totalsIn(folder: string): Promise<FileTotals> {
  let [files, bytes] = [0, 0];
  for (const name of await namesIn(folder)) {
    const found = isUnfinished(name) ? undefined : await statIfThere(join(folder, name));
    if (found === undefined) continue;
    files += 1;
    bytes += found.size;
  }
  return { files, bytes };
}

async function tagLists(folder: string): Promise<CacheSummary['tagLists']> {
  const lists = [];
  for (const file of await namesIn(folder)) {
    const text = await readFile(join(folder, file), 'utf8').catch(() => '');
    const held = cachedTagsFrom(parseJson(text.slice(text.indexOf('\n') + 1))?.value);
    if (held !== undefined) lists.push({ name: held.name, at: held.at });
  }
  return lists.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function statIfThere(path: string) {
  return stat(path).catch(() => undefined);
}
