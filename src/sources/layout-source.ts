import { InputError } from '../model/input-error.js';
import type { PackageSource } from '../model/package-source.js';
import { isFileSystemError } from '../files/error-code.js';
import { openFileTree } from '../store/file-tree.js';
import { openLayout, type LayoutName } from '../store/image-layout.js';
import { imageSource } from './image/image-source.js';
import { unreadable } from './unreadable.js';

const MAX_NAMES_SHOWN = 5;

export interface LayoutOptions {
  /** The path as the user wrote it; undefined: `path`. */
  readonly shown?: string | undefined;
  /** The name of images that the layout does not name; undefined: such images are left out. */
  readonly name?: LayoutName | undefined;
  /** Called with a line about images that are left out. */
  readonly note?: ((line: string) => void) | undefined;
}

/** An OCI image layout, folder or tar, as a source. */
export async function openLayoutSource(
  path: string,
  { shown = path, name, note = () => {} }: LayoutOptions = {},
): Promise<PackageSource> {
  const tree = await openFileTree(path, shown).catch((error: unknown) => {
    throw isFileSystemError(error) ? unreadable(shown, error) : error;
  });
  const { repositories, unnamed } = await openLayout(tree, name);
  if (unnamed.length > 0) {
    const what = `\`index.json\` does not say which repository these belong to: ${list(unnamed)}`;
    const hint = `name it: \`--from ${shown}=REPOSITORY\`, or \`=REPOSITORY:TAG\` where there is no tag either`;
    if (repositories.size === 0) throw new InputError(`${shown}: ${what}`, { hint });
    note(`${shown}: ${what}; they are left out`);
  }
  return imageSource(repositories);
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES_SHOWN).map((name) => `\`${name}\``);
  return `${shown.join(', ')}${names.length > MAX_NAMES_SHOWN ? ', …' : ''}`;
}
