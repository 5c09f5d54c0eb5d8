import type { IndexPackage } from '../../model/index-file.js';
import type { Repository } from '../../model/package.js';
import { byCodePoint } from '../../text/code-point-order.js';
import { sha256, type Digest } from '../../text/digest.js';
import { formatIndex } from '../index/make-index.js';
import { apisOf, NO_APIS, type PackageApis } from './package-apis.js';
import { GroupPart } from './group-part.js';
import { mostRequired } from './most-required.js';
import {
  bucketBits,
  formatMapping,
  inBuckets,
  REQUIRED_TITLE,
  writtenPackageRef,
  writtenRef,
  type PackageRef,
  type PartRef,
  type TableName,
} from './parts-format.js';
import { requiredHashes } from './required-hashes.js';

/** A blob of an index in parts. */
export interface Part extends PartRef {
  /** Where `oras pull` puts it. */
  readonly title: string;
  readonly kind: 'package' | 'group' | 'node' | 'table';
}

/** All of an index in parts; of parts that did not change, only the reference is known. */
export interface Parts {
  readonly tables: Readonly<Record<TableName, Part>>;
  /** Packages that many others require; undefined: as in indexes that say nothing of that. */
  readonly required: Part | undefined;
  /** All but these, in no order. */
  readonly others: readonly Part[];
  /** Bytes of those that were made. */
  readonly bytes: ReadonlyMap<Digest, Uint8Array>;
}

/** What is known of an index before it changes. */
export interface PartsBefore {
  readonly packages: ReadonlyMap<Repository, PackageRef>;
  readonly groups: ReadonlyMap<string, PartRef>;
  readonly words: ReadonlyMap<string, readonly Repository[]>;
  /** The part of a group that `groups` names. */
  group(name: string): Promise<GroupPart>;
}

const NOTHING: PartsBefore = {
  packages: new Map(),
  groups: new Map(),
  words: new Map(),
  group: async (name) => new GroupPart(name),
};

/** A package that is new, changed, or no longer there. */
export interface PartChange {
  readonly repository: Repository;
  /** undefined: it was not there. */
  readonly before: IndexPackage | undefined;
  /** undefined: it is to go. */
  readonly after: IndexPackage | undefined;
}

/**
 * An index in parts, being changed. The result depends on what it holds alone, and not on the way
 * there: made anew and updated step by step, an index has the same bytes.
 */
export class PartsTree {
  readonly #before: PartsBefore;
  readonly #hinted: boolean;
  readonly #packages: Map<Repository, PackageRef>;
  readonly #groups: Map<string, PartRef>;
  readonly #words: Map<string, Set<Repository>>;
  readonly #touched = new Map<string, GroupPart>();
  readonly #bytes = new Map<Digest, Uint8Array>();

  /** Without `hinted` it is made as indexes were before they said what packages require. */
  constructor(
    before: PartsBefore = NOTHING,
    { hinted = true }: { readonly hinted?: boolean } = {},
  ) {
    this.#before = before;
    this.#hinted = hinted;
    this.#packages = new Map(before.packages);
    this.#groups = new Map(before.groups);
    this.#words = new Map([...before.words].map(([word, by]) => [word, new Set(by)]));
  }

  async change({ repository, before, after }: PartChange): Promise<void> {
    const was = before === undefined ? NO_APIS : apisOf(repository, before);
    const is = after === undefined ? NO_APIS : apisOf(repository, after);
    await this.#changeGroups(repository, was, is);
    this.#changeWords(repository, was, is);
    if (after === undefined) this.#packages.delete(repository);
    else {
      this.#packages.set(repository, {
        ...this.#keep(formatIndex({ packages: { [repository]: after } })),
        requires: this.#hinted ? requiredHashes(after) : [],
      });
    }
  }

  finish(): Parts {
    for (const [name, part] of this.#touched) {
      if (part.isEmpty) this.#groups.delete(name);
      else this.#groups.set(name, this.#keep(part.format()));
    }
    const others: Part[] = [];
    const nodesOf = (table: TableName, entries: ReadonlyMap<string, unknown>) => {
      const { nodes, part } = this.#table(table, entries);
      others.push(...nodes);
      return part;
    };
    const words = [...this.#words].map(([word, by]) => [word, [...by].sort(byCodePoint)] as const);
    const tables = {
      packages: nodesOf('packages', written(this.#packages, writtenPackageRef)),
      groups: nodesOf('groups', written(this.#groups, writtenRef)),
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
      (name) => [name, writtenPackageRef(this.#packages.get(name)!)] as const,
    );
    const ref = this.#keep(`{"required":${formatMapping(entries)}}\n`);
    return { ...ref, kind: 'node', title: REQUIRED_TITLE };
  }

  async #changeGroups(repository: Repository, was: PackageApis, is: PackageApis): Promise<void> {
    for (const name of new Set([...was.groups.keys(), ...is.groups.keys()])) {
      const [old, fresh] = [was.groups.get(name), is.groups.get(name)];
      if (old !== undefined && fresh !== undefined && same(old.crds, fresh.crds)) {
        if (same(old.kinds, fresh.kinds)) continue;
      }
      const known = this.#touched.get(name);
      const part =
        known ?? (this.#groups.has(name) ? await this.#before.group(name) : new GroupPart(name));
      this.#touched.set(name, part);
      if (old !== undefined) part.remove(repository, old);
      if (fresh !== undefined) part.add(repository, fresh);
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
    const buckets = inBuckets(entries.keys(), bucketBits(entries.size)).map((keys, i) => {
      if (keys.length === 0) return null;
      const text = formatMapping(keys.map((key) => [key, entries.get(key)]));
      const ref = this.#keep(`{${JSON.stringify(table)}:${text}}\n`);
      const title = `lookup/${table}/${i.toString(16).padStart(digits, '0')}.json`;
      nodes.push({ ...ref, kind: 'node', title });
      return writtenRef(ref);
    });
    const lines = buckets.map((bucket) => `\n${JSON.stringify(bucket)}`);
    const ref = this.#keep(`{"table":${JSON.stringify(table)},"buckets":[${lines.join(',')}\n]}\n`);
    return { nodes, part: { ...ref, kind: 'table', title: `lookup/${table}.json` } };
  }

  #keep(text: string): PartRef {
    const bytes = Buffer.from(text);
    const digest = sha256(bytes);
    this.#bytes.set(digest, bytes);
    return { digest, size: bytes.length };
  }
}

function written<R>(
  parts: ReadonlyMap<string, R>,
  write: (ref: R) => unknown,
): ReadonlyMap<string, unknown> {
  return new Map([...parts].map(([key, ref]) => [key, write(ref)]));
}

function same(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((item) => other.has(item));
}

/** Half a pair of UTF-16 becomes a mark, as in JSON that is read elsewhere. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

/** A name as a path below a folder, whatever it is: neither out of it nor to a second meaning. */
function safePath(name: string): string {
  return name
    .split('/')
    .map((part) => (/^\.*$/.test(part) ? `%${part}` : encodeURIComponent(wellFormed(part))))
    .join('/');
}
