import { readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type CachedTags, parseCachedTags } from './cached-repository.js';
import { CACHE_FORMAT } from './disk-cache.js';
import {
  isUnfinished,
  runName,
  temporaryPathFor,
  codeOf,
  namesIn,
} from '../../base/files/file-system.js';
import { parseJson } from '../../base/json.js';

export type CacheSummary = Awaited<ReturnType<typeof summarizeCache>>;

export type FileTotals = Awaited<ReturnType<typeof totalsIn>>;

export async function summarizeCache(folder: string) {
  const root = join(folder, CACHE_FORMAT);
  return {
    format: CACHE_FORMAT,
    blobs: await totalsIn(join(root, 'blobs', 'sha256')),
    packages: await totalsIn(join(root, 'packages')),
    tagLists: await tagLists(join(root, 'tags')),
    quarantine: await totalsIn(join(root, 'quarantine')),
  };
}

async function totalsIn(folder: string) {
  let [files, bytes] = [0, 0];
  for (const name of await namesIn(folder)) {
    const path = join(folder, name);
    const stats = isUnfinished(name) ? undefined : await stat(path).catch(() => undefined);
    if (stats === undefined) continue;
    files += 1;
    bytes += stats.size;
  }
  return { files, bytes };
}

/** Returns repository names, and when each list was received. */
async function tagLists(folder: string): Promise<readonly Pick<CachedTags, 'name' | 'at'>[]> {
  const lists = [];
  for (const file of await namesIn(folder)) {
    const text = await readFile(join(folder, file), 'utf8').catch(() => '');
    const list = parseCachedTags(parseJson(text.slice(text.indexOf('\n') + 1))?.value);
    if (list !== undefined) lists.push({ name: list.name, at: list.at });
  }
  return lists.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Folders of any version of this tool, including those that are being removed. */
const OWN_FOLDER = /^(?:v\d+|\.v\d+\.[0-9a-f.-]+\.gone)$/;

/** Removes the caches of every version. Folders are renamed first, so that none is seen half. */
export async function removeCache(folder: string): Promise<boolean> {
  const own = (await namesIn(folder)).filter((name) => OWN_FOLDER.test(name));
  for (const name of own) {
    const path = join(folder, name);
    const gone = name.startsWith('.') ? path : temporaryPathFor(`${path}.${runName()}`, 'gone');
    try {
      if (gone !== path) await rename(path, gone);
      await rm(gone, { recursive: true, force: true });
    } catch (error) {
      // Another process removed it first.
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }
  return own.length > 0;
}
