import type { BlobSink, ExpectedBlob } from '../blob.js';
import type { ImageRepository } from '../image-repository.js';

/** Copies a blob to a sink, in chunks where the repository can; false: there is none. */
export async function copyBlob(
  repository: ImageRepository,
  descriptor: ExpectedBlob,
  to: BlobSink,
): Promise<boolean> {
  if (repository.copyBlob !== undefined) return repository.copyBlob(descriptor, to);
  const bytes = await repository.blob(descriptor);
  if (bytes !== undefined) await to.add(bytes);
  return bytes !== undefined;
}
