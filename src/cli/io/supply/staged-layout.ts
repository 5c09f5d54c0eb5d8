import { rmSync } from 'node:fs';
import { cannotWrite } from '../../../files/cannot-write.js';
import { isFileSystemError } from '../../../files/error-code.js';
import { removeFirmly } from '../../../files/journal/remove-firmly.js';
import { cleaningUpOnSignal } from '../../../files/signals.js';
import { LayoutWriter } from '../../../store/layout-writer.js';

/** Does some work with a new layout; should it fail, or a signal end it, nothing of it is left. */
export async function withStagedLayout<T>(
  folder: string,
  shown: string,
  work: (layout: LayoutWriter) => Promise<T>,
): Promise<T> {
  let layout: LayoutWriter | undefined;
  const cleanUp = () => {
    if (layout !== undefined) rmSync(layout.staging, { recursive: true, force: true });
  };
  try {
    return await cleaningUpOnSignal(cleanUp, async () => {
      layout = await LayoutWriter.open(folder, shown);
      return work(layout);
    });
  } catch (error) {
    if (layout !== undefined) await removeFirmly(layout.staging);
    throw isFileSystemError(error) ? cannotWrite(shown, error) : error;
  }
}
