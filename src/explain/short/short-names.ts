import type { Repository } from '../../model/package.js';
import { byCodePoint } from '../../text/code-point-order.js';
import { andList } from '../sentences/word-list.js';

/** What packages are called in a text that says once where they are from. */
export interface ShortNames {
  readonly name: (repository: Repository) => string;
  /** Under which registry and organisation the names are; undefined: none was shortened. */
  readonly note: string | undefined;
}

/** The shortest end of each repository's path that no other of these repositories has. */
export function shortNames(repositories: readonly Repository[]): ShortNames {
  const all = [...new Set(repositories)].sort(byCodePoint);
  const names = new Map(all.map((repository) => [repository, shortest(repository, all)]));
  return {
    name: (repository) => names.get(repository) ?? repository,
    note: noteOn(names),
  };
}

function shortest(repository: Repository, all: readonly Repository[]): string {
  const parts = repository.split('/');
  for (let from = parts.length - 1; from > 0; from--) {
    const end = parts.slice(from).join('/');
    if (!all.some((other) => other !== repository && `/${other}`.endsWith(`/${end}`))) return end;
  }
  return repository;
}

/** `Packages are from a.io/x; b and c from b.io/y.`; where most are from comes first. */
function noteOn(names: ReadonlyMap<Repository, string>): string | undefined {
  const places = new Map<string, string[]>();
  for (const [repository, name] of names) {
    if (name === repository) continue;
    const place = repository.slice(0, repository.lastIndexOf('/'));
    places.set(place, [...(places.get(place) ?? []), name]);
  }
  const [most, ...others] = [...places].sort(([, a], [, b]) => b.length - a.length);
  if (most === undefined) return undefined;
  const rest = others.map(([place, some]) => `; ${andList(some)} from ${unsaid(place, some)}`);
  return `Packages are from ${most[0]}${rest.join('')}.`;
}

/** What of a place the names below it do not say themselves. */
function unsaid(place: string, names: readonly string[]): string {
  const [registry = place, ...path] = place.split('/');
  return names.every((name) => name.startsWith(`${path.join('/')}/`)) ? registry : place;
}
