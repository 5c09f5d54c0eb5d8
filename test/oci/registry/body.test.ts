import { expect, test } from 'vitest';
import { withPaceCheck, BlobVerifier } from '../../../src/oci/registry/body.js';
import { BlobBuffer } from '../../../src/oci/image/image-repository.js';
import { sha256 } from '../../../src/base/digest.js';
import { TransientError, WrongBytesError } from '../../../src/oci/registry/retry.js';
import { TestClock } from '../../support/registry/client.js';

const BYTES = Buffer.from('0123456789');

function expecting() {
  const held = new BlobBuffer();
  return { held, bytes: new BlobVerifier({ digest: sha256(BYTES), size: BYTES.length }, held) };
}

/** Reads a body with chunks of these sizes, one every five seconds. */
async function paceOf(sizes: Iterable<number>, expectedBytes?: number): Promise<number> {
  const clock = new TestClock();
  async function* body() {
    for (const size of sizes) {
      clock.pass(5_000);
      yield Buffer.alloc(size);
    }
  }
  let bytes = 0;
  for await (const chunk of withPaceCheck(body(), clock, expectedBytes)) bytes += chunk.length;
  return bytes;
}

const DRIPS = Array.from({ length: 1_000 }, () => 1);

test.each([
  { why: 'only drips', sizes: DRIPS },
  { why: 'drips 12.5 bytes a second', sizes: DRIPS.map(() => 63) },
  { why: 'began well and then drips', sizes: [1_000_000, ...DRIPS] },
])('a body that $why counts as stalled', async ({ sizes }) => {
  await expect(paceOf(sizes)).rejects.toBeInstanceOf(TransientError);
});

/** 75 seconds at 300 bytes per second: fast enough not to stall. */
const SLOW = Array.from({ length: 15 }, () => 1_500);

test('a slow but short body is read to its end', async () => {
  expect(await paceOf(SLOW.slice(0, 10))).toBe(15_000);
});

test('a body that never stalls is aborted after a minute', async () => {
  await expect(paceOf(SLOW)).rejects.toThrow('the answer was not complete after 60 s');
});

test('a body with a known size has proportionally more time', async () => {
  const sizes = Array.from({ length: 1_000 }, () => 100_000);
  expect(await paceOf(sizes, 100_000_000)).toBe(100_000_000);
  await expect(paceOf(sizes, 10_000_000)).rejects.toThrow(/not complete after 670 s/);
});

test('an excess byte is rejected at once, and nothing is stored', async () => {
  const { bytes, held } = expecting();
  await bytes.add(BYTES);
  await expect(bytes.add(Buffer.from('x'))).rejects.toThrow(WrongBytesError);
  expect([bytes.size, held.bytes.length]).toEqual([0, 0]);
});

test('a short body may be resumed', async () => {
  const { bytes, held } = expecting();
  await bytes.add(BYTES.subarray(0, 4));
  await expect(bytes.finish()).rejects.toThrow(/^4 of 10 bytes came$/);
  await bytes.add(BYTES.subarray(4));
  await bytes.finish();
  expect(held.bytes).toEqual(BYTES);
});

test('a short body that is final is discarded', async () => {
  const { bytes, held } = expecting();
  await bytes.add(BYTES.subarray(0, 4));
  expect(await bytes.tooShortError()).toBeInstanceOf(WrongBytesError);
  expect([bytes.size, held.bytes.length]).toEqual([0, 0]);
});

test('a restarted body is hashed from the start', async () => {
  const { bytes, held } = expecting();
  await bytes.add(Buffer.from('abcdefghij'));
  await expect(bytes.finish()).rejects.toThrow(WrongBytesError);
  await bytes.add(BYTES);
  await bytes.finish();
  expect(held.bytes).toEqual(BYTES);
});

test('single bytes are stored in one buffer', async () => {
  const held = new BlobBuffer();
  for (let i = 0; i < 100_000; i++) await held.add(Buffer.from([i % 256]));
  expect(held.bytes.length).toBe(100_000);
  expect([held.bytes[0], held.bytes[99_999]]).toEqual([0, 99_999 % 256]);
  expect(held.bytes.buffer.byteLength).toBeLessThan(2 * 100_000 + 1);
});
