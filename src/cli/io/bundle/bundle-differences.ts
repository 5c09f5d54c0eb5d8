import type { Lockfile } from '../../../lock/lockfile.js';
import { InputError } from '../../../model/input-error.js';
import type { Mismatch } from '../../../usecases/mismatch.js';
import type { BundleFolder } from './bundle-folder.js';
import { renderAgain } from './render-again.js';

/** Where a bundle is not what the lockfile renders; one that was edited may render nothing. */
export function bundleDifferences(folder: BundleFolder, lockfile: Lockfile): readonly Mismatch[] {
  try {
    return folder.mismatches(renderAgain(lockfile, {}, folder).rendering);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const text = `not what the lockfile renders, which is nothing: ${error.message}`;
    return [{ kind: 'bundle', file: folder.named, text }];
  }
}
