import { isDigest, type Digest } from '../text/digest.js';
import { joinReference } from '../model/reference.js';
import { SourceError } from '../model/source-error.js';
import type { ExpectedBlob } from '../image/blob.js';
import { copyBlob } from '../image/layer/copy-blob.js';
import { openBlob } from '../image/layer/open-blob.js';
import type { DiskCache } from './disk-cache.js';
import type {
  ImageRepository,
  OpenBlob,
  RemoteRepository,
  StoredManifest,
} from '../image/image-repository.js';
import { fieldsOf, listOf, stringOf } from '../text/json.js';
import type { Clock } from '../model/time/clock.js';

/**
 * A repository that asks its registry only for what the cache lacks.
 *
 * Tags move, so the registry is asked about them every time, with the validators of the cached
 * answer, and need not send the list again. What has a digest is downloaded once.
 */
export function cachedRepository(
  remote: RemoteRepository,
  cache: DiskCache,
  clock: Pick<Clock, 'now'>,
): ImageRepository {
  const { name } = remote;
  /** Blobs that are downloaded before a manifest names them. */
  const ahead = new Map<Digest, Promise<void>>();
  return {
    name,
    tags: async () => {
      const held = await tagsIn(cache, name);
      const list = await remote.tagList(
        held?.tags === undefined ? undefined : { ...held, tags: held.tags },
      );
      await cache.keepRecord('tags', name, { ...list, name, at: clock.now() });
      return list?.tags;
    },
    manifest: async (reference) => {
      const held = await manifestIn(cache, name, reference);
      if (isDigest(reference) && held?.manifest !== undefined) return held.manifest;
      const stored = await remote.manifest(reference, held?.manifest);
      if (stored === undefined || stored !== held?.manifest) {
        if (stored !== undefined) await cache.keepBlob(stored.digest, stored.bytes);
        // Kept under the digest, too: a locked package is asked for by that.
        for (const asked of new Set([reference, stored?.digest ?? reference])) {
          const answer = { name, reference: asked, digest: stored?.digest };
          await cache.keepRecord('references', question(name, asked), answer);
        }
      }
      return stored;
    },
    pointsAt: remote.pointsAt && ((reference, digest) => remote.pointsAt!(reference, digest)),
    referrers: remote.referrers && ((digest) => remote.referrers!(digest)),
    blob: async (descriptor) => {
      const held = await blobIn(cache, name, descriptor);
      if (held !== undefined) return held;
      const bytes = await remote.blob(descriptor);
      if (bytes !== undefined) await cache.keepBlob(descriptor.digest, bytes);
      return bytes;
    },
    copyBlob: async (descriptor, to) => {
      const held = await openIn(cache, name, descriptor);
      if (held === undefined) return copyBlob(remote, descriptor, to);
      for await (const chunk of held.chunks()) await to.add(chunk);
      return true;
    },
    keepAhead: (digest, signal) => {
      const keeping =
        ahead.get(digest) ??
        keepUnsized(remote, cache, digest, signal).finally(() => ahead.delete(digest));
      ahead.set(digest, keeping);
      return keeping;
    },
    openBlob: async (descriptor) => {
      const { digest } = descriptor;
      await ahead.get(digest);
      const held = await openIn(cache, name, descriptor);
      if (held !== undefined) return held;
      const kept = await cache.keepBlobFrom(digest, (to) => copyBlob(remote, descriptor, to));
      if (kept === false) return undefined;
      return (kept && (await cache.openBlob(digest))) || openBlob(remote, descriptor);
    },
  };
}

/** Downloads a blob unless the cache has it. What fails is asked for again when it is read. */
async function keepUnsized(
  remote: RemoteRepository,
  cache: DiskCache,
  digest: Digest,
  signal: AbortSignal,
): Promise<void> {
  if (await cache.holdsBlob(digest)) return;
  const keeping = cache.keepBlobFrom(digest, (to) => remote.copyUnsized(digest, to, signal));
  await keeping.catch(() => undefined);
}

const AS_IT_WAS =
  'note: offline: tags are as they were when last asked for (`xpkg-resolve cache info` says when)';

/** A repository that answers from the cache alone, with what its registry last said. */
export function offlineRepository(name: string, cache: DiskCache): ImageRepository {
  return {
    name,
    partial: true,
    tags: async () => {
      const held = await tagsIn(cache, name);
      if (held === undefined) throw offline(`tags of ${name}`, NAMES_KEPT);
      cache.noteOnce(AS_IT_WAS);
      return held.tags;
    },
    manifest: async (reference) => {
      const held = await manifestIn(cache, name, reference);
      const subject = joinReference(name, reference);
      if (held === undefined) throw offline(subject, NAMES_KEPT);
      if (held.manifest === undefined && held.digest !== undefined)
        throw offline(subject, NAMES_KEPT);
      if (!isDigest(reference)) cache.noteOnce(AS_IT_WAS);
      return held.manifest;
    },
    blob: async (descriptor) => {
      const held = await blobIn(cache, name, descriptor);
      if (held === undefined) throw offline(`${name}@${descriptor.digest}`, BLOBS_KEPT);
      return held;
    },
    openBlob: async (descriptor) => {
      const held = await openIn(cache, name, descriptor);
      if (held === undefined) throw offline(`${name}@${descriptor.digest}`, BLOBS_KEPT);
      return held;
    },
  };
}

export interface CachedTags {
  /** When the registry sent them, in milliseconds. */
  readonly at: number;
  readonly name: string;
  /** undefined: there was no such repository. */
  readonly tags: readonly string[] | undefined;
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
}

async function tagsIn(cache: DiskCache, name: string): Promise<CachedTags | undefined> {
  return cachedTagsFrom(await cache.record('tags', name));
}

/** undefined: not a record of tags. */
export function cachedTagsFrom(record: unknown): CachedTags | undefined {
  const fields = fieldsOf(record);
  const [at, name] = [fields?.get('at'), stringOf(fields?.get('name'))];
  if (fields === undefined || !isTime(at) || name === undefined) return undefined;
  const tags = listOf(fields.get('tags'))?.filter((tag) => typeof tag === 'string');
  return {
    at,
    name,
    tags,
    etag: stringOf(fields.get('etag')),
    lastModified: stringOf(fields.get('lastModified')),
  };
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && !Number.isNaN(new Date(value).getTime());
}

interface CachedManifest {
  /** undefined: there was no such tag or digest. */
  readonly digest: Digest | undefined;
  /** undefined: the cache knows its digest and no longer has its bytes. */
  readonly manifest: StoredManifest | undefined;
}

/** Looked up by repository and reference: another repository may lack the same manifest. */
async function manifestIn(
  cache: DiskCache,
  name: string,
  reference: string,
): Promise<CachedManifest | undefined> {
  const fields = fieldsOf(await cache.record('references', question(name, reference)));
  if (fields === undefined) return undefined;
  const digest = stringOf(fields.get('digest'));
  if (digest === undefined || !isDigest(digest)) return { digest: undefined, manifest: undefined };
  const bytes = await cache.blob(digest);
  return { digest, manifest: bytes && { digest, bytes } };
}

/** A cached blob; throws if its size differs from its manifest, which is then wrong about it. */
async function blobIn(
  cache: DiskCache,
  name: string,
  expected: ExpectedBlob,
): Promise<Uint8Array | undefined> {
  const bytes = await cache.blob(expected.digest);
  if (bytes !== undefined) checkSize(bytes.length, expected, name);
  return bytes;
}

/** Likewise, to be read in chunks. */
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

function question(name: string, reference: string): string {
  return `${name} ${reference}`;
}

const NAMES_KEPT =
  '`xpkg-resolve resolve` without `--offline` keeps what it reads of tags and manifests, and `verify` keeps nothing; or name a local source that has it with `--from`';
const BLOBS_KEPT =
  '`xpkg-resolve resolve` without `--offline` keeps base layers; configs and other layers are never kept: `xpkg-resolve vendor --full DIR` copies them, and `--from layout:DIR` reads them there';

function offline(subject: string, hint: string): SourceError {
  const what = 'not in the cache, and `--offline` forbids the network';
  return new SourceError('OFFLINE', subject, what, { hint });
}
