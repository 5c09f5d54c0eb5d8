import { posix } from 'node:path';
import type { TargetRules } from '../model/target/target.js';
import { PACKAGE_YAML } from './find-package-yaml.js';
import type { TarEntry } from './archive/tar-entries.js';

const WHITEOUT = '.wh.';

/**
 * The file system that layers make together, asked from the top layer down.
 *
 * The rules are those of go-containerregistry's `mutate.Extract`: the first to claim a path has it,
 * a whiteout or a file claims all below its path too, and opaque whiteouts mean nothing special.
 */
export class FlattenedFiles {
  /** Whether what holds the path hides everything below it, by path. */
  readonly #claimed = new Map<string, boolean>();
  readonly #exact: boolean;

  constructor(rules: Pick<TargetRules, 'tarEntry'>) {
    this.#exact = rules.tarEntry === 'exact';
  }

  /** Enters the next file, in layer and tar order; true: it is package.yaml and can be seen. */
  showsPackageYaml(entry: TarEntry): boolean {
    const base = posix.basename(entry.path);
    const whiteout = base.startsWith(WHITEOUT);
    const folder = entry.type === 'directory';
    const path =
      whiteout && !folder
        ? posix.join(posix.dirname(entry.path), base.slice(WHITEOUT.length))
        : entry.path;
    if (this.#claimed.has(path) || this.#hidden(path)) return false;
    this.#claimed.set(path, whiteout || !folder);
    return !whiteout && (this.#exact ? path === PACKAGE_YAML : base === PACKAGE_YAML);
  }

  /** No lower layer can change the answer any more. */
  get decided(): boolean {
    return this.#exact && this.#claimed.has(PACKAGE_YAML);
  }

  #hidden(path: string): boolean {
    for (let below = path; ;) {
      const folder = posix.dirname(below);
      if (folder === below) return false;
      if (this.#claimed.get(folder) === true) return true;
      below = folder;
    }
  }
}
