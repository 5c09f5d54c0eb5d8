import { byCodePoint } from '../../text/code-point-order.js';
import { parseConstraint } from '../../semver/constraint.js';
import type { IndexFile } from '../../model/index-file.js';
import type { CrdDemand } from '../../model/crd-demand.js';
import type { Request } from '../../model/request.js';
import { knownReleases, targetFor, type Target } from '../../model/target/target.js';
import { compareVersions, isIncomplete, parseVersion, type Version } from '../../semver/version.js';
import { demandsIn, flaws, type SelectedVersions } from './flaws.js';
import type { Outcome, ResolverOptions } from '../laws/resolver.js';
import { TargetView, type OracleRequirement } from './target-view.js';

export interface ExhaustiveOptions extends ResolverOptions {
  /** Candidates to try before it is an error: the universe is too large for this. */
  readonly maxSteps?: number | undefined;
}

/**
 * The answer to a request, by trying everything: no learning, no shortcuts, no code of the solver.
 *
 * Packages are decided in queue order, each by its most preferred version first, and the last
 * decision is taken back first; so the first complete selection met is the one the rules name
 * ("the most preferred version with which everything can still be satisfied", package by package).
 * For small universes only.
 */
export function exhaustive(
  universe: IndexFile,
  request: Request,
  options: ExhaustiveOptions = {},
): Outcome {
  const budget = { steps: options.maxSteps ?? 1_000_000 };
  for (const target of targets(request, options)) {
    const world = new TargetView(universe, request, { target, options });
    const selected = search(world, budget);
    if (selected) return { status: 'solved', selected, crossplane: target.version };
  }
  return { status: 'unsolvable' };
}

/** The Crossplane releases to try, most preferred first. */
export function targets(request: Request, options: ResolverOptions): Target[] {
  const text = options.crossplane ?? request.crossplane?.text;
  const exact = text === undefined ? undefined : targetFor(text);
  if (exact) return [exact];
  const releases = newestFirst(
    [...knownReleases(), ...(options.crossplaneVersions ?? [])],
    '3.4.0',
  );
  const constraint = text === undefined ? undefined : parseConstraint(text, '3.4.0');
  if (constraint === undefined) return targetsOf(releases.slice(0, 1));
  if (constraint.invalid) throw new Error(`\`${text}\` is no Crossplane version`);
  return targetsOf(releases.filter((release) => constraint.admits(release)));
}

function targetsOf(releases: readonly Version[]): Target[] {
  return releases
    .filter(({ prerelease }) => prerelease === '')
    .flatMap(({ raw }) => targetFor(raw) ?? []);
}

/** What is to be decided next: a version of a package, or who is to give an API. */
type Step = string | CrdDemand;

interface Budget {
  steps: number;
}

function search(world: TargetView, budget: Budget): SelectedVersions | undefined {
  const roots = world.roots();
  if (roots === undefined) return undefined;
  const queue = roots.map((root): Step => ('api' in root ? root.api : root.repository));
  return decide(world, { queue, selected: new Map(), owners: [] }, budget);
}

export interface State {
  readonly queue: readonly Step[];
  readonly selected: SelectedVersions;
  /** Who is to give the APIs decided on so far. */
  readonly owners: readonly OracleRequirement[];
}

function decide(world: TargetView, state: State, budget: Budget): SelectedVersions | undefined {
  const [head, ...queue] = state.queue;
  if (head === undefined)
    return flaws(world, state.selected).length === 0 ? state.selected : undefined;
  if (typeof head === 'string' && state.selected.has(head))
    return decide(world, { ...state, queue }, budget);
  const next = { ...state, queue };
  const choices =
    typeof head === 'string' ? versionChoices(world, next, head) : ownerChoices(world, next, head);
  for (const choice of choices) {
    if ((budget.steps -= 1) < 0)
      throw new Error('the universe is too large to search exhaustively');
    if (isHopeless(world, choice)) continue;
    const found = decide(world, choice, budget);
    if (found) return found;
  }
  return undefined;
}

function versionChoices(world: TargetView, state: State, repository: string): State[] {
  return candidates(world, state, repository).map((version) => ({
    ...state,
    selected: new Map([...state.selected, [repository, version]]),
    queue: [...state.queue, ...world.demandsOf(repository, version).map((d) => d.repository)],
  }));
}

/**
 * Who could give an API: a package selected already; else those locked, then the others, by name.
 * The package is decided when its turn comes, as a dependency of the API would be.
 */
function ownerChoices(world: TargetView, state: State, api: CrdDemand): State[] {
  const rank = (repository: string) =>
    state.selected.has(repository) ? 0 : lockedVersion(world, repository) === undefined ? 2 : 1;
  const repositories = Object.keys(world.universe.packages).sort(byCodePoint);
  return repositories
    .sort((a, b) => rank(a) - rank(b))
    .map((repository) => ({
      ...state,
      owners: [
        ...state.owners,
        { by: 'the request', repository, kind: undefined, want: { form: 'owning', api } },
      ],
      queue: [...state.queue, repository],
    }));
}

/** Something is broken already, or some package that is required has no version left. */
function isHopeless(world: TargetView, { selected, owners }: State): boolean {
  if (flaws(world, selected, 'partial').length > 0) return true;
  const demands = [...demandsIn(world, selected, world.roots() ?? []), ...owners];
  const meetsAll = (repository: string, version: string) =>
    demands.every(
      (d) => d.repository !== repository || world.satisfies(repository, version, d.want),
    );
  return demands.some(({ repository }) => {
    const chosen = selected.get(repository);
    const left =
      chosen === undefined ? candidates(world, { selected, owners }, repository) : [chosen];
    return !left.some((version) => meetsAll(repository, version));
  });
}

/** Versions that could be chosen, most preferred first. */
export function candidates(
  world: TargetView,
  state: Pick<State, 'selected' | 'owners'>,
  repository: string,
): string[] {
  const named = demandsIn(world, state.selected, world.roots() ?? [])
    .filter((demand) => demand.repository === repository)
    .flatMap(({ want }) =>
      want.form === 'tag' ? [want.tag] : want.form === 'digest' ? [want.digest] : [],
    );
  const ordered = [...new Set([...named, ...releasesOf(world, repository)])];
  const locked = lockedVersion(world, repository);
  return locked !== undefined && ordered.includes(locked)
    ? [locked, ...ordered.filter((version) => version !== locked)]
    : ordered;
}

/** Tags a range can mean, in the order preferred; of several spellings of one version the greatest. */
export function releasesOf(world: TargetView, repository: string): string[] {
  const { packages } = world.universe;
  const { dialect, skipsIncompleteTags } = world.target.rules;
  const tags = Object.hasOwn(packages, repository)
    ? Object.keys(packages[repository]!.versions)
    : [];
  const versions = newestFirst(tags, dialect)
    .filter((version) => !(skipsIncompleteTags && isIncomplete(version)))
    .filter((version, n, all) => n === 0 || compareVersions(all[n - 1]!, version) !== 0)
    .map(({ raw }) => raw);
  return world.options.prefer === 'lowest' ? versions.reverse() : versions;
}

function newestFirst(texts: readonly string[], dialect: Target['rules']['dialect']): Version[] {
  return [...new Set(texts)]
    .flatMap((text) => parseVersion(text, dialect) ?? [])
    .sort((a, b) => compareVersions(b, a) || byCodePoint(b.raw, a.raw));
}

export function lockedVersion(world: TargetView, repository: string): string | undefined {
  const { prefer = 'locked', locked } = world.options;
  return prefer === 'locked' ? locked?.get(repository) : undefined;
}
