import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { isDigest, type Digest } from '../text/digest.js';
import { printable } from '../text/printable.js';
import { SourceError } from '../model/source-error.js';
import type { TargetRules } from '../model/target/target.js';
import { LIMITS, type Limits } from './limits.js';
import type { TarEntry } from './archive/tar-entries.js';

export const PACKAGE_YAML = 'package.yaml';

const MAX_OTHERS_SHOWN = 5;

/** Parses package.yaml from a stream. */
export type ContentReader<T> = (stream: AsyncIterable<Uint8Array>) => Promise<T>;

export interface FoundPackageYaml<T> {
  readonly value: T;
  /** Of the bytes of package.yaml. */
  readonly digest: Digest;
  readonly path: string;
  /** Files of the same name in other folders, which the target ignores. */
  readonly others: readonly string[];
}

/** What the entries of a tar are taken for. */
export interface TakenEntries {
  /** Whether an entry is the package.yaml. */
  readonly taken: (entry: TarEntry) => boolean;
  /** Called with every other entry; reads its content, or does not. */
  readonly beside?: ((entry: TarEntry) => Promise<void>) | undefined;
}

/** Reads the first package.yaml that the target would read, and lists the others. */
export async function findPackageYaml<T>(
  entries: AsyncIterable<TarEntry>,
  read: ContentReader<T>,
  options: TakenEntries & {
    readonly subject: string;
    readonly limits?: Limits | undefined;
  },
): Promise<FoundPackageYaml<T> | undefined> {
  let found: Omit<FoundPackageYaml<T>, 'others'> | undefined;
  const others: string[] = [];
  for await (const entry of entries) {
    const wanted = options.taken(entry);
    if (found === undefined && wanted) {
      const { value, digest } = await readHashed(entry.content, read, options);
      found = { path: entry.path, value, digest };
    } else if (posix.basename(entry.path) === PACKAGE_YAML) {
      others.push(entry.path);
    } else {
      await options.beside?.(entry);
    }
  }
  return found === undefined ? undefined : { ...found, others };
}

/** Whether a target reads a file of the base layer as package.yaml. */
export function isPackageYaml(rules: Pick<TargetRules, 'tarEntry'>): (entry: TarEntry) => boolean {
  return rules.tarEntry === 'exact'
    ? ({ name }) => name === PACKAGE_YAML
    : ({ path }) => posix.basename(path) === PACKAGE_YAML;
}

export function noteOthers({ path, others }: FoundPackageYaml<unknown>): readonly string[] {
  if (others.length === 0) return [];
  const listed = others.slice(0, MAX_OTHERS_SHOWN).map((other) => `\`${printable(other)}\``);
  return [
    `the layer holds package.yaml in several folders; Crossplane takes \`${printable(path)}\`, not ${listed.join(', ')}`,
  ];
}

/** Reads all of package.yaml, and tells its digest and size. */
export async function readHashed<T>(
  content: AsyncIterable<Uint8Array>,
  read: ContentReader<T>,
  { subject, limits = LIMITS }: { readonly subject: string; readonly limits?: Limits | undefined },
): Promise<{ readonly value: T; readonly digest: Digest; readonly size: number }> {
  const hash = createHash('sha256');
  const chunks = content[Symbol.asyncIterator]();
  let size = 0;
  const next = async () => {
    const { done = false, value: chunk } = await chunks.next();
    if (done) return undefined;
    size += chunk.byteLength;
    if (size > limits.packageYamlBytes) {
      const what = `package.yaml is larger than ${limits.packageYamlBytes} bytes, where Crossplane stops reading`;
      throw new SourceError('TOO_LARGE', subject, what);
    }
    hash.update(chunk);
    return chunk;
  };
  async function* passed() {
    for (let chunk = await next(); chunk !== undefined; chunk = await next()) yield chunk;
  }
  const value = await read(passed());
  // A reader may stop before the end; the digest is that of the whole file.
  while ((await next()) !== undefined);
  const digest = `sha256:${hash.digest('hex')}`;
  if (!isDigest(digest)) throw new Error(`not a digest: ${digest}`);
  return { value, digest, size };
}
