import type { IndexPackage } from '../index/index-file.js';
import type { Repository } from '../../crossplane/packages/package.js';
import { byCodePoint } from '../../base/collections.js';
import { sha256, type Digest } from '../../base/digest.js';
import { formatIndex } from '../index/make-index.js';
import { collectApis, GroupPart, NO_APIS, type PackageApis } from './api-groups.js';
import {
  bucketBits,
  formatMapping,
  groupByBucket,
  mostRequired,
  type PackageRef,
  type PartRef,
  REQUIRED_TITLE,
  requiredHashes,
  type TableName,
  formatPackageRef,
  formatRef,
} from './format.js';

/** A blob of a sparse index. */
export interface Part extends PartRef {
  /** Path below the folder that `oras pull` writes to. */
  readonly title: string;
  readonly kind: 'package' | 'group' | 'node' | 'table';
}

/** All parts of a sparse index; unchanged parts have only a reference. */
export interface Parts {
  readonly tables: Readonly<Record<TableName, Part>>;
  /** List of required packages; undefined for the older format without hints. */
  readonly required: Part | undefined;
  /** All other parts, in any order. */
  readonly others: readonly Part[];
  /** Bytes of new parts. */
  readonly bytes: ReadonlyMap<Digest, Uint8Array>;
}

/** The state before changes. */
export interface PreviousParts {
  readonly packages: ReadonlyMap<Repository, PackageRef>;
  readonly groups: ReadonlyMap<string, PartRef>;
  readonly words: ReadonlyMap<string, readonly Repository[]>;
  /** Returns the part of a group in `groups`. */
  group(name: string): Promise<GroupPart>;
}

const EMPTY_STATE: PreviousParts = {
  packages: new Map(),
  groups: new Map(),
  words: new Map(),
  group: async (name) => new GroupPart(name),
};

/** A package that is new, changed or removed. */
interface PartChange {
  readonly repository: Repository;
  /** undefined if the package is new. */
  readonly before: IndexPackage | undefined;
  /** undefined if the package is removed. */
  readonly after: IndexPackage | undefined;
}

/**
 * A sparse index that is being changed. The bytes depend only on its content: an index that is
 * built at once and one that is updated in steps are equal.
 */
export class SparseIndexBuilder {
  readonly #previous: PreviousParts;
  readonly #hinted: boolean;
  readonly #packages: Map<Repository, PackageRef>;
  readonly #groups: Map<string, PartRef>;
  readonly #words: Map<string, Set<Repository>>;
  readonly #changedGroups = new Map<string, GroupPart>();
  readonly #bytes = new Map<Digest, Uint8Array>();

  /** Without `hinted`, builds the older format without prefetch hints. */
  constructor(
    before: PreviousParts = EMPTY_STATE,
    { hinted = true }: { readonly hinted?: boolean } = {},
  ) {
    this.#previous = before;
    this.#hinted = hinted;
    this.#packages = new Map(before.packages);
    this.#groups = new Map(before.groups);
    this.#words = new Map([...before.words].map(([word, by]) => [word, new Set(by)]));
  }

  async change({ repository, before, after }: PartChange): Promise<void> {
    const was = before === undefined ? NO_APIS : collectApis(repository, before);
    const is = after === undefined ? NO_APIS : collectApis(repository, after);
    await this.#changeGroups(repository, was, is);
    this.#changeWords(repository, was, is);
    if (after === undefined) this.#packages.delete(repository);
    else {
      this.#packages.set(repository, {
        ...this.#addBytes(formatIndex({ packages: { [repository]: after } })),
        requires: this.#hinted ? requiredHashes(after) : [],
      });
    }
  }

  finish(): Parts {
    for (const [name, part] of this.#changedGroups) {
      if (part.isEmpty) this.#groups.delete(name);
      else this.#groups.set(name, this.#addBytes(part.format()));
    }
    const others: Part[] = [];
    const nodesOf = (table: TableName, entries: ReadonlyMap<string, unknown>) => {
      const { nodes, part } = this.#table(table, entries);
      others.push(...nodes);
      return part;
    };
    const words = [...this.#words].map(([word, by]) => [word, [...by].sort(byCodePoint)] as const);
    const tables = {
      packages: nodesOf('packages', formatRefs(this.#packages, formatPackageRef)),
      groups: nodesOf('groups', formatRefs(this.#groups, formatRef)),
      words: nodesOf('words', new Map(words)),
    };
    for (const [repository, { digest, size }] of this.#packages) {
      const title = `packages/${safePath(repository)}@.json`;
      others.push({ digest, size, kind: 'package', title });
    }
    for (const [group, ref] of this.#groups) {
      others.push({ ...ref, kind: 'group', title: `groups/${safePath(group)}@.json` });
    }
    const required = this.#hinted ? this.#required() : undefined;
    return { tables, required, others, bytes: this.#bytes };
  }

  #required(): Part {
    const names = mostRequired(this.#packages);
    const entries = names.map(
      (name) => [name, formatPackageRef(this.#packages.get(name)!)] as const,
    );
    const ref = this.#addBytes(`{"required":${formatMapping(entries)}}\n`);
    return { ...ref, kind: 'node', title: REQUIRED_TITLE };
  }

  async #changeGroups(repository: Repository, was: PackageApis, is: PackageApis): Promise<void> {
    for (const name of new Set([...was.groups.keys(), ...is.groups.keys()])) {
      const [before, after] = [was.groups.get(name), is.groups.get(name)];
      if (before !== undefined && after !== undefined && isEqual(before.crds, after.crds)) {
        if (isEqual(before.kinds, after.kinds)) continue;
      }
      const known = this.#changedGroups.get(name);
      const part =
        known ?? (this.#groups.has(name) ? await this.#previous.group(name) : new GroupPart(name));
      this.#changedGroups.set(name, part);
      if (before !== undefined) part.remove(repository, before);
      if (after !== undefined) part.add(repository, after);
    }
  }

  #changeWords(repository: Repository, was: PackageApis, is: PackageApis): void {
    for (const word of was.words) {
      const known = this.#words.get(word);
      if (is.words.has(word) || known === undefined) continue;
      known.delete(repository);
      if (known.size === 0) this.#words.delete(word);
    }
    for (const word of is.words) {
      this.#words.set(word, (this.#words.get(word) ?? new Set()).add(repository));
    }
  }

  #table(
    table: TableName,
    entries: ReadonlyMap<string, unknown>,
  ): { readonly nodes: readonly Part[]; readonly part: Part } {
    const nodes: Part[] = [];
    const digits = (2 ** bucketBits(entries.size) - 1).toString(16).length;
    const buckets = groupByBucket(entries.keys(), bucketBits(entries.size)).map((keys, i) => {
      if (keys.length === 0) return null;
      const text = formatMapping(keys.map((key) => [key, entries.get(key)]));
      const ref = this.#addBytes(`{${JSON.stringify(table)}:${text}}\n`);
      const title = `lookup/${table}/${i.toString(16).padStart(digits, '0')}.json`;
      nodes.push({ ...ref, kind: 'node', title });
      return formatRef(ref);
    });
    const lines = buckets.map((bucket) => `\n${JSON.stringify(bucket)}`);
    const ref = this.#addBytes(
      `{"table":${JSON.stringify(table)},"buckets":[${lines.join(',')}\n]}\n`,
    );
    return { nodes, part: { ...ref, kind: 'table', title: `lookup/${table}.json` } };
  }

  #addBytes(text: string): PartRef {
    const bytes = Buffer.from(text);
    const digest = sha256(bytes);
    this.#bytes.set(digest, bytes);
    return { digest, size: bytes.length };
  }
}

function formatRefs<R>(
  parts: ReadonlyMap<string, R>,
  write: (ref: R) => unknown,
): ReadonlyMap<string, unknown> {
  return new Map([...parts].map(([key, ref]) => [key, write(ref)]));
}

function isEqual(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((item) => other.has(item));
}

/** Replaces unpaired surrogates, as other JSON readers do. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

/** Returns a name as a relative path. Paths are unique and never leave the folder. */
function safePath(name: string): string {
  return name
    .split('/')
    .map((part) => (/^\.*$/.test(part) ? `%${part}` : encodeURIComponent(wellFormed(part))))
    .join('/');
}
