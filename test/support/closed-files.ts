import fs, { type promises } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll } from 'vitest';

/**
 * Fails a test file that leaves a file open: Node.js closes it at some garbage collection, with a
 * warning that names neither the test nor the code that opened it.
 */
type OpenFiles = Map<promises.FileHandle, Error>;

const shared = globalThis as { openFiles?: OpenFiles };
const openFiles = (shared.openFiles ??= watchOpenFiles());

afterAll(async () => {
  const left = [...openFiles].filter(([file]) => file.fd !== -1);
  openFiles.clear();
  for (const [file] of left) await file.close();
  if (left.length > 0) {
    throw new Error(`${left.length} files were not closed; the first was opened here`, {
      cause: left[0]![1],
    });
  }
});

/** Records every `open` of `node:fs/promises` in this process. */
function watchOpenFiles(): OpenFiles {
  const opened: OpenFiles = new Map();
  const { open } = fs.promises;
  fs.promises.open = async (...args) => {
    const place = new Error(`open ${String(args[0])}`);
    const file = await open(...args);
    opened.set(file, place);
    return file;
  };
  syncBuiltinESMExports();
  return opened;
}
