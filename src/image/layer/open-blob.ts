import { Spool } from '../../files/spool/spool.js';
import type { ExpectedBlob } from '../blob.js';
import { copyBlob } from './copy-blob.js';
import type { ImageRepository, OpenBlob } from '../image-repository.js';

/** Opens a blob where it lies, or a copy of it; undefined: there is none. */
export async function openBlob(
  repository: ImageRepository,
  descriptor: ExpectedBlob,
): Promise<OpenBlob | undefined> {
  if (repository.openBlob !== undefined) return repository.openBlob(descriptor);
  const spool = new Spool();
  try {
    if (await copyBlob(repository, descriptor, spool)) return spool;
  } catch (error) {
    await spool.close();
    throw error;
  }
  await spool.close();
  return undefined;
}
