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

/** Reads the first package.yaml that the target would read, and lists the others. */
export async function findPackageYaml<T>(
  entries: AsyncIterable<TarEntry>,
  read: ContentReader<T>,
  options: {
    readonly taken: (entry: TarEntry) => boolean;
    readonly subject: string;
    readonly limits?: Limits | undefined;
  },
): Promise<FoundPackageYaml<T> | undefined> {
  let found: Omit<FoundPackageYaml<T>, 'others'> | undefined;
  const others: string[] = [];
  for await (const entry of entries) {
    const wanted = options.taken(entry);
    if (found === undefined && wanted) {
      found = { path: entry.path, ...(await readHashed(entry.content, read, options)) };
    } else if (posix.basename(entry.path) === PACKAGE_YAML) {
      others.push(entry.path);
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

async function readHashed<T>(
  content: AsyncIterable<Uint8Array>,
  read: ContentReader<T>,
  { subject, limits = LIMITS }: { readonly subject: string; readonly limits?: Limits | undefined },
): Promise<{ value: T; digest: Digest }> {
  const hash = createHash('sha256');
  let size = 0;
  async function* tee() {
    for await (const chunk of content) {
      size += chunk.byteLength;
      if (size > limits.packageYamlBytes) {
        const what = `package.yaml is larger than ${limits.packageYamlBytes} bytes, where Crossplane stops reading`;
        throw new SourceError('TOO_LARGE', subject, what);
      }
      hash.update(chunk);
      yield chunk;
    }
  }
  const value = await read(tee());
  const digest = `sha256:${hash.digest('hex')}`;
  if (!isDigest(digest)) throw new Error(`not a digest: ${digest}`);
  return { value, digest };
}
