import { join } from 'node:path';
import { RENDERED_FILES, type Rendering } from '../../usecases/render.js';
import type { FileChange } from '../../files/transaction.js';

/** The changes after which `folder` holds this rendering and nothing of an older one. */
export function renderedOutputs({ files }: Rendering, folder: string): readonly FileChange[] {
  return RENDERED_FILES.map((name) => ({
    path: join(folder, name),
    content: files.get(name),
    ownOnly: true,
  }));
}
