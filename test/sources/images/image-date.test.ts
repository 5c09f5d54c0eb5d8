import { expect, test } from 'vitest';
import { imageDate } from '../../../src/sources/images/fetch-image.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { BASE, imageOf, layerOf } from '../../support/registry/image.js';
import { MemoryRepository } from '../../support/registry/memory-repository.js';

const { rules } = targetFor('v2.3.4')!;

async function repositoryWith(config: string) {
  const layer = await layerOf([{ name: 'package.yaml', content: 'a' }], { annotations: BASE });
  return { layer, repository: new MemoryRepository(imageOf([layer], config)) };
}

test('the date is read from the config without reading a layer', async () => {
  const { layer, repository } = await repositoryWith('{"created":"2026-06-01T00:00:00Z"}');
  expect(await imageDate(repository, 'v1', rules)).toEqual({ created: '2026-06-01T00:00:00Z' });
  expect(repository.asked).not.toContain(layer.digest);
});

test.each(['{}', '{"created":null}'])('%s has no date', async (config) => {
  const { repository } = await repositoryWith(config);
  expect(await imageDate(repository, 'v1', rules)).toEqual({});
});

test.each([
  '{"created":7}',
  '[]',
  'not JSON',
  '{"created":"2020-01-01T00:00:00Z","Created":"2026-06-01T00:00:00Z"}',
])('the config %s is rejected', async (config) => {
  const { repository } = await repositoryWith(config);
  await expect(imageDate(repository, 'v1', rules)).rejects.toMatchObject({ code: 'BAD_IMAGE' });
});

test('a missing tag has no date', async () => {
  const { repository } = await repositoryWith('{}');
  expect(await imageDate(repository, 'v9', rules)).toBeUndefined();
});

test('a missing config is an error unless the repository is partial', async () => {
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
