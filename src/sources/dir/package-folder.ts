import type { Repository } from '../../model/package.js';
import { isDigest } from '../../text/digest.js';
import { isTag } from '../../model/reference.js';

/** What the path of a folder below a `dir:` source means. */
interface PackageFolder {
  readonly repository: Repository;
  /** Tag, digest or constraint; older crossplane CLIs name folders by constraints. */
  readonly version: string;
}

/** Where the versions of a repository are: folders `<name>@<version>` below `parents`. */
interface VersionsPath {
  readonly parents: readonly string[];
  readonly name: string;
}

const PORT = /^([^:@]+)[:@](\d+)$/;
const DIGEST_FOLDER = /^([^@:]+)@sha256[@:]([0-9a-f]{64})$/;

/**
 * Every spelling of the path to a repository's versions: where file names cannot hold a colon,
 * `host:5000` is `host@5000`. Empty: no path stands for this repository, because it has `..` in it.
 */
export function versionsPathsOf(repository: string): readonly VersionsPath[] {
  const segments = repository.split('/');
  const name = segments.pop()!;
  const [host, ...rest] = segments;
  if (![name, ...rest].every(isPlain)) return [];
  if (host === undefined) return [{ parents: [], name }];
  if (isPlain(host)) return [{ parents: segments, name }];
  if (!PORT.test(host) || host.includes('@')) return [];
  return [host, host.replace(':', '@')].map((spelt) => ({ parents: [spelt, ...rest], name }));
}

/** Whether a segment is a plain file name: it leads nowhere else and has no separator in it. */
function isPlain(segment: string): boolean {
  return segment !== '' && segment !== '.' && segment !== '..' && !/[:@\\\0]/.test(segment);
}

/** Parses the path of a folder below the root; undefined: it names no package. */
export function parseFolderPath(path: readonly string[]): PackageFolder | undefined {
  const [last, ...parents] = path.toReversed();
  const split = last === undefined ? undefined : splitAtVersion(last);
  if (split === undefined) return undefined;
  const segments = [...parents.reverse(), split.name];
  if (segments.length > 1) segments[0] = segments[0]!.replace(PORT, '$1:$2');
  const repository = segments.join('/');
  if (versionsPathsOf(repository).length === 0) return undefined;
  return { repository, version: split.version };
}

/** Splits `<name>@<version>` at the last `@`; `sha256@` in a digest is not a separator. */
export function splitAtVersion(folder: string): { name: string; version: string } | undefined {
  const digest = DIGEST_FOLDER.exec(folder);
  if (digest !== null) return { name: digest[1]!, version: `sha256:${digest[2]!}` };
  const at = folder.lastIndexOf('@');
  if (at <= 0 || at === folder.length - 1) return undefined;
  return { name: folder.slice(0, at), version: folder.slice(at + 1) };
}

/** Whether it is a tag or a digest, and not a constraint of an older crossplane CLI. */
export function isPublished(version: string): boolean {
  return isDigest(version) || isTag(version);
}
