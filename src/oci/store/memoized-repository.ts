import { getOrCreate } from '../../base/collections.js';
import { copyBlob, type ImageRepository, openBlob } from '../image/image-repository.js';
import type { Digest } from '../../base/digest.js';
import { joinReference } from '../../crossplane/packages/reference.js';
import { SourceError } from '../../base/errors.js';
import { printable } from '../../base/escape.js';
import { LIMITS } from '../image/limits.js';

/** Maximum size of a cached manifest; most have a few thousand bytes. */
const MAX_CACHED_BYTES = 256 * 1024;

/** Limits the total number of tags in a run, because they use memory. */
export class TagBudget {
  readonly #limit: number;
  #tags = 0;

  constructor(limit = LIMITS.tagsPerRun) {
    this.#limit = limit;
  }

  add(tags: readonly string[], repository: string): void {
    this.#tags += tags.length;
    if (this.#tags <= this.#limit) return;
    const what = `the repositories of this run have more than ${this.#limit} tags together`;
    throw new SourceError('TOO_LARGE', `tags of ${repository}`, what, {
      hint: 'resolve fewer packages at once, delete old tags, or use an index (`xpkg-resolve index`) with the versions that you need',
    });
  }
}

/**
 * Requests the tag list and each manifest only once, so that tags cannot move during a run. Throws
 * if a listed tag has no manifest. Callers cache what they parse from blobs.
 */
export function onceReadRepository(
  repository: ImageRepository,
  budget = new TagBudget(),
): ImageRepository {
  let tags: ReturnType<ImageRepository['tags']> | undefined;
  const manifests = new Map<string, ReturnType<ImageRepository['manifest']>>();
  /** Digests of references to large manifests, which are requested again by digest. */
  const largeDigests = new Map<string, Digest>();
  const absent = new Set<string>();
  /** Results of `pointsAt` for references whose manifests were not requested. */
  const pointsAtResults = new Map<string, Promise<boolean>>();
  const readTags = async () => {
    const list = await repository.tags();
    budget.add(list ?? [], repository.name);
    const gone = list?.find((tag) => absent.has(tag));
    if (gone !== undefined) throw missingManifestError(repository.name, gone);
    return list;
  };
  const readManifest = async (reference: string) => {
    const manifest = await repository.manifest(reference);
    if (manifest === undefined) {
      absent.add(reference);
      if ((await tags)?.includes(reference)) throw missingManifestError(repository.name, reference);
    } else if (manifest.bytes.length > MAX_CACHED_BYTES) {
      largeDigests.set(reference, manifest.digest);
      manifests.delete(reference);
    }
    return manifest;
  };
  return {
    name: repository.name,
    partial: repository.partial,
    tags: () => (tags ??= readTags()),
    manifest: (reference) => {
      const digest = largeDigests.get(reference);
      if (digest !== undefined) return repository.manifest(digest);
      return getOrCreate(manifests, reference, () => readManifest(reference));
    },
    pointsAt:
      repository.pointsAt &&
      (async (reference, digest) => {
        const read = largeDigests.get(reference) ?? (await manifests.get(reference))?.digest;
        if (read !== undefined) return read === digest;
        const key = `${reference} ${digest}`;
        return getOrCreate(pointsAtResults, key, () => repository.pointsAt!(reference, digest));
      }),
    referrers: repository.referrers && ((digest) => repository.referrers!(digest)),
    prefetchBlob:
      repository.prefetchBlob && ((digest, signal) => repository.prefetchBlob!(digest, signal)),
    blob: (descriptor) => repository.blob(descriptor),
    copyBlob: (descriptor, to) => copyBlob(repository, descriptor, to),
    openBlob: (descriptor) => openBlob(repository, descriptor),
  };
}

/** Choosing an older version instead would let a failing registry change the result. */
function missingManifestError(repository: string, tag: string): SourceError {
  const subject = joinReference(repository, tag);
  const what = `the list of tags names \`${printable(tag)}\`, and there is no manifest of that tag`;
  const hint = 'try again; if it stays so, leave that version out with `spec.exclude`';
  return new SourceError('BAD_SOURCE', subject, what, { hint });
}
