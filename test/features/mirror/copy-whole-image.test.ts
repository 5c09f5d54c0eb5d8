import { expect, test } from 'vitest';
import { copyWholeImage } from '../../../src/features/mirror/vendor.js';
import { blobOf, indexOf, packageImage, type Image } from '../../support/registry/image.js';
import { MemoryRepository } from '../../support/registry/memory-repository.js';

const child = await packageImage('x');
const index = indexOf([{ image: child }]);

/** Returns the digests of the copied parts; `extra` is added to each reported size. */
async function copied(image: Image, extra = 0): Promise<string[]> {
  const digests: string[] = [];
  const repository = new MemoryRepository(image);
  const manifest = (await repository.manifest(image.digest))!;
  await copyWholeImage({ images: repository, manifest }, async (part) => {
    digests.push(part.digest);
    const bytes = await repository.blob(part);
    return bytes && bytes.length + extra;
  });
  return digests;
}

test('copies all blobs of all images of an index', async () => {
  expect(await copied(index)).toEqual(child.blobs.map(({ digest }) => digest));
});

test('rejects a blob with another size than its manifest states', async () => {
  await expect(copied(index, 1)).rejects.toMatchObject({ code: 'BAD_DIGEST' });
});

test('rejects a missing blob', async () => {
  await expect(copied({ ...index, blobs: [] })).rejects.toMatchObject({ code: 'BAD_IMAGE' });
});

test.each([
  { why: 'with another size than its index states', manifests: [child], code: 'BAD_DIGEST' },
  { why: 'that is missing', manifests: [], code: 'BAD_IMAGE' },
])('a child $why is rejected', async ({ manifests, code }) => {
  const entry = { digest: child.digest, size: child.bytes.length + 1 };
  const lying = { ...index, ...blobOf(JSON.stringify({ manifests: [entry] })), manifests };
  await expect(copied(lying)).rejects.toMatchObject({ code });
});
