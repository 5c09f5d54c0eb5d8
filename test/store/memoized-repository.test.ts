import { describe, expect, test } from 'vitest';
import { memoizedRepository } from '../../src/store/memoized-repository.js';
import type { ImageRepository } from '../../src/image/image-repository.js';
import { sha256 } from '../../src/text/digest.js';

/** Lists two tags, and has a manifest for neither. */
const empty: ImageRepository = {
  name: 'xpkg.example.org/a/p',
  partial: false,
  tags: async () => ['v1.0.0', 'v2.0.0'],
  manifest: async () => undefined,
  blob: async () => undefined,
};

const failure = {
  code: 'BAD_SOURCE',
  message: expect.stringContaining('xpkg.example.org/a/p:v2.0.0') as string,
  hint: expect.stringContaining('spec.exclude') as string,
};

describe('a tag that is listed and has no manifest is a failure', () => {
  test('where the list is asked for first', async () => {
    const repository = memoizedRepository(empty);
    await repository.tags();
    await expect(repository.manifest('v2.0.0')).rejects.toMatchObject(failure);
  });

  test('where the tag is asked for first', async () => {
    const repository = memoizedRepository(empty);
    expect(await repository.manifest('v2.0.0')).toBeUndefined();
    await expect(repository.tags()).rejects.toMatchObject(failure);
  });

  test('a tag that is not listed is missing', async () => {
    const repository = memoizedRepository(empty);
    await repository.tags();
    expect(await repository.manifest('v3.0.0')).toBeUndefined();
  });
});

test('of a large manifest the digest alone is remembered, and asked for from then on', async () => {
  const bytes = Buffer.alloc(4 * 2 ** 20);
  const asked: string[] = [];
  const repository = memoizedRepository({
    ...empty,
    manifest: async (reference) => {
      asked.push(reference);
      return { digest: sha256(bytes), bytes };
    },
  });
  for (const _ of [1, 2, 3]) await repository.manifest('v1.0.0');
  expect(asked).toEqual(['v1.0.0', sha256(bytes), sha256(bytes)]);
});
