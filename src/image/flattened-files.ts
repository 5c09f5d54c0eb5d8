import { posix } from 'node:path';
import type { TargetRules } from '../model/target/target.js';
import { PACKAGE_YAML } from './find-package-yaml.js';
import type { TarEntry } from './archive/tar-entries.js';

const WHITEOUT = '.wh.';

/**
 * The file system that results from all layers, built from the top layer down.
 *
 * The rules are those of go-containerregistry's `mutate.Extract`: the first entry of a path wins, a
 * whiteout or a file also hides every path below its own, and opaque whiteouts have no special
 * meaning.
 */
export class FlattenedFiles {
  /** By path: whether the entry there hides everything below it. */
  readonly #claimed = new Map<string, boolean>();
  readonly #exact: boolean;

  constructor(rules: Pick<TargetRules, 'tarEntry'>) {
    this.#exact = rules.tarEntry === 'exact';
  }

  /** Adds the next entry, in layer and tar order; true: it is a package.yaml that nothing hides. */
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

  /** Whether no lower layer can show another package.yaml. */
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
