// Independent of the solver on purpose: no learned clauses and no shortcuts that could be wrong.
import { objectsOf } from './reading.js';
import {
  type OracleRequirement,
  closure,
  requirementsIn,
  type SelectedVersions,
  TargetView,
  violationsOf,
} from './target-view.js';
import { byCodePoint } from '../../base/collections.js';
import { isMapping, type JsonValue } from '../../base/json.js';
import { parseConstraint } from '../../crossplane/constraints/constraint.js';
import {
  compareVersions,
  isIncomplete,
  parseVersion,
  type Version,
} from '../../crossplane/constraints/version.js';
import { type CrdRef, definesCrd } from '../../crossplane/packages/crd-ref.js';
import { knownReleases, type Target, targetFor } from '../../crossplane/releases/target.js';
import type { Request } from '../../project/inputs/request.js';
import type { IndexFile } from '../../sources/index/index-file.js';
import type { Outcome, ResolverOptions } from '../resolver.js';

export interface ExhaustiveOptions extends ResolverOptions {
  /** Maximum number of candidates. Larger universes are an error. */
  readonly maxSteps?: number | undefined;
}

/**
 * Answers a request by trying all combinations. For small universes only.
 *
 * Packages are decided in queue order, most preferred version first, and the last decision is
 * undone first. So the first complete selection has, package by package, the most preferred version
 * that allows a solution.
 */
export function exhaustive(
  universe: IndexFile,
  request: Request,
  options: ExhaustiveOptions = {},
): Outcome {
  const budget = { steps: options.maxSteps ?? 1_000_000 };
  for (const target of targetsFor(request, options)) {
    const view = new TargetView(universe, request, { target, options });
    const queue = view.roots()?.map((root): Step => ('api' in root ? root.api : root.repository));
    const selected = queue && decide(view, { queue, selected: new Map(), owners: [] }, budget);
    if (selected) return { status: 'solved', selected, crossplane: target.version };
  }
  return { status: 'unsolvable' };
}

/** Returns the Crossplane releases to try, most preferred first. */
export function targetsFor(request: Request, options: ResolverOptions): Target[] {
  const text = options.crossplane ?? request.crossplane?.text;
  const exact = text === undefined ? undefined : targetFor(text);
  if (exact) return [exact];
  const releases = newestFirst(
    [...knownReleases(), ...(options.crossplaneVersions ?? [])],
    '3.4.0',
  );
  const constraint = text === undefined ? undefined : parseConstraint(text, '3.4.0');
  if (constraint?.invalid) throw new Error(`\`${text}\` is no Crossplane version`);
  const chosen = constraint
    ? releases.filter((release) => constraint.admits(release))
    : releases.slice(0, 1);
  const stable = chosen.filter(({ prerelease }) => prerelease === '');
  return stable.flatMap(({ raw }) => targetFor(raw) ?? []);
}

/** A decision of the search: the version of a repository, or the owner of an API. */
type Step = string | CrdRef;

/** Number of remaining steps, shared by all branches of a search. */
interface Budget {
  steps: number;
}

/** A branch of the search. */
interface OracleState {
  /** Pending decisions, in order. */
  readonly queue: readonly Step[];
  readonly selected: SelectedVersions;
  /** Owners of the APIs decided so far, each as a requirement on the package. */
  readonly owners: readonly OracleRequirement[];
}

function decide(
  view: TargetView,
  state: OracleState,
  budget: Budget,
): SelectedVersions | undefined {
  const [head, ...queue] = state.queue;
  if (head === undefined)
    return violationsOf(view, state.selected).length === 0 ? state.selected : undefined;
  if (typeof head === 'string' && state.selected.has(head))
    return decide(view, { ...state, queue }, budget);
  const next = { ...state, queue };
  const choices =
    typeof head === 'string' ? versionChoices(view, next, head) : ownerChoices(view, next, head);
  for (const choice of choices) {
    if ((budget.steps -= 1) < 0)
      throw new Error('the universe is too large to search exhaustively');
    if (isHopeless(view, choice)) continue;
    const found = decide(view, choice, budget);
    if (found) return found;
  }
  return undefined;
}

function versionChoices(view: TargetView, state: OracleState, repository: string): OracleState[] {
  return candidateVersions(view, state, repository).map((version) => ({
    ...state,
    selected: new Map([...state.selected, [repository, version]]),
    queue: [...state.queue, ...view.requiredBy(repository, version)],
  }));
}

/** Returns the possible owners of an API: selected packages, then locked ones, then by name. */
function ownerChoices(view: TargetView, state: OracleState, api: CrdRef): OracleState[] {
  const owners = Object.keys(view.universe.packages).sort(byOwnership(view, state.selected));
  return owners.map((repository) => ({
    ...state,
    owners: [
      ...state.owners,
      { by: 'the request', repository, kind: undefined, selector: { form: 'owning', api } },
    ],
    queue: [...state.queue, repository],
  }));
}

/** Compares possible owners of an API: selected packages, then locked ones, then by name. */
export function byOwnership(view: TargetView, selected: SelectedVersions) {
  const rank = (repository: string) =>
    selected.has(repository) ? 0 : lockedVersion(view, repository) === undefined ? 2 : 1;
  return (a: string, b: string) => rank(a) - rank(b) || byCodePoint(a, b);
}

/** Returns whether no addition can make the state valid. */
function isHopeless(view: TargetView, { selected, owners }: OracleState): boolean {
  if (violationsOf(view, selected, 'partial').length > 0) return true;
  const requirements = [...requirementsIn(view, selected, view.roots() ?? []), ...owners];
  const meetsAll = (repository: string, version: string) =>
    requirements.every(
      (r) => r.repository !== repository || view.satisfies(repository, version, r.selector),
    );
  return requirements.some(({ repository }) => {
    const chosen = selected.get(repository);
    const candidates =
      chosen === undefined ? candidateVersions(view, { selected, owners }, repository) : [chosen];
    return !candidates.some((version) => meetsAll(repository, version));
  });
}

/** Returns the possible versions of a repository, most preferred first. */
function candidateVersions(
  view: TargetView,
  state: Pick<OracleState, 'selected' | 'owners'>,
  repository: string,
): string[] {
  const named = requirementsIn(view, state.selected, view.roots() ?? [])
    .filter((requirement) => requirement.repository === repository)
    .flatMap((requirement) => namedVersion(requirement) ?? []);
  return lockedFirst(view, repository, [...new Set([...named, ...releasesOf(view, repository)])]);
}

/** Returns the tag or digest in a requirement, which may be missing from the releases. */
export function namedVersion({ selector }: OracleRequirement): string | undefined {
  if (selector.form === 'tag') return selector.tag;
  return selector.form === 'digest' ? selector.digest : undefined;
}

export function lockedFirst(
  view: TargetView,
  repository: string,
  versions: readonly string[],
): string[] {
  const locked = lockedVersion(view, repository);
  return versions.toSorted((a, b) => Number(b === locked) - Number(a === locked));
}

/** Returns one tag of each version that a range can select, most preferred first. */
export function releasesOf(view: TargetView, repository: string): string[] {
  const { packages } = view.universe;
  const { dialect, skipsIncompleteTags } = view.target.rules;
  const tags = Object.hasOwn(packages, repository)
    ? Object.keys(packages[repository]!.versions)
    : [];
  const versions = newestFirst(tags, dialect)
    .filter((version) => !(skipsIncompleteTags && isIncomplete(version)))
    .filter((version, n, all) => n === 0 || compareVersions(all[n - 1]!, version) !== 0)
    .map(({ raw }) => raw);
  return view.options.prefer === 'lowest' ? versions.reverse() : versions;
}

function newestFirst(texts: readonly string[], dialect: Target['rules']['dialect']): Version[] {
  return [...new Set(texts)]
    .flatMap((text) => parseVersion(text, dialect) ?? [])
    .sort((a, b) => compareVersions(b, a) || byCodePoint(b.raw, a.raw));
}

export function lockedVersion(view: TargetView, repository: string): string | undefined {
  const { prefer = 'locked', locked } = view.options;
  return prefer === 'locked' ? locked?.get(repository) : undefined;
}

/** Returns every repository that the roots depend on, in any version. */
export function reachableRepositories(
  { packages }: IndexFile,
  request: Request,
): ReadonlySet<string> {
  const replaced = (repository: string) =>
    request.replace.find((r) => r.repository === repository)?.with ?? repository;
  const named = (entries: readonly JsonValue[]) => entries.flatMap(repositoriesIn).map(replaced);
  const owners = (api: CrdRef) =>
    Object.keys(packages).filter((repository) =>
      Object.values(packages[repository]!.versions)
        .flatMap(objectsOf)
        .some((object) => definesCrd(object, api)),
    );
  const roots = request.roots.flatMap((root): readonly string[] => {
    switch (root.root) {
      case 'package':
        return [replaced(root.repository)];
      case 'local':
        return named(root.dependsOn.map(({ entry }) => entry));
      case 'crd':
        return owners(root.demand);
    }
  });
  return closure(roots, (repository) =>
    Object.hasOwn(packages, repository)
      ? Object.values(packages[repository]!.versions).flatMap((v) => named(v.dependsOn ?? []))
      : [],
  );
}

function repositoriesIn(entry: JsonValue): string[] {
  if (!isMapping(entry)) return [];
  return Object.entries(entry).flatMap(([key, value]) =>
    ['provider', 'configuration', 'function', 'package'].includes(key) && typeof value === 'string'
      ? [value]
      : [],
  );
}

/**
 * Returns the answer if it needs no backtracking: every package gets the most preferred version
 * that meets the requirements known so far, and no later requirement conflicts with it.
 *
 * Returns undefined otherwise, and if the order of decisions depends on the owner of an API.
 */
export function answerWithoutBacktracking(view: TargetView): SelectedVersions | undefined {
  const roots = view.roots();
  if (roots === undefined || roots.some((root) => 'api' in root)) return undefined;
  const selected = new Map<string, string>();
  const queue = requirementsIn(view, selected, roots).map(({ repository }) => repository);
  for (const repository of queue) {
    if (selected.has(repository)) continue;
    const requirements = requirementsIn(view, selected, roots).filter(
      (r) => r.repository === repository,
    );
    const version = candidateVersions(view, { selected, owners: [] }, repository).find(
      (candidate) =>
        !view.isExcluded(repository, candidate) &&
        !view.isForbidden(repository, candidate) &&
        requirements.every(({ selector }) => view.satisfies(repository, candidate, selector)),
    );
    if (version === undefined) return undefined;
    selected.set(repository, version);
    queue.push(...view.requiredBy(repository, version));
  }
  return violationsOf(view, selected).length === 0 ? selected : undefined;
}
