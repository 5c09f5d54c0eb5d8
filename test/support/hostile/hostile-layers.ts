import { createGzip, constants } from 'node:zlib';
import { Readable } from 'node:stream';
import { GNU, padded, TAR_END, tarFile, tarHeader } from '../tars.js';

const MIB = 2 ** 20;

/**
 * Yields a tar with one package.yaml that is generated in pieces; `size` is the size of its text.
 */
export function* packageTar(size: number, text: Iterable<Uint8Array>): Generator<Uint8Array> {
  yield tarHeader({ name: 'package.yaml', size });
  yield* text;
  yield Buffer.alloc((512 - (size % 512)) % 512);
  yield TAR_END;
}

/** Yields a package.yaml in which `unit` is repeated up to a size. */
export function repeatedTar(
  unit: string,
  size: number,
  start = '',
  end = '',
): Iterable<Uint8Array> {
  const [head, tail] = [Buffer.from(start), Buffer.from(end)];
  const count = Math.max(
    1,
    Math.floor((size - head.length - tail.length) / Buffer.byteLength(unit)),
  );
  const whole = head.length + tail.length + count * Buffer.byteLength(unit);
  return packageTar(whole, repeated(unit, count, head, tail));
}

function* repeated(unit: string, count: number, head: Buffer, tail: Buffer): Generator<Buffer> {
  const at_once = Math.max(1, Math.floor(MIB / Buffer.byteLength(unit)));
  const block = Buffer.from(unit.repeat(Math.min(at_once, count)));
  yield head;
  for (let left = count; left > 0; left -= at_once) {
    yield left >= at_once ? block : Buffer.from(unit.repeat(left));
  }
  yield tail;
}

/** Yields a tar whose package.yaml consists of pieces of text. */
export function textTar(pieces: readonly string[]): Iterable<Uint8Array> {
  const buffers = pieces.map((piece) => Buffer.from(piece));
  return packageTar(
    buffers.reduce((sum, { length }) => sum + length, 0),
    buffers,
  );
}

/** Yields a tar with empty files with distinct names of the given length before package.yaml. */
export function* namesTar(count: number, length: number): Generator<Uint8Array> {
  for (let i = 0; i < count; i++) {
    // Two bytes for each character, also in memory.
    const name = `${i}-`.padEnd(length, 'ж');
    if (Buffer.byteLength(name) > 100) {
      yield tarFile({ name: '././@LongLink', flag: 'L', magic: GNU }, `${name}\0`);
    }
    yield tarHeader({ name: Buffer.byteLength(name) > 100 ? 'x' : name, magic: GNU });
  }
  yield tarFile({ name: 'package.yaml' }, META);
  yield TAR_END;
}

/** Yields package.yaml after a file of zeros. */
export function* zerosTar(size: number): Generator<Uint8Array> {
  yield tarHeader({ name: 'zeros', size });
  const block = Buffer.alloc(MIB);
  for (let left = size; left > 0; left -= MIB)
    yield left >= MIB ? block : padded(block.subarray(0, left));
  yield tarFile({ name: 'package.yaml' }, META);
  yield TAR_END;
}

export const META = `apiVersion: meta.pkg.crossplane.io/v1
kind: Provider
metadata:
  name: p
`;

export function gzipped(pieces: Iterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return Readable.from(pieces).pipe(createGzip({ level: constants.Z_BEST_SPEED }));
}

/** Yields zstd with raw blocks of `size` bytes in a frame that requires a window of 32 MiB. */
export function* zstdRaw(pieces: Iterable<Uint8Array>, blockSize: number): Generator<Uint8Array> {
  yield Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, (25 - 10) << 3]);
  for (const piece of pieces) {
    const blocks: Uint8Array[] = [];
    for (let at = 0; at < piece.length; at += blockSize) {
      const block = piece.subarray(at, at + blockSize);
      blocks.push(header(block.length, false), block);
    }
    yield Buffer.concat(blocks);
  }
  yield header(0, true);
}

function header(size: number, last: boolean): Uint8Array {
  const word = (size << 3) | (last ? 1 : 0);
  return Buffer.from([word & 0xff, (word >> 8) & 0xff, word >> 16]);
}
