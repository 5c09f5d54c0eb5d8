import { copyBlob } from '../image/layer/copy-blob.js';
import { openBlob } from '../image/layer/open-blob.js';
import type { ImageRepository } from '../image/image-repository.js';
import type { Digest } from '../text/digest.js';
import { joinReference } from '../model/reference.js';
import { SourceError } from '../model/source-error.js';
import { printable } from '../text/printable.js';

/** Of a manifest that is remembered; real ones have a few thousand bytes. */
const MAX_REMEMBERED_BYTES = 256 * 1024;

/**
 * Asks for the list of tags and for each manifest once, so that a tag cannot move during a run; a
 * tag that is listed and has no manifest is a failure, whichever of the two is asked for first.
 *
 * Blobs are not remembered: they are large, and callers remember what they parsed from them.
 */
export function memoizedRepository(repository: ImageRepository): ImageRepository {
  let tags: ReturnType<ImageRepository['tags']> | undefined;
  const manifests = new Map<string, ReturnType<ImageRepository['manifest']>>();
  /** Digests that references to larger manifests point at: these are asked for again, by digest. */
  const large = new Map<string, Digest>();
  const absent = new Set<string>();
  /** What was told of references whose manifests were not asked for. */
  const told = new Map<string, Promise<boolean>>();
  const listed = async () => {
    const list = await repository.tags();
    const gone = list?.find((tag) => absent.has(tag));
    if (gone !== undefined) throw listedAndAbsent(repository.name, gone);
    return list;
  };
  const stored = async (reference: string) => {
    const manifest = await repository.manifest(reference);
    if (manifest === undefined) {
      absent.add(reference);
      if ((await tags)?.includes(reference)) throw listedAndAbsent(repository.name, reference);
    } else if (manifest.bytes.length > MAX_REMEMBERED_BYTES) {
      large.set(reference, manifest.digest);
      manifests.delete(reference);
    }
    return manifest;
  };
  return {
    name: repository.name,
    partial: repository.partial,
    tags: () => (tags ??= listed()),
    manifest: (reference) => {
      const digest = large.get(reference);
      if (digest !== undefined) return repository.manifest(digest);
      const known = manifests.get(reference) ?? stored(reference);
      manifests.set(reference, known);
      return known;
    },
    pointsAt:
      repository.pointsAt &&
      (async (reference, digest) => {
        const read = large.get(reference) ?? (await manifests.get(reference))?.digest;
        if (read !== undefined) return read === digest;
        const key = `${reference} ${digest}`;
        const known = told.get(key) ?? repository.pointsAt!(reference, digest);
        told.set(key, known);
        return known;
      }),
    referrers: repository.referrers && ((digest) => repository.referrers!(digest)),
    keepAhead: repository.keepAhead && ((digest, signal) => repository.keepAhead!(digest, signal)),
    blob: (descriptor) => repository.blob(descriptor),
    copyBlob: (descriptor, to) => copyBlob(repository, descriptor, to),
    openBlob: (descriptor) => openBlob(repository, descriptor),
  };
}

/** Taking an older version instead would let a registry that fails change the answer. */
function listedAndAbsent(repository: string, tag: string): SourceError {
  const subject = joinReference(repository, tag);
  const what = `the list of tags names \`${printable(tag)}\`, and there is no manifest of that tag`;
  const hint = 'try again; if it stays so, leave that version out with `spec.exclude`';
  return new SourceError('BAD_SOURCE', subject, what, { hint });
}
