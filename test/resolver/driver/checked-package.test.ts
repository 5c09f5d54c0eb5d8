import { expect, test } from 'vitest';
import { checkedPackage } from '../../../src/resolver/driver/source-reader.js';
import type { PackageSource } from '../../../src/sources/package-source.js';
import { SourceError } from '../../../src/base/errors.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { resolve } from '../../../src/resolver/resolve/resolve.js';
import { verify } from '../../../src/features/verify/verify.js';
import { requestFor } from '../../support/requests.js';
import { providers } from '../../support/universes.js';

const A = 'xpkg.example.org/acme/a';
const candidate = { repository: A, version: 'v1.0.0' };
const DIGEST = `sha256:${'1'.repeat(64)}`;
const contents = { metas: [], objects: [], problems: [], warnings: [] };

test.each(['digest', 'manifest', 'baseLayer', 'packageYaml'] as const)(
  'an invalid digest is rejected as `%s`',
  (field) => {
    const fetched = { contents, digest: DIGEST };
    expect(checkedPackage({ ...fetched, [field]: DIGEST }, candidate)[field]).toBe(DIGEST);
    expect(() => checkedPackage({ ...fetched, [field]: '../../etc' }, candidate)).toThrow(
      expect.objectContaining({
        code: 'BAD_SOURCE',
        message: `${A} v1.0.0: its source gives \`../../etc\` as \`${field}\`, which is not a digest`,
        hint: 'a digest is `sha256:` and 64 lower-case hex digits',
      }),
    );
  },
);

test('a source without digests is accepted', () => {
  expect(checkedPackage({ contents, digest: undefined }, candidate).digest).toBeUndefined();
});

test('resolve and verify reject a source with an invalid digest', async () => {
  const published = memorySource(providers({ [A]: { 'v1.0.0': { digest: DIGEST } } }));
  const careless: PackageSource = {
    tags: (repository, target) => published.tags(repository, target),
    async fetch(wanted, target) {
      const fetched = await published.fetch(wanted, target);
      return fetched && { ...fetched, digest: fetched.digest?.toUpperCase() };
    },
  };
  const request = requestFor({ [A]: '*' });
  await expect(resolve(request, { source: careless })).rejects.toThrow(SourceError);
  const answer = await resolve(request, { source: published });
  if (answer.status !== 'solved') throw new Error(answer.status);
  const { failures } = await verify(answer.lockfile, request, { source: careless });
  expect(failures.map(({ code }) => code)).toEqual(['BAD_SOURCE']);
});
