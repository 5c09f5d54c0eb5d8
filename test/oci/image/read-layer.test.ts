import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readLayer } from '../../../src/oci/image/read-package.js';
import { LIMITS } from '../../../src/oci/image/limits.js';
import type { ImageRepository, OpenBlob } from '../../../src/oci/image/image-repository.js';
import { blobOf } from '../../support/registry/image.js';
import { sha256 } from '../../../src/base/digest.js';

const CONTEXT = { subject: 'x', limits: LIMITS };

/** A repository that counts how its only blob is used. */
class CountedBlob {
  readonly descriptor = { digest: sha256('content'), size: 7 };
  open = 0;
  reading = 0;
  mostReading = 0;
  readonly repository: ImageRepository = {
    name: 'r',
    tags: async () => [],
    manifest: async () => undefined,
    blob: async () => blobOf('content').bytes,
    openBlob: async () => this.#opened(),
  };

  #opened(): OpenBlob {
    this.open += 1;
    const chunks = () => this.#chunks();
    return { chunks, close: async () => void (this.open -= 1) };
  }

  async *#chunks(): AsyncGenerator<Uint8Array> {
    this.reading += 1;
    this.mostReading = Math.max(this.mostReading, this.reading);
    await setImmediate();
    yield Buffer.from('content');
    this.reading -= 1;
  }
}

async function fail(): Promise<void> {
  throw new Error('no');
}

async function drain(tar: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of tar);
}

test('layers are read one at a time, and all are closed', async () => {
  const blob = new CountedBlob();
  const read = () => readLayer(blob.repository, blob.descriptor, CONTEXT, drain);
  await Promise.all(Array.from({ length: 8 }, read));
  expect(blob).toMatchObject({ open: 0, mostReading: 1 });
});

test('a failing reader closes its layer and ends its turn', async () => {
  const blob = new CountedBlob();
  const failing = readLayer(blob.repository, blob.descriptor, CONTEXT, fail);
  await expect(failing).rejects.toThrow('no');
  expect(blob.open).toBe(0);
  await readLayer(blob.repository, blob.descriptor, CONTEXT, drain);
});

test('a layer that is too large is rejected before it is opened', async () => {
  const blob = new CountedBlob();
  const large = { ...blob.descriptor, size: LIMITS.layerBytes + 1 };
  const reading = readLayer(blob.repository, large, CONTEXT, drain);
  await expect(reading).rejects.toMatchObject({ code: 'TOO_LARGE' });
  expect(blob.open).toBe(0);
});

test('a blob is copied if the repository cannot open it', async () => {
  const { repository, descriptor } = new CountedBlob();
  const plain = { ...repository, openBlob: undefined };
  const got = await readLayer(plain, descriptor, CONTEXT, async (tar) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of tar) chunks.push(chunk);
    return String(Buffer.concat(chunks));
  });
  expect(got).toEqual({ value: 'content' });
  const none = { ...plain, blob: async () => undefined };
  expect(await readLayer(none, descriptor, CONTEXT, drain)).toBeUndefined();
});
