import type { Digest } from '../text/digest.js';
import { SourceError } from '../model/source-error.js';
import type { Descriptor } from './descriptor.js';
import type { ImageRepository } from './image-repository.js';
import { manifestOfChild } from './locate-package.js';
import { parseManifest } from './manifest.js';

/**
 * Copies every layer of an image, and every image of an index.
 *
 * `copy` copies a config or a layer and returns how many bytes it has; undefined: it is missing.
 */
export async function copyWholeImage(
  repository: ImageRepository,
  digest: Digest,
  copy: (part: Descriptor) => Promise<number | undefined>,
): Promise<void> {
  const subject = `${repository.name}@${digest}`;
  const manifest = await repository.manifest(digest);
  if (manifest === undefined) throw missing(subject, 'the manifest', digest);
  const parsed = parseManifest(manifest, subject);
  if (parsed.kind === 'index') {
    for (const child of parsed.children) {
      await manifestOfChild(repository, child, subject);
      await copyWholeImage(repository, child.digest, copy);
    }
    return;
  }
  for (const part of [parsed.config, ...parsed.layers]) {
    const size = await copy(part);
    if (size === undefined) throw missing(subject, 'the blob', part.digest);
    if (size === part.size) continue;
    const what = `the blob ${part.digest} has ${size} bytes, where the manifest says ${part.size}`;
    throw new SourceError('BAD_DIGEST', subject, what);
  }
}

function missing(subject: string, what: string, digest: Digest): SourceError {
  return new SourceError('BAD_IMAGE', subject, `${what} ${digest} is not there`, {
    hint: 'the source holds only a part of the image (a layout written without `--full`, perhaps)',
  });
}
