import type { Repository } from '../../model/package.js';
import { isDigest } from '../../text/digest.js';
import { isTag } from '../../model/reference.js';

/** What the path of a folder below a `dir:` source says. */
interface PackageFolder {
  readonly repository: Repository;
  /** Tag or digest, or a constraint: older CLIs name folders by those. */
  readonly version: string;
}

/** Where the versions of a repository are: folders `<name>@<version>` in the folder `parents`. */
interface VersionsPath {
  readonly parents: readonly string[];
  readonly name: string;
}

const PORT = /^([^:@]+)[:@](\d+)$/;
const DIGEST_FOLDER = /^([^@:]+)@sha256[@:]([0-9a-f]{64})$/;

/**
 * Every way to spell the path to a repository's versions: file systems that know no colon have
 * `host@5000` for `host:5000`. Empty: no path can stand for this repository, `..` for one.
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

/** Names that stay in the folder they are looked up in, and in which nothing needs to be split. */
function isPlain(segment: string): boolean {
  return segment !== '' && segment !== '.' && segment !== '..' && !/[:@\\\0]/.test(segment);
}

/** Reads a path below the root; undefined: not the name of a package. */
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

/** `<name>@<version>`, split at the last `@`; a digest's own colon may be one too. */
export function splitAtVersion(folder: string): { name: string; version: string } | undefined {
  const digest = DIGEST_FOLDER.exec(folder);
  if (digest !== null) return { name: digest[1]!, version: `sha256:${digest[2]!}` };
  const at = folder.lastIndexOf('@');
  if (at <= 0 || at === folder.length - 1) return undefined;
  return { name: folder.slice(0, at), version: folder.slice(at + 1) };
}

/** False for the constraints by which older CLIs name folders. */
export function isPublished(version: string): boolean {
  return isDigest(version) || isTag(version);
}
