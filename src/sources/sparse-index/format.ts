import { createHash } from 'node:crypto';
import { byCodePoint, getOrCreate } from '../../base/collections.js';
import { type Digest, isDigest } from '../../base/digest.js';
import { fieldsOf, listOf, parseJson, stringOf } from '../../base/json.js';
import type { Repository } from '../../crossplane/packages/package.js';
import type { IndexPackage } from '../index/index-file.js';
import {
  definesResources,
  type PackageObject,
} from '../../crossplane/packages/package-contents.js';
import { indexedContents } from '../index/index-entry.js';

export interface PartRef {
  readonly digest: Digest;
  readonly size: number;
}

/** A reference to the part of a package, with hints for prefetching. */
export interface PackageRef extends PartRef {
  /** Hashes of the repositories that its versions require, ascending. */
  readonly requires: readonly number[];
}

/** Maximum per package; real packages require at most 26. Others are not prefetched. */
export const MAX_REQUIRES = 64;

/** Lookup tables. Each bucket is a node of its own, so that a lookup takes two downloads. */
export const TABLES = ['packages', 'groups', 'words'] as const;
export type TableName = (typeof TABLES)[number];

/** The list of packages that many others require, next to the tables. */
export const REQUIRED_TITLE = 'lookup/required.json';

/** Chosen so that 30 lookups in 100,000 packages read as many bytes of buckets as of the table. */
const KEYS_PER_BUCKET = 48;

/** Returns the number of bits to select a bucket: a table has 2^bits buckets. */
export function bucketBits(keys: number, perBucket: number = KEYS_PER_BUCKET): number {
  return keys <= perBucket ? 0 : Math.round(Math.log2(keys / perBucket));
}

/** Returns the first 32 bits of a key's SHA-256, by which keys are assigned to buckets. */
export function hashOf(key: string): number {
  return createHash('sha256').update(key).digest().readUInt32BE();
}

/** Returns the bucket of a key, by its first hash bits. New keys do not move existing ones. */
export function bucketOf(key: string, bits: number): number {
  return bucketOfHash(hashOf(key), bits);
}

export function bucketOfHash(hash: number, bits: number): number {
  return bits === 0 ? 0 : hash >>> (32 - bits);
}

export function groupByBucket(
  keys: Iterable<string>,
  bits: number,
): readonly (readonly string[])[] {
  const buckets = Array.from({ length: 2 ** bits }, (): string[] => []);
  for (const key of keys) buckets[bucketOf(key, bits)]!.push(key);
  return buckets.map((bucket) => bucket.sort(byCodePoint));
}

export function formatRef({ digest, size }: PartRef): readonly [string, number] {
  return [digest, size];
}

/** Returns undefined if the value is not a reference to a part. */
export function parseRef(value: unknown): PartRef | undefined {
  const [digest, size] = listOf(value) ?? [];
  if (typeof digest !== 'string' || !isDigest(digest)) return undefined;
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) return undefined;
  return { digest, size };
}

/** A package without requirements is written like any other part. */
export function formatPackageRef(ref: PackageRef): readonly unknown[] {
  return ref.requires.length === 0 ? formatRef(ref) : [...formatRef(ref), ref.requires];
}

/** Returns undefined if the value is not a reference to a part. Invalid hints are dropped. */
export function parsePackageRef(value: unknown): PackageRef | undefined {
  const ref = parseRef(value);
  const hints = listOf(listOf(value)?.[2]) ?? [];
  return ref && { ...ref, requires: hints.slice(0, MAX_REQUIRES).filter(isHash) };
}

function isHash(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 32;
}

/** Formats a mapping as JSON: sorted, one key per line, deterministic. */
export function formatMapping(entries: Iterable<readonly [string, unknown]>): string {
  const lines = [...entries]
    .sort(([a], [b]) => byCodePoint(a, b))
    .map(([key, value]) => `\n${JSON.stringify(key)}:${JSON.stringify(value)}`);
  return `{${lines.join(',')}\n}`;
}

/** Fields of a dependsOn entry that may name a repository in some release. */
const REPOSITORY_FIELDS = ['package', 'configuration', 'provider', 'function'];

/** Returns hashes of the repositories that a package requires, ascending, without duplicates. */
export function requiredHashes({ versions }: IndexPackage): readonly number[] {
  const entries = Object.values(versions).flatMap(({ dependsOn = [] }) => dependsOn.map(fieldsOf));
  const names = entries.flatMap((entry) =>
    REPOSITORY_FIELDS.flatMap((field) => stringOf(entry?.get(field)) ?? []),
  );
  const hashes = new Set([...new Set(names)].map(hashOf));
  return [...hashes].sort((a, b) => a - b).slice(0, MAX_REQUIRES);
}

/** Of 900 real packages, 125 are required by others, 72 by more than one. */
const MAX_REQUIRED = 256;

/** Returns the most required packages, which most resolutions need, sorted by name. */
export function mostRequired(packages: ReadonlyMap<Repository, PackageRef>): readonly Repository[] {
  const requirers = new Map<number, number>();
  for (const { requires } of packages.values()) {
    for (const hash of requires) requirers.set(hash, (requirers.get(hash) ?? 0) + 1);
  }
  if (requirers.size === 0) return [];
  return [...packages.keys()]
    .map((repository) => ({ repository, by: requirers.get(hashOf(repository)) ?? 0 }))
    .filter(({ by }) => by > 0)
    .sort((a, b) => b.by - a.by || byCodePoint(a.repository, b.repository))
    .slice(0, MAX_REQUIRED)
    .map(({ repository }) => repository)
    .sort(byCodePoint);
}

/** The APIs of a package in one API group, in any of its versions. */
interface GroupApis {
  /** Names of CRDs, including claims. */
  readonly crds: ReadonlySet<string>;
  /** Kinds, including claims, if the package states what its CRDs define. */
  readonly kinds: ReadonlySet<string>;
}

/** The search terms of a package, apart from its name. */
export interface PackageApis {
  readonly groups: ReadonlyMap<string, GroupApis>;
  /** Kinds, plurals and names of other objects, in lower case. */
  readonly words: ReadonlySet<string>;
}

export const NO_APIS: PackageApis = { groups: new Map(), words: new Set() };

/** Collects the APIs of all versions. Callers check what applies to a target. */
export function collectApis(repository: string, indexed: IndexPackage): PackageApis {
  const groups = new Map<string, { crds: Set<string>; kinds: Set<string> }>();
  const words = new Set<string>();
  const groupAt = (group: string) =>
    getOrCreate(groups, group, () => ({ crds: new Set(), kinds: new Set() }));
  for (const entry of Object.values(indexed.versions)) {
    for (const object of indexedContents(entry, repository, indexed).objects) {
      for (const word of searchWords(object)) words.add(word);
      if (!definesResources(object.kind)) continue;
      for (const name of crdNames(object)) groupAt(crdGroup(name)).crds.add(name);
      const { defines, claimKind } = object;
      if (defines === undefined) continue;
      const { kinds } = groupAt(defines.group);
      kinds.add(defines.kind);
      if (claimKind !== undefined) kinds.add(claimKind);
    }
  }
  return { groups, words };
}

/** Returns `s3.example.org` for `buckets.s3.example.org`. */
export function crdGroup(crd: string): string {
  return crd.slice(crd.indexOf('.') + 1);
}

function crdNames({ name, claimCrd }: PackageObject): string[] {
  return claimCrd === undefined ? [name] : [name, claimCrd];
}

/** The full name and the group of a CRD or XRD need no word: the group part has them. */
function searchWords(object: PackageObject): string[] {
  const words = [object.defines?.kind, object.claimKind].flatMap((kind) => kind ?? []);
  for (const name of crdNames(object)) {
    words.push(name.slice(0, `${name}.`.indexOf('.')));
    if (!definesResources(object.kind) || name !== name.toLowerCase()) {
      words.push(name, crdGroup(name));
    }
  }
  return words.map((word) => word.toLowerCase());
}

/** The packages that may own the CRDs of an API group or define its kinds. */
export class GroupPart {
  readonly group: string;
  readonly #crds: Owners;
  readonly #kinds: Owners;

  constructor(group: string, crds: Owners = new Map(), kinds: Owners = new Map()) {
    this.group = group;
    this.#crds = crds;
    this.#kinds = kinds;
  }

  /** Returns undefined if the bytes are not the part of this group. */
  static from(bytes: Uint8Array, group: string): GroupPart | undefined {
    const fields = fieldsOf(parseJson(bytes)?.value);
    const [crds, kinds] = [ownersFrom(fields?.get('crds')), ownersFrom(fields?.get('kinds'))];
    if (fields?.get('group') !== group || crds === undefined || kinds === undefined) {
      return undefined;
    }
    return new GroupPart(group, crds, kinds);
  }

  get isEmpty(): boolean {
    return this.#crds.size + this.#kinds.size === 0;
  }

  /** Returns the packages that may own a CRD, in any order. */
  byCrd(name: string): readonly Repository[] {
    return [...(this.#crds.get(name) ?? [])];
  }

  byKind(kind: string): readonly Repository[] {
    return [...(this.#kinds.get(kind) ?? [])];
  }

  all(): readonly Repository[] {
    return [...this.#crds.values(), ...this.#kinds.values()].flatMap((owners) => [...owners]);
  }

  remove(repository: Repository, { crds, kinds }: GroupApis): void {
    removeOwner(repository, this.#crds, crds);
    removeOwner(repository, this.#kinds, kinds);
  }

  add(repository: Repository, { crds, kinds }: GroupApis): void {
    for (const name of crds) getOrCreate(this.#crds, name, () => new Set()).add(repository);
    for (const name of kinds) getOrCreate(this.#kinds, name, () => new Set()).add(repository);
  }

  format(): string {
    const group = JSON.stringify(this.group);
    return `{"group":${group},"crds":${formatOwners(this.#crds)},"kinds":${formatOwners(this.#kinds)}}\n`;
  }
}

/** Owners by CRD or kind. */
type Owners = Map<string, Set<Repository>>;

function removeOwner(repository: Repository, owners: Owners, names: ReadonlySet<string>): void {
  for (const name of names) {
    owners.get(name)?.delete(repository);
    if (owners.get(name)?.size === 0) owners.delete(name);
  }
}

function formatOwners(owners: ReadonlyMap<string, ReadonlySet<Repository>>): string {
  return formatMapping([...owners].map(([name, by]) => [name, [...by].sort(byCodePoint)]));
}

function ownersFrom(value: unknown): Owners | undefined {
  const fields = fieldsOf(value);
  if (fields === undefined) return undefined;
  const owners: Owners = new Map();
  for (const [name, listed] of fields) {
    const repositories = parseStrings(listed);
    if (repositories === undefined) return undefined;
    owners.set(name, new Set(repositories));
  }
  return owners;
}

export function parseStrings(value: unknown): readonly string[] | undefined {
  const list = listOf(value);
  return list?.every((item) => typeof item === 'string') === true ? list : undefined;
}
