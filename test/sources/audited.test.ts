import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { targetFor } from '../../src/crossplane/releases/target.js';
import { auditedSource } from '../../src/sources/audited-source.js';
import { registrySource } from '../../src/sources/images/registry-source.js';
import { sha256 } from '../../src/base/digest.js';
import { providerYaml } from '../support/package-yaml.js';
import { anonymous, withRegistry } from '../support/registry/client.js';
import { on } from '../support/registry/faults.js';
import { imageOf, indexOf, layerOf, type Layer } from '../support/registry/image.js';
import type { LoggedRequest, Registry } from '../support/registry/registry.js';

const content = providerYaml('p');
const shared = await layerOf([{ name: 'package.yaml', content }]);
const upper = await layerOf([{ name: 'package.yaml', content }, { name: 'bin/provider' }]);
const config = JSON.stringify({ rootfs: { diff_ids: [diffId(shared), diffId(upper)] } });
const ours = imageOf([shared, upper], config);
/** Returns the lower layer of the other platform, which is one byte shorter. */
const theirs = imageOf([{ ...shared, bytes: Buffer.concat([shared.bytes, Buffer.from('x')]) }]);
const image = indexOf([
  { image: ours, platform: { os: 'linux', architecture: 'amd64' } },
  {
    image: { ...theirs, blobs: theirs.blobs.slice(0, 1) },
    platform: { os: 'linux', architecture: 'arm64' },
  },
]);

function diffId({ bytes }: Layer): string {
  return sha256(gunzipSync(bytes));
}

test.each([
  { first: 'the config', held: theirs.digest, until: sha256(config) },
  { first: 'the other platform', held: sha256(config), until: theirs.digest },
])('a wrong size in one platform is found, also if $first comes first', async (row) => {
  let release: (() => void) | undefined;
  const answered = new Promise<void>((resolve) => (release = resolve));
  const later = (
    request: LoggedRequest,
    response: Parameters<Registry['answer']>[1],
    at: Registry,
  ) => {
    void answered.then(() => at.answer(request, response));
    return true;
  };
  const passing = () => {
    release?.();
    return false;
  };
  const faults = [on(row.held, later), on(row.until, passing)];
  await withRegistry({ faults }, async ({ registry, client }) => {
    registry.push('a/p', 'v1.0.0', image);
    const source = auditedSource(registrySource({ client, credentials: anonymous }), () => true);
    const candidate = { repository: `${registry.host}/a/p`, version: 'v1.0.0' };
    const reading = source.fetch(candidate, targetFor('v2.3.4')!);
    await expect(reading).rejects.toMatchObject({ code: 'BAD_DIGEST' });
  });
});
