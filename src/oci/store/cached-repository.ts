import { getOrCreate } from '../../base/collections.js';
import { isDigest, type Digest } from '../../base/digest.js';
import { joinReference } from '../../crossplane/packages/reference.js';
import { SourceError } from '../../base/errors.js';
import {
  copyBlob,
  type ExpectedBlob,
  type ImageRepository,
  openBlob,
  type OpenBlob,
  type RemoteRepository,
  type StoredManifest,
} from '../image/image-repository.js';
import { type CachedTags, type DiskCache, parseCachedTags } from './disk-cache.js';
import { fieldsOf, stringOf } from '../../base/json.js';
import type { Clock } from '../../base/time.js';

/** Requests only what is not cached. Tags can move, so they are revalidated. */
export function cachedRepository(
  remote: RemoteRepository,
  cache: DiskCache,
  clock: Pick<Clock, 'now'>,
): ImageRepository {
  const { name } = remote;
  const prefetches = new Map<Digest, Promise<void>>();
  return {
    name,
    tags: async () => {
      const cached = await tagsIn(cache, name);
      const { tags } = cached ?? {};
      const list = await remote.tagList(tags && { ...cached, tags });
      await cache.keepRecord('tags', name, { ...list, name, at: clock.now() });
      return list?.tags;
    },
    manifest: async (reference) => {
      const cached = await manifestIn(cache, name, reference);
      if (isDigest(reference) && cached?.manifest !== undefined) return cached.manifest;
      const stored = await remote.manifest(reference, cached?.manifest);
      if (stored === undefined || stored !== cached?.manifest) {
        if (stored !== undefined) await cache.keepBlob(stored.digest, stored.bytes);
        // Also stored under the digest, by which locked packages are requested.
        for (const key of new Set([reference, stored?.digest ?? reference])) {
          const answer = { name, reference: key, digest: stored?.digest };
          await cache.keepRecord('references', referenceKey(name, key), answer);
        }
      }
      return stored;
    },
    pointsAt: remote.pointsAt && ((reference, digest) => remote.pointsAt!(reference, digest)),
    referrers: remote.referrers && ((digest) => remote.referrers!(digest)),
    blob: async (descriptor) => {
      const cached = await blobIn(cache, name, descriptor);
      if (cached !== undefined) return cached;
      const bytes = await remote.blob(descriptor);
      if (bytes !== undefined) await cache.keepBlob(descriptor.digest, bytes);
      return bytes;
    },
    copyBlob: async (descriptor, to) => {
      const cached = await openIn(cache, name, descriptor);
      if (cached === undefined) return copyBlob(remote, descriptor, to);
      for await (const chunk of cached.chunks()) await to.add(chunk);
      return true;
    },
    prefetchBlob: (digest, signal) =>
      getOrCreate(prefetches, digest, () =>
        prefetch(remote, cache, digest, signal).finally(() => prefetches.delete(digest)),
      ),
    openBlob: async (descriptor) => {
      const { digest } = descriptor;
      await prefetches.get(digest);
      const cached = await openIn(cache, name, descriptor);
      if (cached !== undefined) return cached;
      const stored = await cache.keepBlobFrom(digest, (to) => copyBlob(remote, descriptor, to));
      if (stored === false) return undefined;
      return (stored && (await cache.openBlob(digest))) || openBlob(remote, descriptor);
    },
  };
}

/**
 * Downloads a blob unless it is cached. Failures are ignored, because reading requests it again.
 */
async function prefetch(
  remote: RemoteRepository,
  cache: DiskCache,
  digest: Digest,
  signal: AbortSignal,
): Promise<void> {
  if (await cache.hasBlob(digest)) return;
  const download = cache.keepBlobFrom(digest, (to) => remote.copyUnsized(digest, to, signal));
  await download.catch(() => undefined);
}

const OFFLINE_TAGS_NOTE =
  'note: offline: tags are as they were when last asked for (`xpkg-resolve cache info` says when)';

/** Returns a repository that reads only the cache. */
export function offlineRepository(name: string, cache: DiskCache): ImageRepository {
  return {
    name,
    partial: true,
    tags: async () => {
      const { tags } = requireCached(await tagsIn(cache, name), `tags of ${name}`);
      cache.noteOnce(OFFLINE_TAGS_NOTE);
      return tags;
    },
    manifest: async (reference) => {
      const subject = joinReference(name, reference);
      const { digest, manifest } = requireCached(await manifestIn(cache, name, reference), subject);
      if (digest !== undefined) requireCached(manifest, subject);
      if (!isDigest(reference)) cache.noteOnce(OFFLINE_TAGS_NOTE);
      return manifest;
    },
    blob: async (expected) =>
      requireCached(await blobIn(cache, name, expected), `${name}@${expected.digest}`, BLOBS_HINT),
    openBlob: async (expected) =>
      requireCached(await openIn(cache, name, expected), `${name}@${expected.digest}`, BLOBS_HINT),
  };
}

async function tagsIn(cache: DiskCache, name: string): Promise<CachedTags | undefined> {
  return parseCachedTags(await cache.record('tags', name));
}

/**
 * Looked up by repository and reference, because another repository may lack the same manifest.
 * `digest` is undefined if there was no such tag or digest, `manifest` if its bytes are missing.
 */
async function manifestIn(
  cache: DiskCache,
  name: string,
  reference: string,
): Promise<
  { readonly digest?: Digest; readonly manifest?: StoredManifest | undefined } | undefined
> {
  const fields = fieldsOf(await cache.record('references', referenceKey(name, reference)));
  if (fields === undefined) return undefined;
  const digest = stringOf(fields.get('digest'));
  if (digest === undefined || !isDigest(digest)) return {};
  const bytes = await cache.blob(digest);
  return { digest, manifest: bytes && { digest, bytes } };
}

/** Returns a cached blob. Throws if the manifest states a different size. */
async function blobIn(
  cache: DiskCache,
  name: string,
  expected: ExpectedBlob,
): Promise<Uint8Array | undefined> {
  const bytes = await cache.blob(expected.digest);
  if (bytes !== undefined) checkSize(bytes.length, expected, name);
  return bytes;
}

/** Opens a cached blob. Throws if the manifest states a different size. */
async function openIn(
  cache: DiskCache,
  name: string,
  expected: ExpectedBlob,
): Promise<OpenBlob | undefined> {
  const blob = await cache.openBlob(expected.digest);
  if (blob !== undefined) checkSize(blob.size, expected, name);
  return blob;
}

function checkSize(length: number, { digest, size }: ExpectedBlob, name: string): void {
  if (length === size) return;
  const what = `it has ${length} bytes, where the manifest says ${size}`;
  throw new SourceError('BAD_DIGEST', `${name}@${digest}`, what);
}

function referenceKey(name: string, reference: string): string {
  return `${name} ${reference}`;
}

const MANIFESTS_HINT =
  '`xpkg-resolve resolve` without `--offline` keeps what it reads of tags and manifests, and `verify` keeps nothing; or name a local source that has it with `--from`';
const BLOBS_HINT =
  '`xpkg-resolve resolve` without `--offline` keeps base layers; configs and other layers are never kept: `xpkg-resolve vendor --full DIR` copies them, and `--from layout:DIR` reads them there';

/** Returns a cached value. Throws if there is none. */
function requireCached<T>(value: T | undefined, subject: string, hint = MANIFESTS_HINT): T {
  if (value !== undefined) return value;
  const what = 'not in the cache, and `--offline` forbids the network';
  throw new SourceError('OFFLINE', subject, what, { hint });
}
