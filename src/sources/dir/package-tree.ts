import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { byCodePoint } from '../../text/code-point-order.js';
import type { Repository } from '../../model/package.js';
import type { PackageContents } from '../../model/package-contents.js';
import type { FetchedPackage } from '../../model/package-source.js';
import { DOT_REGISTRY } from '../../model/dot-registry.js';
import { SourceError } from '../../model/source-error.js';
import { buildFlatImage, buildImage, type BuiltImage } from '../../image/build-image.js';
import { sha256 } from '../../text/digest.js';
import { readPackageYaml } from '../../package-yaml/read-package-yaml.js';
import { memoized } from './memoized.js';
import { packageForm, readPackageFiles } from './package-files.js';
import { isPublished, parseFolderPath, versionsPathsOf, splitAtVersion } from './package-folder.js';
import { readRegistryFiles, registryContents, type RegistryFile } from './registry-files.js';
import { isAbsent } from '../../files/error-code.js';
import { unreadable } from '../unreadable.js';

/**
 * The folders below a root. Each is listed once and each package read once: several questions of a
 * search lead to the same folder, who owns a CRD to all of them.
 */
export class PackageTree {
  readonly #root: string;
  readonly #shown: string;
  readonly #note: (line: string) => void;

  constructor(root: string, shown: string, note: (line: string) => void) {
    this.#root = root;
    this.#shown = shown;
    this.#note = note;
  }

  /** Folders of a repository, by version in code-point order. */
  readonly versions = memoized(async (repository: string): Promise<ReadonlyMap<string, string>> => {
    const found = new Map<string, string>();
    for (const { parents, name } of versionsPathsOf(repository)) {
      for (const entry of await this.#entries(join(...parents))) {
        const split = splitAtVersion(entry.name);
        if (split?.name !== name || found.has(split.version)) continue;
        const folder = join(...parents, entry.name);
        if ((await this.#form(folder)) === undefined) continue;
        if (isPublished(split.version)) found.set(split.version, folder);
        else this.#skip(folder);
      }
    }
    return new Map([...found].sort(([a], [b]) => byCodePoint(a, b)));
  });

  readonly read = memoized(async (folder: string): Promise<FetchedPackage> => {
    if ((await this.#form(folder)) === DOT_REGISTRY) {
      const files = await this.#registryFiles(folder);
      const { manifest } = await buildFlatImage(files);
      return { contents: await registryContents(files), digest: manifest.digest };
    }
    const bytes = await this.#bytes(folder);
    const { manifest, layer } = await buildImage(bytes);
    return {
      contents: withReason(await readPackageYaml(bytes)),
      digest: manifest.digest,
      baseLayer: layer.digest,
      packageYaml: sha256(bytes),
    };
  });

  /** The image built from a folder; not remembered, because it is large and rarely needed. */
  async image(folder: string): Promise<BuiltImage> {
    return (await this.#form(folder)) === DOT_REGISTRY
      ? buildFlatImage(await this.#registryFiles(folder))
      : buildImage(await this.#bytes(folder));
  }

  /** Every repository with a version, in code-point order. */
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

  readonly #entries = memoized((folder: string) => this.#reading(folder, entriesOf));

  async #bytes(folder: string): Promise<Uint8Array> {
    return this.#reading(folder, (path) => readPackageFiles(path, join(this.#shown, folder)));
  }

  async #registryFiles(folder: string): Promise<readonly RegistryFile[]> {
    return this.#reading(folder, (path) => readRegistryFiles(path, join(this.#shown, folder)));
  }

  readonly #form = memoized((folder: string) => this.#reading(folder, packageForm));

  async #reading<T>(folder: string, read: (path: string) => Promise<T>): Promise<T> {
    try {
      return await read(join(this.#root, folder));
    } catch (error) {
      if (error instanceof SourceError) throw error;
      throw unreadable(join(this.#shown, folder), error);
    }
  }

  #skip(folder: string): void {
    this.#note(
      `${join(this.#shown, folder)}: skipped, for its version is a constraint and no tag: some crossplane CLIs name cached packages by what was asked for`,
    );
  }
}

/** Explains a folder with objects and no meta document: it is from a newer CLI, not a faulty package. */
function withReason(contents: PackageContents): PackageContents {
  const { metas, objects, problems } = contents;
  if (metas.length > 0 || objects.length === 0 || problems.length > 0) return contents;
  const message =
    'its folder holds objects and no package meta document: crossplane CLIs from 2.5 on keep no more than that in their cache; read the package from its registry or its `.xpkg` file';
  return { ...contents, problems: [{ message }] };
}

/** Entries by name in code-point order; none where there is no such folder. */
async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((a, b) => byCodePoint(a.name, b.name));
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}
