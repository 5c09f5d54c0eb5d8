/** A file of a tar. */
export interface PlainFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const BLOCK = 512;
/** ASCII that a header has room for. */
const PLAIN = /^[\x20-\x7e]{1,100}$/;

/**
 * A tar of files of root, mode 644, without dates: the bytes that tar-stream writes, which takes longer to
 * load than most packages to read. undefined: a name is too long for that, or not ASCII.
 */
export function plainTar(files: readonly PlainFile[]): Uint8Array | undefined {
  if (!files.every(({ name }) => PLAIN.test(name))) return undefined;
  const blocks = files.reduce((sum, { bytes }) => sum + 1 + Math.ceil(bytes.length / BLOCK), 2);
  const tar = Buffer.alloc(blocks * BLOCK);
  let at = 0;
  for (const { name, bytes } of files) {
    writeHeader(tar.subarray(at, at + BLOCK), name, bytes.length);
    tar.set(bytes, at + BLOCK);
    at += (1 + Math.ceil(bytes.length / BLOCK)) * BLOCK;
  }
  return tar;
}

function writeHeader(header: Buffer, name: string, size: number): void {
  header.write(name, 0, 'latin1');
  header.write('000644 ', 100);
  for (const owner of [108, 116]) header.write('000000 ', owner);
  header.write(octal(size, 11), 124);
  header.write(octal(0, 11), 136);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  for (const device of [329, 337]) header.write('000000 ', device);
  // The sum is of a header with spaces where it stands.
  const sum = header.reduce((total, byte) => total + byte, 8 * 0x20);
  header.write(octal(sum, 6), 148);
}

function octal(value: number, digits: number): string {
  return `${value.toString(8).padStart(digits, '0')} `;
}
