import { createHash } from 'node:crypto';
import { byCodePoint } from '../../base/collections.js';
import { type Digest, isDigest } from '../../base/digest.js';
import { isMapping, listOf } from '../../base/json.js';
import type { Repository } from '../../crossplane/packages/package.js';
import type { IndexPackage } from '../index/index-file.js';

/** A reference to a part by its content. */
export interface PartRef {
  readonly digest: Digest;
  readonly size: number;
}

/** A reference to the part of a package, with hints for prefetching. */
export interface PackageRef extends PartRef {
  /**
   * Hashes of the repositories that its versions require, ascending. Used only to prefetch them.
   */
  readonly requires: readonly number[];
}

/** Maximum per package; real packages require at most 26. Others are not prefetched. */
export const MAX_REQUIRES = 64;

/**
 * Lookup tables by repository, API group or search word. A table is a list of buckets, and each
 * bucket is a node of its own, so that a lookup takes two small downloads however many keys there
 * are.
 */
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

/** Returns sorted keys by bucket. */
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
  const names = new Set<string>();
  for (const { dependsOn = [] } of Object.values(versions)) {
    for (const entry of dependsOn) {
      if (!isMapping(entry)) continue;
      for (const field of REPOSITORY_FIELDS) {
        const named = entry[field];
        if (typeof named === 'string') names.add(named);
      }
    }
  }
  const hashes = new Set([...names].map(hashOf));
  return [...hashes].sort((a, b) => a - b).slice(0, MAX_REQUIRES);
}

/** Of 900 real packages, 125 are required by others, 72 by more than one. */
const MAX_REQUIRED = 256;

/**
 * Returns the most required packages, sorted by name. Most packages of a resolution are in this
 * list, because all but its few roots are required by others.
 */
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
