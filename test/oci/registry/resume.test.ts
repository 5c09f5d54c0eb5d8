import { describe, expect, test } from 'vitest';
import { BlobBuffer, type ImageRepository } from '../../../src/oci/image/image-repository.js';
import { withRegistry } from '../../support/registry/client.js';
import { on, truncated, unended } from '../../support/registry/faults.js';
import { blobOf, packageImage } from '../../support/registry/image.js';
import { send, type Fault } from '../../support/registry/registry.js';

const image = await packageImage('kind: Provider\n'.repeat(50));
const layer = image.blobs.at(-1)!;
const wanted = { digest: layer.digest, size: layer.bytes.length } as never;
const other = blobOf('x'.repeat(layer.bytes.length));
const ETAG = `"${layer.digest}"`;

type Read = (repository: ImageRepository) => Promise<Uint8Array | undefined>;

async function copied(repository: ImageRepository): Promise<Uint8Array | undefined> {
  const held = new BlobBuffer();
  return (await repository.copyBlob!(wanted, held)) ? held.bytes : undefined;
}

/** Fetches the layer from a registry whose first responses are `faults`. Returns the ranges. */
async function fetching(read: Read, faults: readonly Fault[]) {
  const asked: (string | undefined)[] = [];
  await withRegistry(
    { faults: faults.map((fault) => on('/blobs/', fault, 1)) },
    async ({ registry, repository }) => {
      registry.push('a/p', 'v1', image);
      expect(await read(repository('a/p'))).toEqual(layer.bytes);
      for (const { range, ifRange } of registry.log) asked.push(range && `${range} if ${ifRange}`);
    },
  );
  return asked;
}

/** Answers with the part of `bytes` from `from`, whatever range was requested. */
function part(bytes: Uint8Array, from: number): Fault {
  return (_request, response) => {
    response.setHeader('Content-Range', `bytes ${from}-${bytes.length - 1}/${bytes.length}`);
    send(response, 206, bytes.subarray(from));
    return true;
  };
}

describe.each<{ how: string; read: Read }>([
  { how: 'read', read: (repository) => repository.blob(wanted) },
  { how: 'copied', read: copied },
])('a blob that was cut off while it was $how', ({ read }) => {
  const fetched = (...faults: readonly Fault[]) => fetching(read, faults);

  test('is resumed if the registry has a strong ETag for it that still matches', async () => {
    const cut = truncated(layer.bytes, 20, { ETag: ETAG });
    expect(await fetched(cut)).toEqual([undefined, `bytes=20- if ${ETAG}`]);
  });

  test('is resumed as often as it is cut', async () => {
    const again: Fault = (_request, response) => {
      const rest = layer.bytes.length - 20;
      response.writeHead(206, {
        ETag: ETAG,
        'Content-Range': `bytes 20-${layer.bytes.length - 1}/${layer.bytes.length}`,
        'Content-Length': rest,
      });
      response.write(layer.bytes.subarray(20, 25), () => response.destroy());
      return true;
    };
    const cut = truncated(layer.bytes, 20, { ETag: ETAG });
    expect(await fetched(cut, again)).toEqual([
      undefined,
      `bytes=20- if ${ETAG}`,
      `bytes=25- if ${ETAG}`,
    ]);
  });

  test('is read from the start if the registry reports a change', async () => {
    const cut = truncated(other.bytes, 20, { ETag: '"older"' });
    expect(await fetched(cut)).toEqual([undefined, 'bytes=20- if "older"']);
  });

  test.each([
    { why: 'without a tag', headers: {} },
    { why: 'with a weak tag, which promises no equal bytes', headers: { ETag: `W/${ETAG}` } },
  ])('is requested from the start $why', async ({ headers }) => {
    expect(await fetched(truncated(layer.bytes, 20, headers))).toEqual([undefined, undefined]);
  });

  test('ignores a part with another offset', async () => {
    const cut = truncated(layer.bytes, 20, { ETag: ETAG });
    const asked = await fetched(cut, part(layer.bytes, 0));
    expect(asked).toEqual([undefined, `bytes=20- if ${ETAG}`]);
  });

  test('is rejected if the rest does not match, even with a matching ETag', async () => {
    const cut = truncated(other.bytes, 20, { ETag: ETAG });
    const asked = await fetched(cut);
    expect(asked).toEqual([undefined, `bytes=20- if ${ETAG}`, undefined]);
  });

  test('needs no request after its last byte', async () => {
    expect(await fetched(unended(layer.bytes))).toEqual([undefined]);
  });
});
