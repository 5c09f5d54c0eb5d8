import type { Repository } from '../model/package.js';
import type { PackageSource } from '../model/package-source.js';
import { isFileSystemError } from '../files/error-code.js';
import { openFileTree } from '../store/file-tree.js';
import { openXpkg } from '../store/xpkg-file.js';
import { imageSource } from './image/image-source.js';
import { unreadable } from './unreadable.js';

export interface XpkgOptions {
  /** The path as the user wrote it; undefined: `file`. */
  readonly shown?: string | undefined;
  readonly repository: Repository;
  readonly tag: string;
}

/** One `.xpkg` file as the only version of a repository. */
export async function openXpkgSource(
  file: string,
  { shown = file, repository, tag }: XpkgOptions,
): Promise<PackageSource> {
  const tree = await openFileTree(file, shown).catch((error: unknown) => {
    throw isFileSystemError(error) ? unreadable(shown, error) : error;
  });
  return imageSource(new Map([[repository, await openXpkg(tree, tag)]]));
}
