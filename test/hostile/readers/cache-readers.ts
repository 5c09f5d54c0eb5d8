import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { offlineRepository } from '../../../src/oci/store/cached-repository.js';
import { DiskCache, summarizeCache } from '../../../src/oci/store/disk-cache.js';
import { sha256 } from '../../../src/base/digest.js';
import type { HostileReader } from '../reader.js';

const NAME = 'registry.example.org/a/p';
const MANIFEST = Buffer.from('{"layers":[]}');
const TAGS = { name: NAME, tags: ['v1.0.0', 'v1.1.0'], etag: '"e"', at: 1_700_000_000_000 };
const REFERENCE = { name: NAME, reference: 'v1.0.0', digest: sha256(MANIFEST) };

/** A download cache in which one file is mutated before it is read. */
export class CacheWorld {
  readonly #folder = mkdtempSync(join(tmpdir(), 'hostile-cache-'));

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }

  /**
   * Fills the cache, replaces the only record of a kind with `text`, and reads everything offline.
   */
  async read(kind: 'tags' | 'references', text: Buffer): Promise<unknown> {
    rmSync(join(this.#folder, 'v1'), { recursive: true, force: true });
    const notes: string[] = [];
    const cache = new DiskCache({
      folder: this.#folder,
      offline: true,
      note: (line) => notes.push(line),
    });
    await cache.keepBlob(sha256(MANIFEST), MANIFEST);
    await cache.keepRecord('tags', NAME, TAGS);
    await cache.keepRecord('references', `${NAME} v1.0.0`, REFERENCE);
    const records = join(this.#folder, 'v1', kind);
    writeFileSync(join(records, readdirSync(records)[0]!), text);
    const summary = await summarizeCache(this.#folder);
    const repository = offlineRepository(NAME, cache);
    return [summary.tagLists, await repository.tags(), await repository.manifest('v1.0.0'), notes];
  }
}

/** Returns readers of cached records, with valid and with invalid checksums. */
export function cacheReaders(world: CacheWorld): readonly HostileReader[] {
  const held = { tags: TAGS, references: REFERENCE } as const;
  return (['tags', 'references'] as const).flatMap((kind) => {
    const body = JSON.stringify(held[kind]);
    return [
      {
        name: `cache: ${kind}`,
        form: 'json' as const,
        seeds: [body],
        share: 0.3,
        read: (input: Buffer) =>
          world.read(kind, Buffer.concat([Buffer.from(`${sha256(input)}\n`), input])),
      },
      {
        name: `cache: ${kind}, damaged`,
        form: 'bytes' as const,
        seeds: [Buffer.from(`${sha256(Buffer.from(body))}\n${body}`)],
        share: 0.3,
        read: (input: Buffer) => world.read(kind, input),
      },
    ];
  });
}
