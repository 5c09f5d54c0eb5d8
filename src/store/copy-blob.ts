import { createHash } from 'node:crypto';
import { printable } from '../text/printable.js';
import { SourceError } from '../model/source-error.js';
import type { BlobSink, ExpectedBlob } from '../image/blob.js';
import type { FileTree } from './file-tree.js';
import type { ImageRepository } from '../image/image-repository.js';
import { LIMITS } from '../image/limits.js';

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

/** Copies a blob from a file, and checks its digest and size; false: there is no such file. */
export async function copyFileBlob(
  tree: FileTree,
  path: string,
  { digest, size }: ExpectedBlob,
  to: BlobSink,
): Promise<boolean> {
  const chunks = await tree.stream(path, LIMITS.copiedLayerBytes);
  if (chunks === undefined) return false;
  const hash = createHash('sha256');
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.byteLength;
    hash.update(chunk);
    await to.add(chunk);
  }
  const problem = mismatch({ digest, size }, { digest: `sha256:${hash.digest('hex')}`, length });
  if (problem === undefined) return true;
  throw new SourceError('BAD_DIGEST', tree.shown, `\`${printable(path)}\` ${problem}`);
}

/** How bytes differ from their descriptor, in words; undefined: they do not. */
export function mismatch(
  { digest, size }: Pick<ExpectedBlob, 'digest'> & { readonly size: number | undefined },
  got: { readonly digest: string; readonly length: number },
): string | undefined {
  if (got.digest !== digest) return `is damaged: its digest is ${got.digest}`;
  if (size === undefined || size === got.length) return undefined;
  return `has ${got.length} bytes, and is said to have ${size}`;
}
