import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RENDERED_FILES, RENDERED_MARK, type Rendering } from '../../usecases/render.js';
import type { FileChange } from '../../files/transaction.js';

/** The changes after which `folder` holds this rendering and nothing of an older one. */
export function renderedOutputs({ files }: Rendering, folder: string): readonly FileChange[] {
  return RENDERED_FILES.map((name) => ({
    path: join(folder, name),
    content: files.get(name),
  })).filter(({ path, content }) => content !== undefined || isOurs(path));
}

function isOurs(path: string): boolean {
  return existsSync(path) && readFileSync(path, 'utf8').startsWith(RENDERED_MARK);
}
