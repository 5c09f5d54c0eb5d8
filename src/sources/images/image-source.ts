import { fetchImage, imageDate, type ImageSource } from './fetch-image.js';
import { byCodePoint } from '../../base/collections.js';
import { InputError } from '../../base/errors.js';
import { isFileSystemError, readError } from '../../base/files/file-system.js';
import type { Repository } from '../../crossplane/packages/package.js';
import { isAttachmentTag } from '../../crossplane/packages/reference.js';
import type { ReleaseRules } from '../../crossplane/releases/release-facts.js';
import type { ImageRepository } from '../../oci/image/image-repository.js';
import { type FileTree, openFileTree } from '../../oci/store/file-tree.js';
import { type LayoutName, openLayout } from '../../oci/store/image-layout.js';
import { openXpkg } from '../../oci/store/xpkg-file.js';
import { ownersAmong } from '../crd-owners.js';
import type { PackageSource } from '../package-source.js';

/** Returns a source for local images. All of them can be read to find the owners of a CRD. */
function imageSource(byName: ReadonlyMap<Repository, ImageRepository>): ImageSource {
  const repositories = [...byName.keys()].sort(byCodePoint);
  return {
    tags: async (repository) => byName.get(repository)?.tags(),
    fetch: async ({ repository, version }, target) => {
      const images = byName.get(repository);
      return images && fetchImage(images, version, target);
    },
    released: async ({ repository, version }, { rules }) => {
      const images = byName.get(repository);
      return images && imageDate(images, version, rules);
    },
    owners: (crdRef, target) => {
      const contentsIn = (name: Repository) => contentsByTag(byName.get(name)!, target);
      const packages = repositories.map((name) => [name, contentsIn(name)] as const);
      return ownersAmong(packages, crdRef, target);
    },
    repositories: async () => repositories,
    images: async ({ repository }) => byName.get(repository),
  };
}

async function* contentsByTag(images: ImageRepository, target: ReleaseRules) {
  for (const tag of [...((await images.tags()) ?? [])].sort(byCodePoint)) {
    const found = isAttachmentTag(tag) ? undefined : await fetchImage(images, tag, target);
    if (found !== undefined) yield [tag, found.contents] as const;
  }
}

const MAX_NAMES_SHOWN = 5;

export interface LayoutOptions {
  /** The path as the user wrote it; `path` by default. */
  readonly shown?: string | undefined;
  /** The name of images without one; if undefined, these are ignored. */
  readonly name?: LayoutName | undefined;
  /** Called with a message about ignored images. */
  readonly note?: ((line: string) => void) | undefined;
}

/** Opens an OCI image layout (folder or tar) as a source. */
export async function openLayoutSource(
  path: string,
  { shown = path, name, note = () => {} }: LayoutOptions = {},
): Promise<PackageSource> {
  const tree = await openTree(path, shown);
  const { repositories, unnamed } = await openLayout(tree, name);
  if (unnamed.length > 0) {
    const what = `\`index.json\` does not say which repository these belong to: ${nameList(unnamed)}`;
    const hint = `name it: \`--from ${shown}=REPOSITORY\`, or \`=REPOSITORY:TAG\` where there is no tag either`;
    if (repositories.size === 0) throw new InputError(`${shown}: ${what}`, { hint });
    note(`${shown}: ${what}; they are left out`);
  }
  return imageSource(repositories);
}

function nameList(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES_SHOWN).map((name) => `\`${name}\``);
  return `${shown.join(', ')}${names.length > MAX_NAMES_SHOWN ? ', …' : ''}`;
}

export interface XpkgOptions {
  /** The path as the user wrote it; `file` by default. */
  readonly shown?: string | undefined;
  readonly repository: Repository;
  readonly tag: string;
}

/** Opens a `.xpkg` file as the only version of a repository. */
export async function openXpkgSource(
  file: string,
  { shown = file, repository, tag }: XpkgOptions,
): Promise<PackageSource> {
  const tree = await openTree(file, shown);
  return imageSource(new Map([[repository, await openXpkg(tree, tag)]]));
}

async function openTree(path: string, shown: string): Promise<FileTree> {
  return openFileTree(path, shown).catch((error: unknown) => {
    throw isFileSystemError(error) ? readError(shown, error) : error;
  });
}
