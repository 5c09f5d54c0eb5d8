import { joinedChange, meets, type SolvedChange, type SuggestionContext } from './proposal.js';
import type { Trials } from './trials.js';
import { formatOrigin } from '../../base/errors.js';
import {
  ANY,
  isBelow,
  nearestFirst,
  parseConstraint,
  type Selector,
  selectorText,
} from '../../crossplane/constraints/constraint.js';
import { parseVersion } from '../../crossplane/constraints/version.js';
import type { Driver } from '../driver/driver.js';
import { factsOf, type Proof, type Solution, versionIn } from '../solver/search-result.js';
import {
  effectiveRepository,
  type Problem,
  type RootPackage,
  withRoots,
} from '../solver/problem.js';

/** Maximum number of root sets that are tried in order to find a smallest one. */
const MAX_SETS_TRIED = 40;
/** Maximum number of suggestions that move roots. */
const MAX_MOVES = 2;

/** A root at a version that it does not require. */
interface MovedRoot {
  /** Index into the roots of the problem. */
  readonly index: number;
  readonly root: RootPackage;
  readonly version: string;
}

/** Roots that move, each to the version nearest to the required one. */
interface Move {
  readonly roots: readonly MovedRoot[];
  /** Number of roots that move down, and number of nearer versions that are skipped. */
  readonly cost: readonly [down: number, skipped: number];
}

interface MoveContext extends SuggestionContext {
  readonly trials: Trials;
  readonly driver: Driver;
}

/**
 * Finds the fewest roots that must require other versions so that everything can be satisfied, and
 * the nearest versions that work. Returns the best moves; empty if no versions of the roots work
 * together.
 *
 * The search first relaxes every root. If that has no solution, no choice of versions helps. Each
 * proof that some roots cannot keep their versions names roots: at least one of them has to move.
 * So the search relaxes sets of roots that hit every known proof, smallest sets first, until one
 * has a solution. A set without a solution yields another proof. If the search takes too long, the
 * result is the roots that moved when all were relaxed.
 */
export async function movedRoots(context: MoveContext): Promise<readonly SolvedChange[]> {
  const movable = movableRoots(context);
  if (movable.length === 0) return [];
  const all = await relax(movable, context);
  if (all === undefined || 'because' in all) return [];
  const moves = await fewest(all, new Set(movable), context);
  moves.sort((a, b) => a.cost[0] - b.cost[0] || a.cost[1] - b.cost[1]);
  const found: SolvedChange[] = [];
  for (const { roots } of moves) {
    if (found.length === (roots.length > 1 ? 1 : MAX_MOVES)) break;
    const proven = await provenMove(roots, context);
    if (proven !== undefined) found.push(proven);
  }
  return found;
}

/** Returns indexes of the roots whose own selector restricts their version. */
function movableRoots({ problem }: SuggestionContext): number[] {
  return problem.roots.flatMap((root, index) => {
    if (root.requires !== 'package' || root.isNamed === true) return [];
    if (selectorText(root.selector) === selectorText(ANY)) return [];
    return problem.overrides.has(effectiveRepository(problem, root.repository)) ? [] : [index];
  });
}

/** Returns a move of some of these roots, or a proof that there is none; undefined: unknown. */
async function relax(
  indexes: readonly number[],
  context: MoveContext,
): Promise<Move | Proof | undefined> {
  const relaxed = withRoots(context.problem, (_, index) =>
    indexes.includes(index) ? { isRelaxed: true } : undefined,
  );
  const result = await context.trials.attempt(relaxed, context.targets);
  if (result?.status === 'unsolvable') return result;
  return result?.status === 'solved' ? moveIn(result, indexes, context) : undefined;
}

async function fewest(
  allRelaxed: Move,
  movable: ReadonlySet<number>,
  context: MoveContext,
): Promise<Move[]> {
  const cores = [rootIndexesIn(context.proof, movable)];
  const triedSets = new Set<string>();
  for (let size = 1; size <= allRelaxed.roots.length; size++) {
    const moves: Move[] = [];
    for (const indexes of hittingSets(cores, size)) {
      const key = indexes.toSorted((a, b) => a - b).join();
      if (triedSets.has(key)) continue;
      if (triedSets.size === MAX_SETS_TRIED) return moves.length > 0 ? moves : [allRelaxed];
      triedSets.add(key);
      const outcome = await relax(indexes, context);
      if (outcome === undefined) continue;
      if ('because' in outcome) {
        const others = new Set(movable);
        for (const index of indexes) others.delete(index);
        cores.push(rootIndexesIn(outcome, others));
      } else moves.push(outcome);
    }
    if (moves.length > 0) return moves;
  }
  return [allRelaxed];
}

/** Returns the move of these roots to their versions in a solution. */
async function moveIn(
  solution: Solution,
  indexes: readonly number[],
  { problem, targets, driver }: MoveContext,
): Promise<Move> {
  const { dialect } = problem;
  const target = targets[0]!;
  const roots: MovedRoot[] = [];
  let [down, skipped] = [0, 0];
  for (const index of indexes.toSorted((a, b) => a - b)) {
    const root = problem.roots[index] as RootPackage;
    const repository = effectiveRepository(problem, root.repository);
    const version = versionIn(solution, repository);
    if (version === undefined || meets(version, root, problem, target)) continue;
    roots.push({ index, root, version });
    const tags = (await driver.tagsIfListed(repository, target)) ?? [];
    const published = tags.flatMap((tag) => parseVersion(tag, dialect) ?? []);
    const required = { text: selectorText(root.selector), dialect };
    const position = nearestFirst(published, required).findIndex(({ raw }) => raw === version);
    skipped += Math.max(position, 0);
    const parsed = parseVersion(version, dialect);
    if (parsed !== undefined && isBelow(parsed, published, required)) down++;
  }
  return { roots, cost: [down, skipped] };
}

/** Solves a move with the widest selectors that work; undefined if none works. */
async function provenMove(
  moved: readonly MovedRoot[],
  { problem, targets, trials }: MoveContext,
): Promise<SolvedChange | undefined> {
  for (const operator of ['^', '>=', '']) {
    const moves = moved.flatMap((one) => {
      const selector = selectorFor(one, operator, problem);
      return selector === undefined ? [] : [{ ...one, selector }];
    });
    if (moves.length < moved.length) continue;
    const changed = withRoots(problem, (root, index) => ({
      selector: moves.find((one) => one.index === index)?.selector ?? root.selector,
    }));
    const solution = await trials.attempt(changed, targets);
    if (solution?.status !== 'solved') continue;
    const change = joinedChange(moves.map(movePart));
    return { change, solution, problem: changed, target: targets[solution.release]! };
  }
  return undefined;
}

/** Returns sorted indexes of those roots on which a proof rests. */
function rootIndexesIn(proof: Proof, indexes: ReadonlySet<number>): number[] {
  const found = factsOf(proof, 'root').map(({ root }) => proof.subjects.rootIndex(root));
  return [...new Set(found)].filter((index) => indexes.has(index)).sort((a, b) => a - b);
}

/** Returns a selector that admits the version; undefined if the range would not. */
function selectorFor(
  { root, version }: MovedRoot,
  operator: string,
  { dialect }: Problem,
): Selector | undefined {
  if (root.rejectsRanges === true) return { form: 'tag', tag: version };
  const text = `${operator}${version}`;
  const constraint = parseConstraint(text, dialect);
  if (constraint.invalid) return operator === '' ? { form: 'tag', tag: version } : undefined;
  const parsed = parseVersion(version, dialect);
  return parsed && constraint.admits(parsed) ? { form: 'range', text } : undefined;
}

function movePart({ root, selector }: MovedRoot & { readonly selector: Selector }) {
  const { repository, origin } = root;
  const version = selectorText(selector);
  const text = `${repository} \`${version}\` instead of \`${selectorText(root.selector)}\` (${formatOrigin(origin)})`;
  return { text, edit: { edit: 'version', at: origin, repository, version } as const };
}

/**
 * Yields sets of at most `size` numbers that share a member with each of `sets`. Earlier members
 * are tried first. The caller may add to `sets` meanwhile: all later results hit the added sets too.
 */
export function* hittingSets(
  sets: readonly (readonly number[])[],
  size: number,
  chosen: readonly number[] = [],
): Generator<readonly number[]> {
  const setNotHit = sets.find((set) => !set.some((member) => chosen.includes(member)));
  if (setNotHit === undefined) yield chosen;
  else if (size > 0) {
    for (const member of setNotHit) yield* hittingSets(sets, size - 1, [...chosen, member]);
  }
}
