import { describe, expect, test } from 'vitest';
import { onceReadRepository, TagBudget } from '../../../src/oci/store/memoized-repository.js';
import type { ImageRepository } from '../../../src/oci/image/image-repository.js';
import { sha256 } from '../../../src/base/digest.js';

/** A repository that lists two tags without manifests. */
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

describe('a listed tag without a manifest is an error', () => {
  test('if the list is requested first', async () => {
    const repository = onceReadRepository(empty);
    await repository.tags();
    await expect(repository.manifest('v2.0.0')).rejects.toMatchObject(failure);
  });

  test('if the tag is requested first', async () => {
    const repository = onceReadRepository(empty);
    expect(await repository.manifest('v2.0.0')).toBeUndefined();
    await expect(repository.tags()).rejects.toMatchObject(failure);
  });

  test('a tag that is not listed is missing', async () => {
    const repository = onceReadRepository(empty);
    await repository.tags();
    expect(await repository.manifest('v3.0.0')).toBeUndefined();
  });
});

test('only the digest of a large manifest is cached', async () => {
  const bytes = Buffer.alloc(4 * 2 ** 20);
  const asked: string[] = [];
  const repository = onceReadRepository({
    ...empty,
    manifest: async (reference) => {
      asked.push(reference);
      return { digest: sha256(bytes), bytes };
    },
  });
  for (const _ of [1, 2, 3]) await repository.manifest('v1.0.0');
  expect(asked).toEqual(['v1.0.0', sha256(bytes), sha256(bytes)]);
});

test('repositories with one budget share the tag limit', async () => {
  const budget = new TagBudget(5);
  const held = (name: string) =>
    onceReadRepository(
      {
        name,
        tags: async () => ['v1', 'v2', 'v3'],
        manifest: async () => undefined,
        blob: async () => undefined,
      },
      budget,
    );
  const first = held('a.io/p');
  expect(await first.tags()).toHaveLength(3);
  expect(await first.tags()).toHaveLength(3);
  await expect(held('a.io/q').tags()).rejects.toMatchObject({
    code: 'TOO_LARGE',
    message: expect.stringContaining('more than 5 tags together'),
  });
});
