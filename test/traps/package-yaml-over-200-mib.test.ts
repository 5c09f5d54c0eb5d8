import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { targetFor } from '../../src/crossplane/releases/target.js';
import { openDir } from '../../src/sources/dir-source.js';

test('a stream that Crossplane would silently cut off is refused', async () => {
  const root = await mkdtemp(join(tmpdir(), 'large-'));
  const folder = join(root, 'xpkg.io/a@v1.0.0');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.yaml'), 'apiVersion: meta.pkg.crossplane.io/v1\n');
  await truncate(join(folder, 'package.yaml'), 200 * 1024 * 1024 + 1);
  const source = await openDir(root);
  const candidate = { repository: 'xpkg.io/a', version: 'v1.0.0' };
  const error: unknown = await source
    .fetch(candidate, targetFor('v2.3.4')!)
    .catch((error: unknown) => error);
  await rm(root, { recursive: true });
  expect(error).toMatchObject({ name: 'SourceError', code: 'TOO_LARGE' });
});
