import { expect, test } from 'vitest';
import type { Digest } from '../../../src/base/digest.js';
import { withRegistry } from '../../support/registry/client.js';
import { instead, redirectTo, status } from '../../support/registry/faults.js';
import { blobOf, packageImage } from '../../support/registry/image.js';

const image = await packageImage('kind: Provider\n');
const other = blobOf('x');

test('a HEAD returns the digest of a tag without counting as a pull', async () => {
  await withRegistry({}, async ({ registry, repository }) => {
    registry.push('a/p', 'v1.0.0', image);
    const repo = repository('a/p');
    const pointsAt = async (tag: string, digest: string) => repo.pointsAt!(tag, digest as Digest);
    expect(await pointsAt('v1.0.0', image.digest)).toBe(true);
    expect(await pointsAt('v1.0.0', other.digest)).toBe(false);
    expect(await pointsAt('v2.0.0', image.digest)).toBe(false);
    expect(await pointsAt('../tags/list', image.digest)).toBe(false);
    expect(registry.asked).toEqual([
      ...Array<string>(2).fill('HEAD /v2/a/p/manifests/v1.0.0'),
      'HEAD /v2/a/p/manifests/v2.0.0',
    ]);
  });
});

test.each([
  { why: 'a status', fault: status(405) },
  { why: 'no digest', fault: instead('') },
  { why: 'what is no digest', fault: instead('', { 'Docker-Content-Digest': 'sha256:beef' }) },
  { why: 'a redirect', fault: redirectTo('http://127.0.0.1:9/') },
])('is unknown if HEAD returns $why, and HEAD is not tried again', async (given) => {
  await withRegistry({ faults: [given.fault] }, async ({ registry, repository }) => {
    registry.push('a/p', 'v1.0.0', image);
    const repo = repository('a/p');
    for (let i = 0; i < 3; i += 1) {
      expect(await repo.pointsAt!('v1.0.0', image.digest as Digest)).toBe(false);
    }
    expect(registry.asked).toEqual(['HEAD /v2/a/p/manifests/v1.0.0']);
  });
});
