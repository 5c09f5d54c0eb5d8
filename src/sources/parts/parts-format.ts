import { createHash } from 'node:crypto';
import { byCodePoint } from '../../text/code-point-order.js';
import { isDigest, type Digest } from '../../text/digest.js';
import { listOf } from '../../text/json.js';

/** A part by its content. */
export interface PartRef {
  readonly digest: Digest;
  readonly size: number;
}

/**
 * What parts are looked up by: the repository of a package, an API group, or a word that a search
 * may ask for. Each table is a list of buckets, and each bucket a node of its own, so that to find
 * a key takes two small downloads, however many keys there are.
 */
export const TABLES = ['packages', 'groups', 'words'] as const;
export type TableName = (typeof TABLES)[number];

/** With 100,000 packages, a closure of 30 reads about as many bytes of buckets as of the table. */
const KEYS_PER_BUCKET = 48;

/** A table has 2 to the power of this buckets. */
export function bucketBits(keys: number, perBucket: number = KEYS_PER_BUCKET): number {
  return keys <= perBucket ? 0 : Math.round(Math.log2(keys / perBucket));
}

/** The bucket of a key, by the first bits of its hash: a key that is added moves no other. */
export function bucketOf(key: string, bits: number): number {
  if (bits === 0) return 0;
  return createHash('sha256').update(key).digest().readUInt32BE() >>> (32 - bits);
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

/** A mapping as JSON: sorted, a key a line, the same bytes for the same mapping. */
export function formatMapping(entries: Iterable<readonly [string, unknown]>): string {
  const lines = [...entries]
    .sort(([a], [b]) => byCodePoint(a, b))
    .map(([key, value]) => `\n${JSON.stringify(key)}:${JSON.stringify(value)}`);
  return `{${lines.join(',')}\n}`;
}
