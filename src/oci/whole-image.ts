import type { Digest } from '../model/package.js';
import { SourceError } from '../model/source-error.js';
import type { Descriptor } from './descriptor.js';
import type { ImageRepository } from './image-repository.js';
import { parseManifest } from './manifest.js';

/** Reads an image to its last layer, and an index to its last image. */
export async function readWholeImage(repository: ImageRepository, digest: Digest): Promise<void> {
  const subject = `${repository.name}@${digest}`;
  const manifest = await repository.manifest(digest);
  if (manifest === undefined) throw missing(subject, 'the manifest', digest);
  const parsed = parseManifest(manifest, subject);
  if (parsed.kind === 'index') {
    for (const child of parsed.children) await readWholeImage(repository, child.digest);
    return;
  }
  for (const part of [parsed.config, ...parsed.layers]) await readPart(repository, part, subject);
}

async function readPart(repository: ImageRepository, part: Descriptor, subject: string) {
  if ((await repository.blob(part)) === undefined) throw missing(subject, 'the blob', part.digest);
}

function missing(subject: string, what: string, digest: Digest): SourceError {
  return new SourceError('BAD_IMAGE', subject, `${what} ${digest} is not there`, {
    hint: 'the source holds only a part of the image (a layout written without `--full`, perhaps)',
  });
}
