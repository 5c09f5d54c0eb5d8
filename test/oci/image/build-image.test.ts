import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { extract } from 'tar-stream';
import { describe, expect, test } from 'vitest';
import { buildImage } from '../../../src/oci/image/build-image.js';
import { sha256 } from '../../../src/base/digest.js';

const yaml = new TextEncoder().encode('apiVersion: meta.pkg.crossplane.io/v1\nkind: Provider\n');
const parse = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes));

describe('an image of one package.yaml', () => {
  test('has the same digest on every machine', async () => {
    const { manifest } = await buildImage(yaml);
    expect(manifest.digest).toBe(
      'sha256:68f4b654f2e79d7e64c89b75dd420cd3d4b0429846c9d6a5dce1e8b421a6d392',
    );
  });

  test('has digests that match its blobs', async () => {
    const { manifest, config, layer } = await buildImage(yaml);
    for (const blob of [manifest, config, layer]) expect(blob.digest).toBe(sha256(blob.bytes));
    expect(parse(manifest.bytes)).toMatchObject({
      config: { digest: config.digest, size: config.bytes.length },
      layers: [
        {
          digest: layer.digest,
          size: layer.bytes.length,
          annotations: { 'io.crossplane.xpkg': 'base' },
        },
      ],
    });
    expect(parse(config.bytes)).toMatchObject({
      rootfs: { diff_ids: [layer.digest] },
      config: { Labels: { [`io.crossplane.xpkg:${layer.digest}`]: 'base' } },
    });
  });

  test('has only that file, without data of the machine', async () => {
    const { layer } = await buildImage(yaml);
    const entries = [];
    for await (const entry of Readable.from([layer.bytes]).pipe(extract())) {
      const { name, mode, uid, gid, mtime } = entry.header;
      const bytes = await buffer(entry);
      entries.push({ name, mode, uid, gid, mtime: mtime?.getTime(), text: bytes.toString() });
    }
    const text = new TextDecoder().decode(yaml);
    expect(entries).toEqual([
      { name: 'package.yaml', mode: 0o644, uid: 0, gid: 0, mtime: 0, text },
    ]);
  });

  test('changes with every byte', async () => {
    const other = await buildImage(yaml.subarray(1));
    expect(other.manifest.digest).not.toBe((await buildImage(yaml)).manifest.digest);
  });
});
