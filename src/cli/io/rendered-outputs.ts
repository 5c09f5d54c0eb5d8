import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RENDERED_FILES, RENDERED_MARK, type Rendering } from '../../usecases/render.js';
import type { OutputFile } from '../../files/transaction.js';

/** What has to happen in `folder` for it to hold this rendering, and no older one of ours. */
export function renderedOutputs({ files }: Rendering, folder: string): readonly OutputFile[] {
  return RENDERED_FILES.map((name) => ({ path: join(folder, name), text: files.get(name) })).filter(
    ({ path, text }) => text !== undefined || isOurs(path),
  );
}

function isOurs(path: string): boolean {
  return existsSync(path) && readFileSync(path, 'utf8').startsWith(RENDERED_MARK);
}
