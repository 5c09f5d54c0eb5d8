import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { DamagedTarError, readTar } from '../../../src/oci/archive/tar-reader.js';
import {
  checksummed,
  GNU,
  paxHeader,
  TAR_END,
  tarFile,
  tarHeader,
  USTAR,
} from '../../support/tars.js';

const file = tarFile({ name: 'package.yaml' }, 'good');
const other = tarFile({ name: 'other' }, 'x');

describe('a tar is read as in Go', () => {
  test.each([
    {
      why: 'no content follows a link, whatever its size says',
      parts: [tarHeader({ name: 'l', flag: '2', size: 512 }), file],
      want: ['l=', 'package.yaml=good'],
    },
    {
      why: 'nor a pipe',
      parts: [tarHeader({ name: 'p', flag: '6', size: 512 }), file],
      want: ['p=', 'package.yaml=good'],
    },
    {
      why: 'nor a folder in the oldest spelling',
      parts: [tarHeader({ name: 'd/', flag: '\0', size: 512 }), file],
      want: ['d/=', 'package.yaml=good'],
    },
    {
      why: 'content follows a contiguous file, and whatever has no known flag',
      parts: [tarFile({ name: 'c', flag: '7' }, 'c'), tarFile({ name: 'v', flag: 'V' }, 'v')],
      want: ['c=c', 'v=v'],
    },
    {
      why: 'a global header names itself and no file',
      parts: [paxHeader({ path: 'package.yaml' }, 'g'), other],
      want: ['package.yaml=', 'other=x'],
    },
    {
      why: 'a PAX header names the next file, and no other',
      parts: [paxHeader({ path: 'a/b' }), file, other],
      want: ['a/b=good', 'other=x'],
    },
    {
      why: 'a PAX header says how long the next file is',
      parts: [
        paxHeader({ size: '1' }),
        tarHeader({ name: 'f', size: 512 }),
        Buffer.alloc(512, 'y'),
      ],
      want: ['f=y'],
    },
    {
      why: 'an empty PAX value leaves what the header says',
      parts: [paxHeader({ path: '' }), file],
      want: ['package.yaml=good'],
    },
    {
      why: 'of two PAX headers the second alone counts',
      parts: [paxHeader({ path: 'a' }), paxHeader({ comment: 'b' }), file],
      want: ['package.yaml=good'],
    },
    {
      why: 'a long name of GNU beats a PAX path',
      parts: [
        tarFile({ name: 'L', flag: 'L', magic: GNU }, 'gnu\0'),
        paxHeader({ path: 'pax' }),
        file,
      ],
      want: ['gnu=good'],
    },
    {
      why: 'USTAR has a prefix',
      parts: [tarFile({ name: 'b', prefix: 'a', magic: USTAR }, 'x')],
      want: ['a/b=x'],
    },
    {
      why: 'the oldest format has none',
      parts: [tarFile({ name: 'b', prefix: 'a', magic: '' }, 'x')],
      want: ['b=x'],
    },
    {
      why: 'names that are not UTF-8 stay apart',
      parts: [named(0xff), named(0xfe)],
      want: ['\u00ff=x', '\u00fe=x'],
    },
    {
      why: 'two headers may announce a file that never comes',
      parts: [file, paxHeader({})],
      want: ['package.yaml=good'],
    },
  ])('$why', async ({ parts, want }) => {
    expect(await entries([...parts, TAR_END])).toEqual(want);
  });
});

describe('tars that Go rejects or that readers could disagree about are damaged', () => {
  test.each([
    { why: 'a wrong checksum', parts: [Buffer.from(file).fill('q', 0, 1)] },
    { why: 'a size that is no number', parts: [spoiled(124, 'nine')] },
    { why: 'an owner that is no number', parts: [spoiled(108, 'root')] },
    {
      why: 'a negative size',
      parts: [spoiled(124, '\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff')],
    },
    { why: 'a sparse file of GNU', parts: [tarFile({ name: 's', flag: 'S', magic: GNU }, 'x')] },
    {
      why: 'a sparse file of PAX, named elsewhere',
      parts: [paxHeader({ 'GNU.sparse.major': '1', 'GNU.sparse.name': 'package.yaml' }), other],
    },
    {
      why: 'a PAX record that ends too early',
      parts: [tarFile({ name: 'x', flag: 'x' }, '9 path=a\n9')],
    },
    { why: 'a PAX record without a key', parts: [paxHeader({ '': 'a' }), file] },
    { why: 'a zero byte in a PAX path', parts: [paxHeader({ path: 'a\0b' }), file] },
    { why: 'a PAX size that is no number', parts: [paxHeader({ size: 'x' }), file] },
    {
      why: 'a name of more than a mebibyte',
      parts: [tarFile({ name: 'L', flag: 'L' }, 'n'.repeat(2 ** 20 + 1)), file],
    },
    { why: 'a header cut off', parts: [file.subarray(0, 100)], open: true },
    { why: 'a file cut off', parts: [file.subarray(0, 514)], open: true },
  ])('$why', async ({ parts, open }) => {
    const tar = open === true ? parts : [...parts, TAR_END];
    await expect(entries(tar)).rejects.toBeInstanceOf(DamagedTarError);
  });
});

function named(byte: number): Buffer {
  const tar = tarFile({ name: 'n' }, 'x');
  tar[0] = byte;
  return checksummed(tar);
}

function spoiled(at: number, bytes: string): Buffer {
  const tar = Buffer.from(file);
  tar.write(bytes, at, 'latin1');
  return checksummed(tar);
}

/** Returns `name=content` of each entry, read in pieces across all boundaries. */
async function entries(parts: readonly Uint8Array[]): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, content } of readTar(pieces(Buffer.concat(parts)), 'x')) {
    found.push(`${name}=${await text(content)}`);
  }
  return found;
}

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 100) yield bytes.subarray(at, at + 100);
}
