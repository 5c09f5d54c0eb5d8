import { expect, test } from 'vitest';
import { sha256 } from '../../src/text/digest.js';
import { copyWholeImage } from '../../src/image/copy-whole-image.js';
import { blobOf, indexOf, packageImage, type Image } from '../support/registry/image.js';
import { MemoryRepository } from '../support/registry/memory-repository.js';

const child = await packageImage('x');
const index = indexOf([{ image: child }]);

/** Digests of what was copied; `extra` bytes are more than there should be. */
async function copied(image: Image, extra = 0): Promise<string[]> {
  const digests: string[] = [];
  const repository = new MemoryRepository(image);
  await copyWholeImage(repository, sha256(image.bytes), async (part) => {
    digests.push(part.digest);
    const bytes = await repository.blob(part);
    return bytes && bytes.length + extra;
  });
  return digests;
}

test('an index is copied to the last blob of its last image', async () => {
  expect(await copied(index)).toEqual(child.blobs.map(({ digest }) => digest));
});

test('a blob that is there in another size than its manifest says is no part of it', async () => {
  await expect(copied(index, 1)).rejects.toMatchObject({ code: 'BAD_DIGEST' });
});

test('a blob that is not there is missed', async () => {
  await expect(copied({ ...index, blobs: [] })).rejects.toMatchObject({ code: 'BAD_IMAGE' });
});

test.each([
  { why: 'of another size than its index says', manifests: [child], code: 'BAD_DIGEST' },
  { why: 'that is not there', manifests: [], code: 'BAD_IMAGE' },
])('a child $why is refused', async ({ manifests, code }) => {
  const entry = { digest: child.digest, size: child.bytes.length + 1 };
  const lying = { ...index, ...blobOf(JSON.stringify({ manifests: [entry] })), manifests };
  await expect(copied(lying)).rejects.toMatchObject({ code });
});
