import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { targetFor } from '../../src/crossplane/releases/target.js';
import { openIndex } from '../../src/sources/index/index-source.js';
import { shared } from './shared.js';

const FILE = shared('data', 'corpus', 'universe.index.json.gz');
const target = targetFor('v2.3.4')!;

async function timed<T>(what: string, work: () => T | Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await work();
  process.stdout.write(`${what.padEnd(40)} ${(performance.now() - start).toFixed(0)} ms\n`);
  return result;
}

test('reading the real universe takes little more time than parsing its JSON', async () => {
  const bytes = await readFile(FILE);
  await timed('gunzip and JSON.parse', () => JSON.parse(gunzipSync(bytes).toString()) as unknown);
  const source = await timed('the index opened', () => openIndex(FILE));
  const repositories = await source.repositories!();
  expect(repositories).toHaveLength(900);

  let versions = 0;
  let objects = 0;
  await timed('every version fetched', async () => {
    for (const repository of repositories) {
      for (const version of (await source.tags(repository, target))!) {
        versions++;
        const found = await source.fetch({ repository, version }, target);
        objects += found!.contents.objects.length;
      }
    }
  });
  expect(versions).toBe(41_503);

  const owners = await timed('the owners of one CRD', () =>
    source.owners!({ crd: 'buckets.s3.aws.upbound.io' }, target),
  );
  expect(owners.length).toBeGreaterThan(0);
  process.stdout.write(
    `${repositories.length} packages, ${versions} versions, ${objects} objects\n`,
  );
});
