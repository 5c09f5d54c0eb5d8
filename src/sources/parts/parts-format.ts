import { createHash } from 'node:crypto';
import { byCodePoint } from '../../text/code-point-order.js';
import { isDigest, type Digest } from '../../text/digest.js';
import { listOf } from '../../text/json.js';

/** A part by its content. */
export interface PartRef {
  readonly digest: Digest;
  readonly size: number;
}

/** The part of a package, and what it may lead to. */
export interface PackageRef extends PartRef {
  /**
   * Hashes of the repositories that its versions require, ascending: what will probably be looked up
   * next. Nothing but the order of requests depends on them.
   */
  readonly requires: readonly number[];
}

/** Of one package; the real ones require 26 at most. Those beyond cost a wait each, no more. */
export const MAX_REQUIRES = 64;

/**
 * What parts are looked up by: the repository of a package, an API group, or a word that a search
 * may ask for. Each table is a list of buckets, and each bucket a node of its own, so that to find
 * a key takes two small downloads, however many keys there are.
 */
export const TABLES = ['packages', 'groups', 'words'] as const;
export type TableName = (typeof TABLES)[number];

/** The list of packages that many others require, beside the tables. */
export const REQUIRED_TITLE = 'lookup/required.json';

/** With 100,000 packages, a closure of 30 reads about as many bytes of buckets as of the table. */
const KEYS_PER_BUCKET = 48;

/** A table has 2 to the power of this buckets. */
export function bucketBits(keys: number, perBucket: number = KEYS_PER_BUCKET): number {
  return keys <= perBucket ? 0 : Math.round(Math.log2(keys / perBucket));
}

/** What a key is sorted into buckets by: the first 32 bits of its SHA-256. */
export function hashOf(key: string): number {
  return createHash('sha256').update(key).digest().readUInt32BE();
}

/** The bucket of a key, by the first bits of its hash: a key that is added moves no other. */
export function bucketOf(key: string, bits: number): number {
  return bucketOfHash(hashOf(key), bits);
}

export function bucketOfHash(hash: number, bits: number): number {
  return bits === 0 ? 0 : hash >>> (32 - bits);
}

/** Keys by bucket, sorted in each. */
export function inBuckets(keys: Iterable<string>, bits: number): readonly (readonly string[])[] {
  const buckets = Array.from({ length: 2 ** bits }, (): string[] => []);
  for (const key of keys) buckets[bucketOf(key, bits)]!.push(key);
  return buckets.map((bucket) => bucket.sort(byCodePoint));
}

export function writtenRef({ digest, size }: PartRef): readonly [string, number] {
  return [digest, size];
}

/** undefined: not a reference to a part. */
export function refFrom(value: unknown): PartRef | undefined {
  const [digest, size] = listOf(value) ?? [];
  if (typeof digest !== 'string' || !isDigest(digest)) return undefined;
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) return undefined;
  return { digest, size };
}

/** What requires nothing is written as any other part. */
export function writtenPackageRef(ref: PackageRef): readonly unknown[] {
  return ref.requires.length === 0 ? writtenRef(ref) : [...writtenRef(ref), ref.requires];
}

/** undefined: not a reference to a part. Of what it may lead to, only what makes sense is taken. */
export function packageRefFrom(value: unknown): PackageRef | undefined {
  const ref = refFrom(value);
  const hints = listOf(listOf(value)?.[2]) ?? [];
  return ref && { ...ref, requires: hints.slice(0, MAX_REQUIRES).filter(isHash) };
}

function isHash(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 32;
}

/** A mapping as JSON: sorted, a key a line, the same bytes for the same mapping. */
export function formatMapping(entries: Iterable<readonly [string, unknown]>): string {
  const lines = [...entries]
    .sort(([a], [b]) => byCodePoint(a, b))
    .map(([key, value]) => `\n${JSON.stringify(key)}:${JSON.stringify(value)}`);
  return `{${lines.join(',')}\n}`;
}
