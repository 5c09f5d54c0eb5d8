/** Handmade tars, block by block, that no archiver would write. */
export const TAR_BLOCK = 512;

export interface HandmadeHeader {
  readonly name: string;
  /** One character. */
  readonly flag?: string;
  readonly size?: number;
  /** The eight bytes of magic and version. */
  readonly magic?: string;
  readonly prefix?: string;
}

export const USTAR = 'ustar\x0000';
export const GNU = 'ustar  \0';

export function tarHeader(header: HandmadeHeader): Buffer {
  const { name, flag = '0', size = 0, magic = USTAR, prefix = '' } = header;
  const block = Buffer.alloc(TAR_BLOCK);
  block.write(name, 0, 100, 'utf8');
  block.write('0000644\0', 100);
  block.write('0000000\0', 108);
  block.write('0000000\0', 116);
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  block.write('00000000000\0', 136);
  block.write(flag, 156, 'latin1');
  block.write(magic, 257, 'latin1');
  block.write(prefix, 345, 155, 'utf8');
  return checksummed(block);
}

/** Writes the correct checksum into the header at `at`. */
export function checksummed(tar: Buffer, at = 0): Buffer {
  tar.fill(0x20, at + 148, at + 156);
  let sum = 0;
  for (let i = at; i < at + TAR_BLOCK; i++) sum += tar[i]!;
  tar.write(`${sum.toString(8).padStart(6, '0')}\0 `, at + 148, 'latin1');
  return tar;
}

export function padded(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([bytes, Buffer.alloc((TAR_BLOCK - (bytes.length % TAR_BLOCK)) % TAR_BLOCK)]);
}

/** Returns a header and its content; the size is that of the content unless the header sets it. */
export function tarFile(header: HandmadeHeader, content = ''): Buffer {
  const size = header.size ?? Buffer.byteLength(content);
  return Buffer.concat([tarHeader({ ...header, size }), padded(content)]);
}

/** With `flag` x, it applies to the next file; with g, to all following files. */
export function paxHeader(records: Readonly<Record<string, string>>, flag = 'x'): Buffer {
  const content = Object.entries(records).map(([key, value]) => paxRecord(key, value));
  return tarFile({ name: 'PaxHeader', flag }, content.join(''));
}

/** `23 path=some/file\n`: the length includes itself. */
export function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  let length = Buffer.byteLength(rest) + 1;
  while (String(length).length + Buffer.byteLength(rest) !== length) length++;
  return `${length}${rest}`;
}

export const TAR_END = Buffer.alloc(2 * TAR_BLOCK);
