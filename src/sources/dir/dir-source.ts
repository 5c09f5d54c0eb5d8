import { readdir } from 'node:fs/promises';
import { bringsCrd } from '../../admission/owned.js';
import type { Repository } from '../../model/package.js';
import { isDigest } from '../../text/digest.js';
import type { FetchedPackage, Owner, PackageSource } from '../../model/package-source.js';
import type { CrdDemand } from '../../model/crd-demand.js';
import type { Target } from '../../model/target/target.js';
import { builtRepository } from '../../image/build-image.js';
import type { ImageHolder } from '../image/image-holder.js';
import { PackageTree } from './package-tree.js';
import { unreadable } from '../unreadable.js';

export interface DirOptions {
  /** The path as the user wrote it. */
  readonly shown?: string;
  /** Called with a line about each folder that is ignored. */
  readonly note?: (line: string) => void;
}

/** Opens a tree of `<repository>@<version>` folders, which are read on demand. */
export async function openDir(root: string, options: DirOptions = {}): Promise<PackageSource> {
  const shown = options.shown ?? root;
  try {
    await readdir(root);
  } catch (error) {
    throw unreadable(shown, error);
  }
  return dirSource(new PackageTree(root, shown, options.note ?? (() => {})));
}

function dirSource(tree: PackageTree): ImageHolder {
  return {
    async tags(repository) {
      const versions = await tree.versions(repository);
      if (versions.size === 0) return undefined;
      return [...versions.keys()].filter((version) => !isDigest(version));
    },
    async fetch({ repository, version }) {
      const versions = await tree.versions(repository);
      const folder = versions.get(version);
      if (folder !== undefined) return named(await tree.read(folder), version);
      return isDigest(version) ? withDigest(tree, version, [...versions.values()]) : undefined;
    },
    async owners(demand, target) {
      const owners: Owner[] = [];
      for (const repository of await tree.repositories()) {
        const versions = await versionsOwning(tree, { repository, demand, target });
        if (versions.length > 0) owners.push({ repository, versions });
      }
      return owners;
    },
    repositories: () => tree.repositories(),
    images: async ({ repository, version }) => {
      const versions = await tree.versions(repository);
      const folder = versions.get(version) ?? (await folderOf(tree, version, versions.values()));
      return folder === undefined ? undefined : builtRepository(await tree.image(folder), folder);
    },
  };
}

/** The digest in a folder's name is believed: there is no image to check it against. */
function named(found: FetchedPackage, version: string): FetchedPackage {
  if (!isDigest(version) || found.digest === version) return found;
  const note = `its digest is the one its folder is named by, and cannot be checked against its bytes`;
  return {
    contents: found.contents,
    digest: version,
    packageYaml: found.packageYaml,
    notes: [note],
  };
}

async function withDigest(
  tree: PackageTree,
  digest: string,
  folders: readonly string[],
): Promise<FetchedPackage | undefined> {
  const folder = await folderOf(tree, digest, folders);
  return folder === undefined ? undefined : tree.read(folder);
}

async function folderOf(
  tree: PackageTree,
  digest: string,
  folders: Iterable<string>,
): Promise<string | undefined> {
  for (const folder of folders) if ((await tree.read(folder)).digest === digest) return folder;
  return undefined;
}

async function versionsOwning(
  tree: PackageTree,
  { repository, demand, target }: { repository: Repository; demand: CrdDemand; target: Target },
): Promise<string[]> {
  const owning: string[] = [];
  for (const [version, folder] of await tree.versions(repository)) {
    const { contents } = await tree.read(folder);
    if (bringsCrd(contents, demand, target)) owning.push(version);
  }
  return owning;
}
