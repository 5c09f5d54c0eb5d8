import { byCodePoint } from '../../text/code-point-order.js';
import type { Candidate, Repository } from '../../model/package.js';
import type { Owner, PackageSource } from '../../model/package-source.js';
import { releasedBy } from '../../model/policy/released-by.js';
import type { CrdDemand } from '../../model/crd-demand.js';
import type { Target } from '../../model/target/target.js';

/**
 * Several sources as one: the first that knows a repository answers for it, alone.
 *
 * A source is never asked about a repository that one before it knows.
 */
export function firstKnowing(sources: readonly PackageSource[]): PackageSource {
  const [only] = sources;
  if (only !== undefined && sources.length === 1) return only;
  return {
    ...(sources.some(({ distant }) => distant === true) && { distant: true }),
    states: sources.flatMap(({ states = [] }) => states),
    tags: (repository, target) => firstTags(sources, repository, target),
    fetch: (candidate, target) =>
      firstFound(sources, candidate, target, (source) => source.fetch(candidate, target)),
    released: (candidate, target) =>
      firstFound(sources, candidate, target, (source) => releasedBy(source, candidate, target)),
    ...(sources.some((source) => source.owners !== undefined) && {
      owners: (demand: CrdDemand, target: Target) => mergedOwners(sources, demand, target),
    }),
    ...(sources.some((source) => source.repositories !== undefined) && {
      repositories: (about?: string) => mergedRepositories(sources, about),
    }),
  };
}

async function firstTags(
  sources: readonly PackageSource[],
  repository: Repository,
  target: Target,
): Promise<readonly string[] | undefined> {
  for (const source of sources) {
    const tags = await source.tags(repository, target);
    if (tags !== undefined) return tags;
  }
  return undefined;
}

/** Tags are asked for only where a source has not got the version and another might. */
async function firstFound<T>(
  sources: readonly PackageSource[],
  candidate: Candidate,
  target: Target,
  find: (source: PackageSource) => Promise<T | undefined>,
): Promise<T | undefined> {
  for (const source of sources) {
    const found = await find(source);
    if (found !== undefined) return found;
    if (source === sources.at(-1)) return undefined;
    if ((await source.tags(candidate.repository, target)) !== undefined) return undefined;
  }
  return undefined;
}

async function mergedOwners(
  sources: readonly PackageSource[],
  demand: CrdDemand,
  target: Target,
): Promise<readonly Owner[]> {
  const owners: Owner[] = [];
  for (const [i, source] of sources.entries()) {
    for (const owner of (await source.owners?.(demand, target)) ?? []) {
      const answered = await firstTags(sources.slice(0, i), owner.repository, target);
      if (answered === undefined) owners.push(owner);
    }
  }
  return owners.sort((a, b) => byCodePoint(a.repository, b.repository));
}

async function mergedRepositories(
  sources: readonly PackageSource[],
  about: string | undefined,
): Promise<readonly Repository[]> {
  const found = new Set<Repository>();
  for (const source of sources) {
    for (const repository of (await source.repositories?.(about)) ?? []) found.add(repository);
  }
  return [...found].sort(byCodePoint);
}
