import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  packageForm,
  readPackageFiles,
  readRegistryFiles,
  registryContents,
  type RegistryFile,
  sortedEntries,
} from './package-on-disk.js';
import { byCodePoint, getOrCreate } from '../base/collections.js';
import { isDigest, sha256 } from '../base/digest.js';
import { SourceError } from '../base/errors.js';
import { undefinedIfAbsent, readError } from '../base/files/file-system.js';
import { DOT_REGISTRY } from '../crossplane/legacy/dot-registry.js';
import { readPackageYaml } from '../crossplane/package-yaml/read-package-yaml.js';
import type { PackageContents } from '../crossplane/packages/package-contents.js';
import type { Candidate, Repository } from '../crossplane/packages/package.js';
import { isTag } from '../crossplane/packages/reference.js';
import {
  buildFlatImage,
  buildImage,
  type BuiltImage,
  builtRepository,
} from '../oci/image/build-image.js';
import type { ImageSource } from './images/fetch-image.js';
import { ownersAmong } from './crd-owners.js';
import type { FetchedPackage, PackageSource } from './package-source.js';

export interface DirOptions {
  /** The path as the user wrote it; for messages. */
  readonly shown?: string;
  /** Called with a message about each ignored folder. */
  readonly note?: (line: string) => void;
}

/** Opens a tree of `<repository>@<version>` folders. Packages are read on demand. */
export async function openDir(root: string, options: DirOptions = {}): Promise<PackageSource> {
  const shown = options.shown ?? root;
  try {
    await readdir(root);
  } catch (error) {
    throw readError(shown, error);
  }
  const tree = new PackageTree(root, shown, options.note ?? (() => {}));
  const source: ImageSource = {
    async tags(repository) {
      const versions = await tree.versions(repository);
      if (versions.size === 0) return undefined;
      return [...versions.keys()].filter((version) => !isDigest(version));
    },
    async fetch(candidate) {
      const folder = await folderOf(tree, candidate);
      return folder === undefined
        ? undefined
        : withFolderDigest(await tree.read(folder), candidate.version);
    },
    async owners(crdRef, target) {
      const repositories = await tree.repositories();
      const packages = repositories.map((name) => [name, tree.contentsByVersion(name)] as const);
      return ownersAmong(packages, crdRef, target);
    },
    repositories: () => tree.repositories(),
    images: async (candidate) => {
      const folder = await folderOf(tree, candidate);
      return folder === undefined ? undefined : builtRepository(await tree.image(folder), folder);
    },
  };
  return source;
}

/** Trusts the digest in a folder's name: there is no image to verify it against. */
function withFolderDigest(found: FetchedPackage, version: string): FetchedPackage {
  if (!isDigest(version) || found.digest === version) return found;
  const { contents, packageYaml } = found;
  const note =
    'its digest is the one its folder is named by, and cannot be checked against its bytes';
  return { contents, digest: version, packageYaml, notes: [note] };
}

async function folderOf(
  tree: PackageTree,
  { repository, version }: Candidate,
): Promise<string | undefined> {
  const versions = await tree.versions(repository);
  const folder = versions.get(version);
  if (folder !== undefined || !isDigest(version)) return folder;
  for (const each of versions.values()) if ((await tree.read(each)).digest === version) return each;
  return undefined;
}

/** The folders below a root. Folders and packages are read once per resolution. */
class PackageTree {
  readonly #root: string;
  readonly #label: string;
  readonly #note: (line: string) => void;

  constructor(root: string, shown: string, note: (line: string) => void) {
    this.#root = root;
    this.#label = shown;
    this.#note = note;
  }

  /** Folders of a repository by version, in code-point order. */
  readonly versions = cachedByArgument(async (repository: string) => {
    const found = new Map<string, string>();
    for (const { parents, name } of versionsPaths(repository)) {
      for (const entry of await this.#entries(join(...parents))) {
        const split = splitAtVersion(entry.name);
        if (split?.name !== name || found.has(split.version)) continue;
        const folder = join(...parents, entry.name);
        if ((await this.#form(folder)) === undefined) continue;
        if (isPublished(split.version)) found.set(split.version, folder);
        else {
          this.#note(
            `${join(this.#label, folder)}: skipped, for its version is a constraint and no tag: some crossplane CLIs name cached packages by what was asked for`,
          );
        }
      }
    }
    return new Map([...found].sort(([a], [b]) => byCodePoint(a, b)));
  });

  readonly read = cachedByArgument(async (folder: string): Promise<FetchedPackage> => {
    if ((await this.#form(folder)) === DOT_REGISTRY) {
      const files = await this.#registryFiles(folder);
      const { manifest } = await buildFlatImage(files);
      return { contents: await registryContents(files), digest: manifest.digest };
    }
    const bytes = await this.#bytes(folder);
    const { manifest, layer } = await buildImage(bytes);
    return {
      contents: explainMissingMeta(await readPackageYaml(bytes)),
      digest: manifest.digest,
      baseLayer: layer.digest,
      packageYaml: sha256(bytes),
    };
  });

  async *contentsByVersion(repository: Repository) {
    for (const [version, folder] of await this.versions(repository)) {
      yield [version, (await this.read(folder)).contents] as const;
    }
  }

  /** Builds the image of a folder. Not cached, because it is large and rarely needed. */
  async image(folder: string): Promise<BuiltImage> {
    return (await this.#form(folder)) === DOT_REGISTRY
      ? buildFlatImage(await this.#registryFiles(folder))
      : buildImage(await this.#bytes(folder));
  }

  /** Returns every repository with a version, in code-point order. */
  async repositories(): Promise<Repository[]> {
    const found = new Set<Repository>();
    await this.#walk([], found);
    return [...found].sort(byCodePoint);
  }

  async #walk(path: readonly string[], found: Set<Repository>): Promise<void> {
    for (const entry of await this.#entries(join(...path))) {
      const below = [...path, entry.name];
      const folder = parseFolderPath(below);
      if (folder !== undefined && (await this.#form(join(...below))) !== undefined) {
        if (isPublished(folder.version)) found.add(folder.repository);
      } else if (entry.isDirectory()) {
        await this.#walk(below, found);
      }
    }
  }

  readonly #entries = cachedByArgument((folder: string) => this.#withErrors(folder, entriesOf));

  #bytes(folder: string): Promise<Uint8Array> {
    return this.#withErrors(folder, (path) => readPackageFiles(path, join(this.#label, folder)));
  }

  #registryFiles(folder: string): Promise<readonly RegistryFile[]> {
    return this.#withErrors(folder, (path) => readRegistryFiles(path, join(this.#label, folder)));
  }

  readonly #form = cachedByArgument((folder: string) => this.#withErrors(folder, packageForm));

  async #withErrors<T>(folder: string, read: (path: string) => Promise<T>): Promise<T> {
    try {
      return await read(join(this.#root, folder));
    } catch (error) {
      if (error instanceof SourceError) throw error;
      throw readError(join(this.#label, folder), error);
    }
  }
}

/** Explains a folder with objects but no meta document: newer CLIs cache packages like that. */
function explainMissingMeta(contents: PackageContents): PackageContents {
  const { metas, objects, problems } = contents;
  if (metas.length > 0 || objects.length === 0 || problems.length > 0) return contents;
  const message =
    'its folder holds objects and no package meta document: crossplane CLIs from 2.5 on keep no more than that in their cache; read the package from its registry or its `.xpkg` file';
  return { ...contents, problems: [{ message }] };
}

/** Returns the entries by name in code-point order; empty if there is no such folder. */
async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  return (await undefinedIfAbsent(sortedEntries(folder))) ?? [];
}

const PORT = /^([^:@]+)[:@](\d+)$/;
const DIGEST_FOLDER = /^([^@:]+)@sha256[@:]([0-9a-f]{64})$/;

/**
 * Returns all locations for the versions of a repository: folders `<name>@<version>` below
 * `parents`. `host:5000` may be written `host@5000`, because some file systems do not allow colons.
 * Returns an empty list if no path is valid, for example because of `..`.
 */
export function versionsPaths(repository: string) {
  const segments = repository.split('/');
  const name = segments.pop()!;
  const [host, ...rest] = segments;
  if (![name, ...rest].every(isPlainName)) return [];
  if (host === undefined) return [{ parents: [], name }];
  if (isPlainName(host)) return [{ parents: segments, name }];
  if (!PORT.test(host) || host.includes('@')) return [];
  return [host, host.replace(':', '@')].map((hostFolder) => ({
    parents: [hostFolder, ...rest],
    name,
  }));
}

/** Whether a segment is a plain file name: no separators, and not `.` or `..`. */
function isPlainName(segment: string): boolean {
  return segment !== '' && segment !== '.' && segment !== '..' && !/[:@\\\0]/.test(segment);
}

/**
 * Parses a path below the root. Returns undefined if it is not a package folder. The version is a
 * tag, a digest, or a constraint, by which older crossplane CLIs name folders.
 */
export function parseFolderPath(path: readonly string[]) {
  const [last, ...parents] = path.toReversed();
  const split = last === undefined ? undefined : splitAtVersion(last);
  if (split === undefined) return undefined;
  const segments = [...parents.reverse(), split.name];
  if (segments.length > 1) segments[0] = segments[0]!.replace(PORT, '$1:$2');
  const repository = segments.join('/');
  if (versionsPaths(repository).length === 0) return undefined;
  return { repository, version: split.version };
}

/** Splits `<name>@<version>` at the last `@`, except for the one in `@sha256@…`. */
function splitAtVersion(folder: string) {
  const digest = DIGEST_FOLDER.exec(folder);
  if (digest !== null) return { name: digest[1]!, version: `sha256:${digest[2]!}` };
  const at = folder.lastIndexOf('@');
  if (at <= 0 || at === folder.length - 1) return undefined;
  return { name: folder.slice(0, at), version: folder.slice(at + 1) };
}

/** Whether the version is a tag or digest, and not a constraint from an older crossplane CLI. */
function isPublished(version: string): boolean {
  return isDigest(version) || isTag(version);
}

/** Caches the results of an async function by its argument, including failures. */
function cachedByArgument<T>(compute: (argument: string) => Promise<T>) {
  const results = new Map<string, Promise<T>>();
  return (argument: string) => getOrCreate(results, argument, () => compute(argument));
}
