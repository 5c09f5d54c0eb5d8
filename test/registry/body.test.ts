import { expect, test } from 'vitest';
import { withPaceCheck, VerifiedBytes, WrongBytes } from '../../src/registry/body.js';
import { BlobBuffer } from '../../src/image/blob.js';
import { sha256 } from '../../src/text/digest.js';
import { TransientFailure } from '../../src/registry/retry.js';
import { TestClock } from '../support/registry/client.js';

const BYTES = Buffer.from('0123456789');

function expecting() {
  const held = new BlobBuffer();
  return { held, bytes: new VerifiedBytes({ digest: sha256(BYTES), size: BYTES.length }, held) };
}

/** Reads a body of chunks of these sizes, one every five seconds. */
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
])('a body that $why is as good as stalled', async ({ sizes }) => {
  await expect(paceOf(sizes)).rejects.toBeInstanceOf(TransientFailure);
});

/** A minute and a quarter of 300 bytes a second: fast enough never to count as stalled. */
const SLOW = Array.from({ length: 15 }, () => 1_500);

test('a body that is slow, but not for long, is read to its end', async () => {
  expect(await paceOf(SLOW.slice(0, 10))).toBe(15_000);
});

test('a body that never stalls is given up after a minute all the same', async () => {
  await expect(paceOf(SLOW)).rejects.toThrow('the answer was not complete after 60 s');
});

test('a body whose size is known has more time, in proportion', async () => {
  const sizes = Array.from({ length: 1_000 }, () => 100_000);
  expect(await paceOf(sizes, 100_000_000)).toBe(100_000_000);
  await expect(paceOf(sizes, 10_000_000)).rejects.toThrow(/not complete after 670 s/);
});

test('the byte after the last is refused as it comes, and nothing is kept of what came', async () => {
  const { bytes, held } = expecting();
  await bytes.add(BYTES);
  await expect(bytes.add(Buffer.from('x'))).rejects.toThrow(WrongBytes);
  expect([bytes.size, held.bytes.length]).toEqual([0, 0]);
});

test('too few bytes may yet be followed by the rest', async () => {
  const { bytes, held } = expecting();
  await bytes.add(BYTES.subarray(0, 4));
  await expect(bytes.finish()).rejects.toThrow(/^4 of 10 bytes came$/);
  await bytes.add(BYTES.subarray(4));
  await bytes.finish();
  expect(held.bytes).toEqual(BYTES);
});

test('too few bytes that will not be followed are forgotten', async () => {
  const { bytes, held } = expecting();
  await bytes.add(BYTES.subarray(0, 4));
  expect(await bytes.tooShort()).toBeInstanceOf(WrongBytes);
  expect([bytes.size, held.bytes.length]).toEqual([0, 0]);
});

test('what is started again is hashed from the start', async () => {
  const { bytes, held } = expecting();
  await bytes.add(Buffer.from('abcdefghij'));
  await expect(bytes.finish()).rejects.toThrow(WrongBytes);
  await bytes.add(BYTES);
  await bytes.finish();
  expect(held.bytes).toEqual(BYTES);
});

test('what is sent a byte at a time is held in one piece', async () => {
  const held = new BlobBuffer();
  for (let i = 0; i < 100_000; i++) await held.add(Buffer.from([i % 256]));
  expect(held.bytes.length).toBe(100_000);
  expect([held.bytes[0], held.bytes[99_999]]).toEqual([0, 99_999 % 256]);
  expect(held.bytes.buffer.byteLength).toBeLessThan(2 * 100_000 + 1);
});
