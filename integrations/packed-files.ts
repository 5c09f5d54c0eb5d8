import { execFileSync } from 'node:child_process';
import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';

/** A file, folder or link of a tar, owned by root. */
export interface PackedFile {
  /** The path relative to the root, without a leading slash. */
  readonly path: string;
  readonly mode: number;
  /** The content of a file or the target of a link; undefined: a folder. */
  readonly content?: Buffer | string;
}

const MAX_BYTES = 1 << 30;

/** Returns a reproducible tar; `time` is the modification time of all files in seconds. */
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

/** Compressed by the gzip program, because the output of zlib depends on the CPU. */
export function gzipped(bytes: Buffer): Buffer {
  return execFileSync('gzip', ['-n', '-6'], { input: bytes, maxBuffer: MAX_BYTES });
}

/** Returns `SOURCE_DATE_EPOCH`, or the time of the current commit; 0 if there is none. */
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
