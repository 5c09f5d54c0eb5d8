import type { Repository } from '../model/package.js';
import type { PackageSource } from '../model/package-source.js';
import { SourceError, type SourceErrorCode } from '../model/source-error.js';
import type { Target } from '../model/target/target.js';

const UNTOLD: ReadonlySet<SourceErrorCode> = new Set(['OFFLINE', 'UNAUTHORIZED']);

/**
 * The tags of a locked package; undefined: not known. A registry may give a version to whom it does
 * not list tags, and a cache may keep the one without the other.
 */
export async function tagsIfTold(
  repository: Repository,
  source: PackageSource,
  target: Target,
): Promise<readonly string[] | undefined> {
  try {
    return await source.tags(repository, target);
  } catch (error) {
    if (error instanceof SourceError && UNTOLD.has(error.code)) return undefined;
    throw error;
  }
}
