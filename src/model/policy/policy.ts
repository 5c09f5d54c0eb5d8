import type { Origin, Repository } from '../package.js';
import { pullName } from '../reference.js';
import type { Target } from '../target/target.js';

/**
 * `spec.policy` of one PackageSet: what may be chosen at all, of all packages of the closure. Of
 * several policies each holds, whatever the others say.
 */
export interface Policy {
  /** Where packages may come from; undefined: anywhere. */
  readonly registries?:
    { readonly allowed: readonly string[]; readonly origin: Origin } | undefined;
  readonly deny: readonly PolicyEntry[];
  readonly minimumAge?: MinimumAge | undefined;
}

/** Packages, and versions of them, that a policy speaks of. */
export interface PolicyEntry {
  /** A repository, or the beginning of some up to a slash. */
  readonly packages: string;
  /** A constraint or a tag; undefined: every version. */
  readonly version: string | undefined;
  /** Why, for people. */
  readonly reason?: string | undefined;
  readonly origin: Origin;
}

/** How long a release must have been out before it is chosen. */
export interface MinimumAge {
  /** As written: `7d`. */
  readonly text: string;
  readonly milliseconds: number;
  /** Packages, and versions, of any age. */
  readonly except: readonly PolicyEntry[];
  /** What becomes of versions whose age is not known. */
  readonly unknown: 'refuse' | 'allow';
  readonly origin: Origin;
}

/**
 * Whether a policy that names `prefix` means a repository: all of it, or its first parts. Spellings
 * do not matter: a default registry counts as written, a host in capitals or with the port of https
 * as the plain host.
 */
export function isOfPackages(repository: Repository, prefix: string, target: Target): boolean {
  const [name, start] = [plainName(repository, target), plainPrefix(prefix)];
  return name === start || name.startsWith(`${start}/`);
}

function plainName(repository: Repository, target: Target): string {
  return withPlainHost(pullName(repository, target));
}

/** Docker Hub is pulled from under another name than people write. */
function plainPrefix(prefix: string): string {
  const plain = withPlainHost(prefix.replace(/\/$/, ''));
  return plain.replace(/^docker\.io(?=\/|$)/, 'index.docker.io');
}

function withPlainHost(name: string): string {
  const [host = '', ...path] = name.split('/');
  return [host.toLowerCase().replace(/:443$/, ''), ...path].join('/');
}
