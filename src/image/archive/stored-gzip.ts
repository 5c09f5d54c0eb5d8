import { crc32 } from 'node:zlib';

/** Most bytes of a block that is stored as it is (RFC 1951, 3.2.4). */
const MAX_BLOCK = 0xffff;
/** Deflate, no flags, no time, no hint, unknown system (RFC 1952, 2.3). */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);

/**
 * Bytes in the format of gzip, uncompressed: for readers that want gzip, where the same bytes must
 * come out of every release of Node.js. No release promises that of what it compresses.
 */
export function storedGzip(bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [HEADER];
  for (let at = 0; at === 0 || at < bytes.length; at += MAX_BLOCK) {
    const block = bytes.subarray(at, at + MAX_BLOCK);
    const head = Buffer.alloc(5);
    head.writeUInt8(at + MAX_BLOCK >= bytes.length ? 1 : 0, 0);
    head.writeUInt16LE(block.length, 1);
    head.writeUInt16LE(block.length ^ MAX_BLOCK, 3);
    parts.push(head, block);
  }
  const tail = Buffer.alloc(8);
  tail.writeUInt32LE(crc32(bytes), 0);
  tail.writeUInt32LE(bytes.length % 2 ** 32, 4);
  return Buffer.concat([...parts, tail]);
}
