const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
/** A header without content size and checksum, with a window of 8 MiB. */
const HEADER = [...MAGIC, 0x00, 0x68];
const LARGEST_BLOCK = 128 * 1024;

/** Returns a valid zstd frame of raw blocks. */
export function zstdOf(bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [Buffer.from(HEADER)];
  for (let at = 0; at === 0 || at < bytes.length; at += LARGEST_BLOCK) {
    const block = bytes.subarray(at, at + LARGEST_BLOCK);
    parts.push(blockHeader(0, block.length, at + LARGEST_BLOCK >= bytes.length), block);
  }
  return Buffer.concat(parts);
}

/** Returns a zstd frame of one repeated byte: four bytes for every 128 KiB. */
export function zstdRle(size: number): Uint8Array {
  const parts: Uint8Array[] = [Buffer.from(HEADER)];
  for (let at = 0; at < size; at += LARGEST_BLOCK) {
    const last = at + LARGEST_BLOCK >= size;
    parts.push(blockHeader(1, LARGEST_BLOCK, last), Buffer.from([0]));
  }
  return Buffer.concat(parts);
}

function blockHeader(type: 0 | 1, size: number, last: boolean): Uint8Array {
  const header = (size << 3) | (type << 1) | (last ? 1 : 0);
  return Buffer.from([header & 0xff, (header >> 8) & 0xff, (header >> 16) & 0xff]);
}
