import { open, type FileHandle } from 'node:fs/promises';

/** Writes the content of a file; every write goes to its end, after a `truncate` too. */
export type Fill = (file: FileHandle) => Promise<void>;

/** Makes a new file and writes its bytes to the disk; refuses a path that exists. */
export async function writeThrough(path: string, fill: Fill, mode = 0o666): Promise<void> {
  const file = await open(path, 'ax', mode);
  try {
    await fill(file);
    await file.sync();
  } finally {
    await file.close();
  }
}
