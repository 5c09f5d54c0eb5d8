import pLimit from 'p-limit';
import { type Owner, type PackageSource, readReleaseDates } from './package-source.js';
import { byCodePoint } from '../base/collections.js';
import type { TimeBudget } from '../base/time.js';
import { type CrdRef, formatCrdRef } from '../crossplane/packages/crd-ref.js';
import type { Candidate, Repository } from '../crossplane/packages/package.js';
import type { ReleaseRules } from '../crossplane/releases/release-facts.js';

/** Combines sources: only the first source that knows a repository answers for it. */
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
      firstFound(sources, candidate, target, (source) =>
        readReleaseDates(source, candidate, target),
      ),
    ...(sources.some((source) => source.owners !== undefined) && {
      owners: (crdRef: CrdRef, target: ReleaseRules) => mergedOwners(sources, crdRef, target),
    }),
    ...(sources.some((source) => source.repositories !== undefined) && {
      repositories: (about?: string) => mergedRepositories(sources, about),
    }),
  };
}

/** Reads locked versions from `audited` if it has the locked digest, and others from `rest`. */
export function lockedFirst(
  audited: PackageSource,
  rest: PackageSource,
  locked: ReadonlyMap<
    Repository,
    { readonly version: string; readonly digest?: string | undefined }
  >,
): PackageSource {
  return {
    ...forwardingSource(rest),
    tags: (repository, target) => audited.tags(repository, target),
    fetch: async (candidate, target) => {
      const { version, digest } = locked.get(candidate.repository) ?? {};
      if (version === candidate.version && digest !== undefined) {
        const found = await audited.fetch(candidate, target);
        if (found?.digest === digest) return found;
      }
      return rest.fetch(candidate, target);
    },
  };
}

async function firstTags(
  sources: readonly PackageSource[],
  repository: Repository,
  target: ReleaseRules,
): Promise<readonly string[] | undefined> {
  for (const source of sources) {
    const tags = await source.tags(repository, target);
    if (tags !== undefined) return tags;
  }
  return undefined;
}

/** Queries tags only if a source lacks the version and a later source might have it. */
async function firstFound<T>(
  sources: readonly PackageSource[],
  candidate: Candidate,
  target: ReleaseRules,
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
  crdRef: CrdRef,
  target: ReleaseRules,
): Promise<readonly Owner[]> {
  const owners: Owner[] = [];
  for (const [i, source] of sources.entries()) {
    for (const owner of (await source.owners?.(crdRef, target)) ?? []) {
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
  const lists: (readonly Repository[])[] = [];
  for (const source of sources) lists.push((await source.repositories?.(about)) ?? []);
  return [...new Set(lists.flat())].sort(byCodePoint);
}

/** Runs a function as soon as fewer than a number of others are running. */
type Limit = <T>(run: () => Promise<T>) => Promise<T>;

/** Limits concurrent requests. One disables prefetching. Sources may share a `limit`. */
export function withConcurrencyLimit(
  source: PackageSource,
  concurrency: number,
  limit: Limit = pLimit(concurrency),
): PackageSource {
  const limited = aroundRequests(source, (_what, request) => limit(request));
  if (concurrency > 1) return limited;
  // Without the known parts of a package, so that none is prefetched.
  const fetch: PackageSource['fetch'] = ({ repository, version }, target) =>
    limited.fetch({ repository, version }, target);
  return { ...limited, distant: false, fetch };
}

/** Wraps a source with a time budget of its own, for sources that wait for others. */
export function withTimeBudget(source: PackageSource, budget: TimeBudget): PackageSource {
  return aroundRequests(source, (what, request) => budget.wait(what, request()));
}

/** Wraps a source so that `around` runs its requests. `what` names the requested data. */
function aroundRequests(
  source: PackageSource,
  around: <T>(what: string, request: () => Promise<T>) => Promise<T>,
): PackageSource {
  return {
    ...forwardingSource(source),
    tags: (repository, target) =>
      around(`the tags of ${repository}`, () => source.tags(repository, target)),
    fetch: (candidate, target) =>
      around(`${candidate.repository} ${candidate.version}`, () => source.fetch(candidate, target)),
    ...(source.released && {
      released: (candidate: Candidate, target: ReleaseRules) =>
        around(`the date of ${candidate.repository} ${candidate.version}`, () =>
          source.released!(candidate, target),
        ),
    }),
  };
}

/** Prints a note if a CRD has no owner and some of the combined `parts` cannot be searched. */
export function noteUnsearchableSources(
  source: PackageSource,
  parts: readonly PackageSource[],
  note: (line: string) => void,
): PackageSource {
  if (parts.every((part) => part.owners !== undefined)) return source;
  return {
    ...forwardingSource(source),
    owners: async (crdRef, target) => {
      const owners = (await source.owners?.(crdRef, target)) ?? [];
      if (owners.length > 0) return owners;
      note(
        `note: who owns ${formatCrdRef(crdRef)} cannot be asked of a registry or a package cache; name a source that lists what it holds: \`--from index:FILE\`, \`--from dir:PATH\` or \`--from layout:PATH\``,
      );
      return owners;
    },
  };
}

/** Returns a source that forwards to another one, for wrappers to override some members. */
export function forwardingSource(source: PackageSource): PackageSource {
  return {
    tags: (repository, target) => source.tags(repository, target),
    fetch: (candidate, target) => source.fetch(candidate, target),
    ...(source.distant !== undefined && { distant: source.distant }),
    ...(source.states !== undefined && { states: source.states }),
    ...(source.released && {
      released: (candidate, target) => source.released!(candidate, target),
    }),
    ...(source.owners && { owners: (crdRef, target) => source.owners!(crdRef, target) }),
    ...(source.repositories && { repositories: (about) => source.repositories!(about) }),
  };
}
