// Independent of solver/ on purpose: it knows no learning and no shortcut that could be wrong.
import { byCodePoint } from '../../text/code-point-order.js';
import { parseConstraint } from '../../semver/constraint.js';
import type { IndexFile } from '../../model/index-file.js';
import type { CrdDemand } from '../../model/crd-demand.js';
import type { Request } from '../../model/request.js';
import { knownReleases, targetFor, type Target } from '../../model/target/target.js';
import { compareVersions, isIncomplete, parseVersion, type Version } from '../../semver/version.js';
import { requirementsIn, flaws, type SelectedVersions } from './flaws.js';
import type { Outcome, ResolverOptions } from '../laws/resolver.js';
import { TargetView, type OracleRequirement } from './target-view.js';

export interface ExhaustiveOptions extends ResolverOptions {
  /** Candidates to try before it is an error: the universe is too large for this. */
  readonly maxSteps?: number | undefined;
}

/**
 * The answer to a request, by trying everything.
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
  for (const target of targetsFor(request, options)) {
    const view = new TargetView(universe, request, { target, options });
    const selected = search(view, budget);
    if (selected) return { status: 'solved', selected, crossplane: target.version };
  }
  return { status: 'unsolvable' };
}

/** The Crossplane releases to try, most preferred first. */
export function targetsFor(request: Request, options: ResolverOptions): Target[] {
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

/** What a step of the search decides: the version of a repository, or the owner of an API. */
type Step = string | CrdDemand;

/** Shared by all branches of a search, so that it counts them together. */
interface Budget {
  steps: number;
}

function search(view: TargetView, budget: Budget): SelectedVersions | undefined {
  const roots = view.roots();
  if (roots === undefined) return undefined;
  const queue = roots.map((root): Step => ('api' in root ? root.api : root.repository));
  return decide(view, { queue, selected: new Map(), owners: [] }, budget);
}

/** A branch of the search. */
interface OracleState {
  /** What is still to be decided, in order. */
  readonly queue: readonly Step[];
  readonly selected: SelectedVersions;
  /** The owners of the APIs decided so far, each as a requirement on the package. */
  readonly owners: readonly OracleRequirement[];
}

function decide(
  view: TargetView,
  state: OracleState,
  budget: Budget,
): SelectedVersions | undefined {
  const [head, ...queue] = state.queue;
  if (head === undefined)
    return flaws(view, state.selected).length === 0 ? state.selected : undefined;
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
    queue: [...state.queue, ...view.requirementsOf(repository, version).map((r) => r.repository)],
  }));
}

/**
 * The owners that an API could have: packages selected already, then locked ones, then all others,
 * by name. The version of the owner is decided when its turn comes, as that of a dependency is.
 */
function ownerChoices(view: TargetView, state: OracleState, api: CrdDemand): OracleState[] {
  const rank = (repository: string) =>
    state.selected.has(repository) ? 0 : lockedVersion(view, repository) === undefined ? 2 : 1;
  const repositories = Object.keys(view.universe.packages).sort(byCodePoint);
  return repositories
    .sort((a, b) => rank(a) - rank(b))
    .map((repository) => ({
      ...state,
      owners: [
        ...state.owners,
        { by: 'the request', repository, kind: undefined, selector: { form: 'owning', api } },
      ],
      queue: [...state.queue, repository],
    }));
}

/** Whether a rule is broken for good, or a required package has no version left. */
function isHopeless(view: TargetView, { selected, owners }: OracleState): boolean {
  if (flaws(view, selected, 'partial').length > 0) return true;
  const requirements = [...requirementsIn(view, selected, view.roots() ?? []), ...owners];
  const meetsAll = (repository: string, version: string) =>
    requirements.every(
      (r) => r.repository !== repository || view.satisfies(repository, version, r.selector),
    );
  return requirements.some(({ repository }) => {
    const chosen = selected.get(repository);
    const left =
      chosen === undefined ? candidateVersions(view, { selected, owners }, repository) : [chosen];
    return !left.some((version) => meetsAll(repository, version));
  });
}

/** The versions of a repository that may be tried, most preferred first. */
export function candidateVersions(
  view: TargetView,
  state: Pick<OracleState, 'selected' | 'owners'>,
  repository: string,
): string[] {
  const named = requirementsIn(view, state.selected, view.roots() ?? [])
    .filter((requirement) => requirement.repository === repository)
    .flatMap(({ selector }) =>
      selector.form === 'tag'
        ? [selector.tag]
        : selector.form === 'digest'
          ? [selector.digest]
          : [],
    );
  return lockedFirst(view, repository, [...new Set([...named, ...releasesOf(view, repository)])]);
}

/** Versions in the order given, the locked one before all others. */
export function lockedFirst(
  view: TargetView,
  repository: string,
  versions: readonly string[],
): string[] {
  const locked = lockedVersion(view, repository);
  return versions.toSorted((a, b) => Number(b === locked) - Number(a === locked));
}

/** Tags that a range can mean, most preferred first; of several spellings of a version the greatest. */
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

/** The locked version, where locked versions are preferred. */
export function lockedVersion(view: TargetView, repository: string): string | undefined {
  const { prefer = 'locked', locked } = view.options;
  return prefer === 'locked' ? locked?.get(repository) : undefined;
}
