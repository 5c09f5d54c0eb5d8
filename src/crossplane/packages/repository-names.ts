import type { Repository } from './package.js';
import { byCodePoint, getOrCreate } from '../../base/collections.js';
import { andList } from '../../base/messages.js';

/** Shortens each repository to its shortest path suffix that is unique among these. */
export function shortNames(repositories: readonly Repository[]) {
  const all = [...new Set(repositories)].sort(byCodePoint);
  const names = new Map(all.map((repository) => [repository, shortestSuffix(repository, all)]));
  return {
    name: (repository: Repository) => names.get(repository) ?? repository,
    note: placesNote(names),
  };
}

function shortestSuffix(repository: Repository, all: readonly Repository[]): string {
  const parts = repository.split('/');
  for (let from = parts.length - 1; from > 0; from--) {
    const end = parts.slice(from).join('/');
    if (!all.some((other) => other !== repository && `/${other}`.endsWith(`/${end}`))) return end;
  }
  return repository;
}

/** Returns a note such as `Packages are from a.io/x; b and c from b.io/y.`. */
function placesNote(names: ReadonlyMap<Repository, string>): string | undefined {
  const places = new Map<string, string[]>();
  for (const [repository, name] of names) {
    if (name === repository) continue;
    getOrCreate(places, organizationOf(repository), () => []).push(name);
  }
  const [most, ...others] = [...places].sort(([, a], [, b]) => b.length - a.length);
  if (most === undefined) return undefined;
  const rest = others.map(
    ([place, some]) => `; ${andList(some)} from ${missingPlace(place, some)}`,
  );
  return `Packages are from ${most[0]}${rest.join('')}.`;
}

/** Returns the registry if the names contain the rest of the place, otherwise the whole place. */
function missingPlace(place: string, names: readonly string[]): string {
  const [registry = place, ...path] = place.split('/');
  return names.every((name) => name.startsWith(`${path.join('/')}/`)) ? registry : place;
}

/** A member of a provider family: `provider-aws-s3`. */
const MEMBER = /^provider-([^-]+)-(.+)$/;
const FAMILY_PACKAGE = /^provider-family-(.+)$/;

/** Returns the registry of a repository. */
export function registryOf(repository: Repository): string {
  return repository.split('/', 1)[0]!;
}

/** Returns the registry and the organization of a repository. */
export function organizationOf(repository: Repository): string {
  return repository.slice(0, Math.max(0, repository.lastIndexOf('/')));
}

/** Whether a repository is the package that all members of a family require. */
export function isFamilyPackage(repository: Repository): boolean {
  return FAMILY_PACKAGE.test(packageName(repository));
}

/** Returns the family of a provider: `aws` for `provider-aws-s3` and `provider-family-aws`. */
export function familyOf(repository: Repository): string | undefined {
  const name = packageName(repository);
  return FAMILY_PACKAGE.exec(name)?.[1] ?? MEMBER.exec(name)?.[1];
}

/** Returns the last path segment: `provider-helm` of `xpkg.upbound.io/upbound/provider-helm`. */
export function packageName(repository: Repository): string {
  return repository.slice(repository.lastIndexOf('/') + 1);
}
