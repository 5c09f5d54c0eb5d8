import pLimit from 'p-limit';
import type { IndexFile } from '../index/index-file.js';
import type { Repository } from '../../crossplane/packages/package.js';
import { byCodePoint, getOrCreate } from '../../base/collections.js';
import {
  type PackageRef,
  requiredHashes,
  TABLES,
  bucketBits,
  groupByBucket,
  collectApis,
  GroupPart,
  NO_APIS,
  type PackageApis,
  formatMapping,
  mostRequired,
  type PartRef,
  REQUIRED_TITLE,
  type TableName,
  formatPackageRef,
  formatRef,
} from './format.js';
import type { SparseIndexSnapshot } from './snapshot.js';
import { formatIndex, type RefreshedPackage } from '../index/make-index.js';
import {
  type Artifact,
  EMPTY_CONFIG,
  type ListedBlob,
  buildArtifactIndex,
  buildArtifactManifest,
} from '../../oci/image/artifact.js';
import type { StoredManifest } from '../../oci/image/image-repository.js';
import { sha256, type Digest } from '../../base/digest.js';

const MAX_PARALLEL_READS = 8;

export async function buildParts({ packages }: IndexFile): Promise<Parts> {
  const tree = new SparseIndexBuilder();
  for (const [repository, after] of Object.entries(packages)) {
    await tree.change({ repository, before: undefined, after });
  }
  return tree.finish();
}

/** Builds the parts of a state after changes to some packages. */
export async function changedParts(
  snapshot: SparseIndexSnapshot,
  changes: readonly RefreshedPackage[],
): Promise<Parts> {
  const tree = new SparseIndexBuilder({
    packages: snapshot.hasHints ? await snapshot.packages() : await withHints(snapshot),
    groups: await snapshot.groups(),
    words: await snapshot.words(),
    group: async (name) => (await snapshot.group(name))!,
  });
  for (const change of changes) await tree.change(change);
  return tree.finish();
}

/** Computes the hints of an older index without them from its package parts. */
async function withHints(
  snapshot: SparseIndexSnapshot,
): Promise<ReadonlyMap<Repository, PackageRef>> {
  const limit = pLimit(MAX_PARALLEL_READS);
  const refs = await Promise.all(
    [...(await snapshot.packages())].map(([repository, ref]) =>
      limit(async () => {
        const indexed = await snapshot.packageAt(repository, ref);
        return [repository, { ...ref, requires: requiredHashes(indexed) }] as const;
      }),
    ),
  );
  return new Map(refs);
}

/** Reads a whole state and describes what does not match its packages. */
export async function inconsistencies(snapshot: SparseIndexSnapshot): Promise<readonly string[]> {
  const tree = new SparseIndexBuilder(undefined, { hinted: snapshot.hasHints });
  for (const [repository, ref] of await snapshot.packages()) {
    const after = await snapshot.packageAt(repository, ref);
    await tree.change({ repository, before: undefined, after });
  }
  for (const group of (await snapshot.groups()).keys()) await snapshot.group(group);
  await snapshot.words();
  await snapshot.structureDigests({ all: true });
  const rebuilt = tree.finish();
  const otherTables = TABLES.filter(
    (name) => rebuilt.tables[name].digest !== snapshot.tables[name].digest,
  );
  const differences = otherTables.map((name) => `its table of ${name}`);
  if (rebuilt.required?.digest !== snapshot.tables.required?.digest) {
    differences.push('its list of packages that others require');
  }
  if (differences.length > 0) return differences;
  const isSame = sparseIndexArtifact(rebuilt).manifest.digest === snapshot.digest;
  return isSame ? [] : ['what its manifests list'];
}

/** Maximum size of a manifest. Registries reject manifests of about four times this size. */
export const MAX_MANIFEST_BYTES = 1_000_000;
/** Approximate layers per manifest. Three times as many would still be readable. */
const LAYERS_PER_MANIFEST = 320;
/** Maximum manifests per index; larger sets are nested. */
const MANIFESTS_PER_INDEX = 512;

const PART_TYPE: Readonly<Record<Part['kind'], string>> = {
  package: 'application/vnd.xpkg-resolve.index.package.v1+json',
  group: 'application/vnd.xpkg-resolve.index.group.v1+json',
  node: 'application/vnd.xpkg-resolve.index.node.v1+json',
  table: 'application/vnd.xpkg-resolve.index.table.v1+json',
};

/**
 * Builds the artifact: a manifest with the tables, which clients read, and one that refers to all
 * other parts, so that registries do not garbage-collect them and other tools can copy it.
 */
export function sparseIndexArtifact(parts: Parts): Artifact {
  const manifests = new Map<Digest, StoredManifest>();
  const addManifest = (manifest: StoredManifest) => {
    manifests.set(manifest.digest, manifest);
    return manifest;
  };
  const lookup = [...TABLES.map((name) => parts.tables[name]), parts.required ?? []].flat();
  const tables = addManifest(buildArtifactManifest('tables', lookup.map(listedBlob)));
  const rest = addManifest(rootManifest(parts.others, addManifest));
  const top = buildArtifactIndex('parts', [
    // Older indexes have neither a list of required packages nor an embedded manifest.
    { type: 'tables', manifest: tables, embedded: parts.required !== undefined },
    { type: 'rest', manifest: rest },
  ]);
  return {
    manifest: top,
    manifests: [...manifests.values()],
    blobs: new Map([[sha256(EMPTY_CONFIG), EMPTY_CONFIG], ...parts.bytes]),
  };
}

/** Groups parts into manifests by the hash of their title, so that new parts do not move others. */
function rootManifest(
  parts: readonly Part[],
  keep: (manifest: StoredManifest) => StoredManifest,
): StoredManifest {
  const byTitle = new Map(parts.map((part) => [part.title, part]));
  for (let bits = bucketBits(byTitle.size, LAYERS_PER_MANIFEST); ; bits += 1) {
    const buckets = groupByBucket(byTitle.keys(), bits).filter((titles) => titles.length > 0);
    const leaves = buckets.map((titles) => {
      const blobs = titles.map((title) => listedBlob(byTitle.get(title)!));
      return buildArtifactManifest('rest', blobs);
    });
    if (leaves.some(({ bytes }) => bytes.length > MAX_MANIFEST_BYTES)) continue;
    return nestedIndexes(leaves.map(keep), keep);
  }
}

function nestedIndexes(
  manifests: readonly StoredManifest[],
  keep: (manifest: StoredManifest) => StoredManifest,
): StoredManifest {
  if (manifests.length <= MANIFESTS_PER_INDEX) return indexOf(manifests);
  const parents: StoredManifest[] = [];
  for (let at = 0; at < manifests.length; at += MANIFESTS_PER_INDEX) {
    parents.push(keep(indexOf(manifests.slice(at, at + MANIFESTS_PER_INDEX))));
  }
  return nestedIndexes(parents, keep);
}

function indexOf(manifests: readonly StoredManifest[]): StoredManifest {
  return buildArtifactIndex(
    'rest',
    manifests.map((manifest) => ({ type: 'rest', manifest })),
  );
}

function listedBlob({ title, kind, digest, size }: Part): ListedBlob {
  return { title, mediaType: PART_TYPE[kind], digest, size };
}

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
interface PreviousParts {
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

/** A sparse index that is being changed. Its bytes depend on the content, not on the steps. */
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

  async change({ repository, before, after }: RefreshedPackage): Promise<void> {
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
    const tables = {
      packages: this.#table(others, 'packages', mapValues(this.#packages, formatPackageRef)),
      groups: this.#table(others, 'groups', mapValues(this.#groups, formatRef)),
      words: this.#table(
        others,
        'words',
        mapValues(this.#words, (by) => [...by].sort(byCodePoint)),
      ),
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
    const entries = mostRequired(this.#packages).map(
      (name) => [name, formatPackageRef(this.#packages.get(name)!)] as const,
    );
    const ref = this.#addBytes(`{"required":${formatMapping(entries)}}\n`);
    return { ...ref, kind: 'node', title: REQUIRED_TITLE };
  }

  async #changeGroups(repository: Repository, was: PackageApis, is: PackageApis): Promise<void> {
    for (const name of new Set([...was.groups.keys(), ...is.groups.keys()])) {
      const [before, after] = [was.groups.get(name), is.groups.get(name)];
      const isUnchanged =
        before !== undefined &&
        after !== undefined &&
        isEqual(before.crds, after.crds) &&
        isEqual(before.kinds, after.kinds);
      if (isUnchanged) continue;
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
      getOrCreate(this.#words, word, () => new Set()).add(repository);
    }
  }

  /** Returns a table, and adds its nodes to `others`. */
  #table(others: Part[], table: TableName, entries: ReadonlyMap<string, unknown>): Part {
    const digits = (2 ** bucketBits(entries.size) - 1).toString(16).length;
    const buckets = groupByBucket(entries.keys(), bucketBits(entries.size)).map((keys, i) => {
      if (keys.length === 0) return null;
      const text = formatMapping(keys.map((key) => [key, entries.get(key)]));
      const ref = this.#addBytes(`{${JSON.stringify(table)}:${text}}\n`);
      const title = `lookup/${table}/${i.toString(16).padStart(digits, '0')}.json`;
      others.push({ ...ref, kind: 'node', title });
      return formatRef(ref);
    });
    const lines = buckets.map((bucket) => `\n${JSON.stringify(bucket)}`);
    const ref = this.#addBytes(
      `{"table":${JSON.stringify(table)},"buckets":[${lines.join(',')}\n]}\n`,
    );
    return { ...ref, kind: 'table', title: `lookup/${table}.json` };
  }

  #addBytes(text: string): PartRef {
    const bytes = Buffer.from(text);
    const digest = sha256(bytes);
    this.#bytes.set(digest, bytes);
    return { digest, size: bytes.length };
  }
}

function mapValues<T>(
  entries: ReadonlyMap<string, T>,
  format: (value: T) => unknown,
): ReadonlyMap<string, unknown> {
  return new Map([...entries].map(([key, value]) => [key, format(value)]));
}

function isEqual(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((item) => other.has(item));
}

/** Returns a unique path that never leaves the folder. Unpaired surrogates are replaced. */
function safePath(name: string): string {
  const parts = name
    .split('/')
    .map((part) =>
      /^\.*$/.test(part) ? `%${part}` : encodeURIComponent(Buffer.from(part).toString()),
    );
  return parts.join('/');
}
