import { execFileSync } from 'node:child_process';
import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';

/** A file, folder or link of a tar. Whose it is: root's. */
export interface PackedFile {
  /** From the top, with no slash before it. */
  readonly path: string;
  readonly mode: number;
  /** What a file holds, or where a link leads; undefined: a folder. */
  readonly content?: Buffer | string;
}

const MAX_BYTES = 1 << 30;

/** A tar that is the same for the same files on every machine; `time` is that of all files, in seconds. */
export async function tarOfFiles(files: readonly PackedFile[], time: number): Promise<Buffer> {
  const tar = pack();
  const bytes = buffer(tar);
  const mtime = new Date(time * 1000);
  for (const { path, mode, content } of [...files].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const header = { name: path, mode, mtime, uid: 0, gid: 0 };
    if (Buffer.isBuffer(content)) tar.entry(header, content);
    else if (content === undefined) tar.entry({ ...header, type: 'directory' });
    else tar.entry({ ...header, type: 'symlink', linkname: content });
  }
  tar.finalize();
  return bytes;
}

/** Packed by gzip itself: what zlib makes of the same bytes depends on the processor. */
export function gzipped(bytes: Buffer): Buffer {
  return execFileSync('gzip', ['-n', '-6'], { input: bytes, maxBuffer: MAX_BYTES });
}

/** `SOURCE_DATE_EPOCH`, or when the commit was made that is checked out; 0 where there is none. */
export function sourceDate(): number {
  const given = process.env['SOURCE_DATE_EPOCH'];
  if (given !== undefined) return Number(given);
  try {
    const args = ['log', '-1', '--format=%ct'];
    return Number(execFileSync('git', args, { stdio: ['ignore', 'pipe', 'ignore'] }));
  } catch {
    return 0;
  }
}
