import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { tarEntries } from '../../../src/oci/archive/tar-reader.js';
import { tarOf } from '../../support/registry/image.js';

const zeros = Buffer.alloc(512);
const garbage = Buffer.from('x'.repeat(512));
const full = { name: 'full', content: '\0'.repeat(1024) };
const [a, b, filled] = [await open('a'), await open('b'), await open('full', full.content)];
/** Its long name needs an additional header of two blocks. */
const far = await open(`${'d/'.repeat(200)}far`);

/** Chunks in small pieces across all boundaries, and all at once. */
const PIECES = [100, 512, 1_000_000];

describe('a tar ends where it ends for Go', () => {
  test.each([
    { why: 'with its last byte', parts: [a, b], want: ['a', 'b'] },
    { why: 'after one block of zeros that is the last', parts: [a, zeros], want: ['a'] },
    { why: 'after two, whatever follows', parts: [a, zeros, zeros, b], want: ['a'] },
    { why: 'after two, and garbage follows', parts: [a, zeros, zeros, garbage], want: ['a'] },
    {
      why: 'between the headers of a file',
      parts: [a, far.subarray(0, 1024), zeros, zeros, b],
      want: ['a'],
    },
    { why: 'within the padding of a file', parts: [b, a.subarray(0, 700)], want: ['b', 'a'] },
    { why: 'after a file without its padding', parts: [a.subarray(0, 513)], want: ['a'] },
    { why: 'not by zeros in a file', parts: [filled, a], want: ['full', 'a'] },
    { why: 'nor by one block after those', parts: [a, filled, zeros], want: ['a', 'full'] },
    {
      why: 'nor by a name that leaves a block of zeros',
      parts: [gnuNamed('n'.repeat(512)), a],
      want: ['n'.repeat(512), 'a'],
    },
  ])('$why', async ({ parts, want }) => {
    for (const size of PIECES) expect(await namesIn(parts, size)).toEqual(want);
  });

  test.each([
    { why: 'garbage after one block of zeros', parts: [a, zeros, garbage] },
    { why: 'garbage, and an end after that', parts: [a, garbage, zeros, zeros] },
    { why: 'a file after one block of zeros', parts: [a, zeros, b] },
    { why: 'the same, after zeros in a file', parts: [filled, zeros, b] },
    { why: 'the same, before zeros in a file', parts: [a, zeros, filled, zeros, zeros] },
    { why: 'one block of zeros before everything', parts: [zeros, a] },
    { why: 'a file of two headers after one block of zeros', parts: [a, zeros, far] },
    { why: 'a header for no file after one', parts: [a, zeros, far.subarray(0, 1024)] },
    { why: 'a part of a second block of zeros', parts: [a, zeros, zeros.subarray(1)] },
    { why: 'a file cut off', parts: [a, filled.subarray(0, -1)] },
    { why: 'a header cut off', parts: [a, b.subarray(0, 511)] },
  ])('and is damaged if Go rejects it: $why', async ({ parts }) => {
    for (const size of PIECES) {
      for (const skipping of [false, true]) {
        const names = namesIn(parts, size, skipping);
        await expect(names).rejects.toMatchObject({ code: 'BAD_IMAGE' });
      }
    }
  });
});

async function namesIn(
  parts: readonly Uint8Array[],
  size: number,
  skipping = false,
): Promise<string[]> {
  const names: string[] = [];
  for await (const { name, content } of tarEntries(pieces(Buffer.concat(parts), size), 'x')) {
    names.push(name);
    if (!skipping) expect(await text(content)).toBe(name === full.name ? full.content : 'x');
  }
  return names;
}

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** A file without an end-of-tar marker. */
async function open(name: string, content = 'x'): Promise<Uint8Array> {
  return (await tarOf([{ name, content }])).subarray(0, -1024);
}

/** A file whose name is in blocks of its own and ends with a zero byte, as in GNU tar. */
function gnuNamed(name: string): Uint8Array {
  const content = Buffer.alloc(Math.ceil((name.length + 1) / 512) * 512);
  content.write(name);
  return Buffer.concat([
    gnuHeader('L', name.length + 1),
    content,
    gnuHeader('0', 1),
    Buffer.alloc(512).fill('x', 0, 1),
  ]);
}

function gnuHeader(type: string, size: number): Uint8Array {
  const header = Buffer.alloc(512);
  header.write('short', 0);
  header.write('0000644\0', 100);
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  header.write('        ', 148);
  header.write(type, 156);
  header.write('ustar  \0', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}
