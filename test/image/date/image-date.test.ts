import { expect, test } from 'vitest';
import { imageDate } from '../../../src/image/date/image-date.js';
import { targetFor } from '../../../src/model/target/target.js';
import { BASE, imageOf, layerOf } from '../../support/registry/image.js';
import { MemoryRepository } from '../../support/registry/memory-repository.js';

const { rules } = targetFor('v2.3.4')!;

async function repositoryWith(config: string) {
  const layer = await layerOf([{ name: 'package.yaml', content: 'a' }], { annotations: BASE });
  return { layer, repository: new MemoryRepository(imageOf([layer], config)) };
}

test('the date of an image stands in its config, and no layer is read for it', async () => {
  const { layer, repository } = await repositoryWith('{"created":"2026-06-01T00:00:00Z"}');
  expect(await imageDate(repository, 'v1', rules)).toEqual({ created: '2026-06-01T00:00:00Z' });
  expect(repository.asked).not.toContain(layer.digest);
});

test.each(['{}', '{"created":7}', '[]', 'not JSON'])('%s names none', async (config) => {
  const { repository } = await repositoryWith(config);
  expect(await imageDate(repository, 'v1', rules)).toEqual({});
});

test('of a tag that is not there nothing is told', async () => {
  const { repository } = await repositoryWith('{}');
  expect(await imageDate(repository, 'v9', rules)).toBeUndefined();
});

test('a config that is named and not there is a fault, unless the place holds parts alone', async () => {
  const { repository } = await repositoryWith('{}');
  const without = (partial: boolean) => ({
    name: repository.name,
    partial,
    tags: () => repository.tags(),
    manifest: (reference: string) => repository.manifest(reference),
    blob: async () => undefined,
  });
  await expect(imageDate(without(false), 'v1', rules)).rejects.toMatchObject({ code: 'BAD_IMAGE' });
  expect(await imageDate(without(true), 'v1', rules)).toEqual({});
});
