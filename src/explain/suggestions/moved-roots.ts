import type { Driver } from '../../driver/driver.js';
import { formatOrigin } from '../../model/input-error.js';
import { ANY, selectorText, type Selector } from '../../model/selector.js';
import type { Target } from '../../model/target/target.js';
import { parseConstraint } from '../../semver/constraint.js';
import { isBelow, nearestFirst } from '../../semver/nearest-first.js';
import { parseVersion } from '../../semver/version.js';
import { effectiveRepository } from '../../solver/effective.js';
import type { Problem, RootPackage } from '../../solver/problem.js';
import type { Proof, Solution } from '../../solver/search-result.js';
import { proofFacts } from '../proof-facts.js';
import type { Suggestion } from '../refusal.js';
import { hittingSets } from './hitting-sets.js';
import { versionIn, type Stuck } from './proposal.js';
import type { Trials } from './trials.js';

/** How many sets of roots are tried to find one of the fewest. */
const MAX_SETS_TRIED = 40;
/** How many ways to move roots are worth reading. */
const MAX_MOVES = 2;

/** A root that takes a version it does not ask for. */
interface MovedRoot {
  readonly place: number;
  readonly root: RootPackage;
  readonly version: string;
}

/** Roots that move, each to the version nearest to what it asks for. */
interface Move {
  readonly roots: readonly MovedRoot[];
  /** How many move downwards; how many versions all of them pass over. */
  readonly cost: readonly [down: number, passed: number];
}

/**
 * Finds the fewest roots that must ask for other versions so that everything can be satisfied, and
 * the nearest versions that will do.
 *
 * With every root relaxed, either there is an answer or no choice of versions helps. If there is:
 * every proof that some roots cannot stay as they are names roots of which one has to move. So sets
 * of roots that hit all proofs known are relaxed, smallest first, until one of them has an answer;
 * each that has none yields a further proof. Should that take too long, the roots that moved when
 * all were relaxed stand.
 */
export class MovedRoots {
  readonly #stuck: Stuck;
  readonly #trials: Trials;
  readonly #driver: Driver;

  constructor(stuck: Stuck, trials: Trials, driver: Driver) {
    this.#stuck = stuck;
    this.#trials = trials;
    this.#driver = driver;
  }

  /** The best ways, each with the fewest roots moved; none: no versions of the roots go together. */
  async find(): Promise<readonly Suggestion[]> {
    const movable = this.#movable();
    if (movable.length === 0) return [];
    const whole = await this.#relaxing(movable);
    if (whole === undefined || 'because' in whole) return [];
    const moves = await this.#fewest(whole, new Set(movable));
    moves.sort((a, b) => a.cost[0] - b.cost[0] || a.cost[1] - b.cost[1]);
    const found: Suggestion[] = [];
    for (const move of moves) {
      const limit = move.roots.length > 1 ? 1 : MAX_MOVES;
      if (found.length === limit) break;
      const suggestion = await this.#proven(move.roots);
      if (suggestion !== undefined) found.push(suggestion);
    }
    return found;
  }

  /** Places of the roots whose own words decide what they get. */
  #movable(): number[] {
    const { problem } = this.#stuck;
    return problem.roots.flatMap((root, place) => {
      if (root.requires !== 'package' || selectorText(root.selector) === selectorText(ANY))
        return [];
      return problem.overrides.has(effectiveRepository(problem, root.repository)) ? [] : [place];
    });
  }

  /** What comes of relaxing these roots; undefined: it was not found out. */
  async #relaxing(places: readonly number[]): Promise<Move | Proof | undefined> {
    const { problem, targets } = this.#stuck;
    const relaxed = withRoots(problem, (root, place) =>
      places.includes(place) ? { ...root, isRelaxed: true } : root,
    );
    const result = await this.#trials.attempt(relaxed, targets);
    if (result?.status === 'unsolvable') return result;
    return result?.status === 'solved' ? this.#move(places, result, targets[0]!) : undefined;
  }

  async #fewest(whole: Move, movable: ReadonlySet<number>): Promise<Move[]> {
    const cores = [rootsIn(this.#stuck.proof, movable)];
    const tried = new Set<string>();
    for (let size = 1; size <= whole.roots.length; size++) {
      const moves: Move[] = [];
      for (const places of hittingSets(cores, size)) {
        const key = places.toSorted((a, b) => a - b).join();
        if (tried.has(key)) continue;
        if (tried.size === MAX_SETS_TRIED) return moves.length > 0 ? moves : [whole];
        tried.add(key);
        const outcome = await this.#relaxing(places);
        if (outcome === undefined) continue;
        if ('because' in outcome) {
          const others = new Set(movable);
          for (const place of places) others.delete(place);
          cores.push(rootsIn(outcome, others));
        } else moves.push(outcome);
      }
      if (moves.length > 0) return moves;
    }
    return [whole];
  }

  async #move(places: readonly number[], solution: Solution, target: Target): Promise<Move> {
    const { problem } = this.#stuck;
    const { dialect } = problem;
    const roots: MovedRoot[] = [];
    let [down, passed] = [0, 0];
    for (const place of places.toSorted((a, b) => a - b)) {
      const root = problem.roots[place] as RootPackage;
      const repository = effectiveRepository(problem, root.repository);
      const version = versionIn(solution, repository);
      if (version === undefined || meets(version, root, problem)) continue;
      roots.push({ place, root, version });
      const tags = (await this.#driver.tagsIfListed(repository, target)) ?? [];
      const published = tags.flatMap((tag) => parseVersion(tag, dialect) ?? []);
      const left = { asked: selectorText(root.selector), dialect };
      const at = nearestFirst(published, left).findIndex(({ raw }) => raw === version);
      passed += Math.max(at, 0);
      const parsed = parseVersion(version, dialect);
      if (parsed !== undefined && isBelow(parsed, published, left)) down++;
    }
    return { roots, cost: [down, passed] };
  }

  /** A move in words that solve, the widest that one would write first. */
  async #proven(moved: readonly MovedRoot[]): Promise<Suggestion | undefined> {
    const { problem, targets } = this.#stuck;
    for (const operator of ['^', '>=', '']) {
      const asked = new Map(
        moved.map((one) => [one.place, selectorFor(one, operator, problem)] as const),
      );
      if ([...asked.values()].includes(undefined)) continue;
      const changed = withRoots(problem, (root, place) => ({
        ...root,
        selector: asked.get(place) ?? root.selector,
      }));
      const result = await this.#trials.attempt(changed, targets);
      if (result?.status === 'solved') return suggestionOf(moved, asked);
    }
    return undefined;
  }
}

function withRoots(
  problem: Problem,
  change: (root: RootPackage, place: number) => RootPackage,
): Problem {
  const roots = problem.roots.map((root, place) =>
    root.requires === 'package' ? change(root, place) : root,
  );
  return { ...problem, roots };
}

/** Which of some roots a proof rests on. */
function rootsIn(proof: Proof, places: ReadonlySet<number>): number[] {
  const found = proofFacts(proof).flatMap((fact) =>
    fact.fact === 'root' ? [proof.encoder.rootIndex(fact.root)] : [],
  );
  return [...new Set(found)].filter((place) => places.has(place)).sort((a, b) => a - b);
}

function meets(version: string, root: RootPackage, { dialect, prereleases }: Problem): boolean {
  const { selector, repository } = root;
  if (selector.form !== 'range') return selectorText(selector) === version;
  const constraint = parseConstraint(selector.text, dialect);
  const parsed = parseVersion(version, dialect);
  const options = { prereleases: prereleases.has(repository) };
  return !constraint.invalid && parsed !== undefined && constraint.admits(parsed, options);
}

/** undefined: the range would not admit the version. */
function selectorFor(
  { root, version }: MovedRoot,
  operator: string,
  { dialect }: Problem,
): Selector | undefined {
  if (root.takesNoRange === true) return { form: 'tag', tag: version };
  const text = `${operator}${version}`;
  const constraint = parseConstraint(text, dialect);
  if (constraint.invalid) return operator === '' ? { form: 'tag', tag: version } : undefined;
  const parsed = parseVersion(version, dialect);
  return parsed && constraint.admits(parsed) ? { form: 'range', text } : undefined;
}

function suggestionOf(
  moved: readonly MovedRoot[],
  asked: ReadonlyMap<number, Selector | undefined>,
): Suggestion {
  const parts = moved.map(({ place, root }) => {
    const { repository, selector, origin } = root;
    const version = selectorText(asked.get(place)!);
    const text = `${repository} \`${version}\` instead of \`${selectorText(selector)}\` (${formatOrigin(origin)})`;
    return { text, edit: { edit: 'version', at: origin, repository, version } as const };
  });
  return {
    text: `ask for ${parts.map(({ text }) => text).join(', and for ')}`,
    edits: parts.map(({ edit }) => edit),
  };
}
