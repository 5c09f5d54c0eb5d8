import type { Formula, Logic, Solver } from 'logic-solver';
import { byCodePoint } from '../../text/code-point-order.js';
import type { IndexFile } from '../../model/index-file.js';
import type { CrdDemand } from '../../model/crd-demand.js';
import type { Request } from '../../model/request.js';
import { lockedVersion, targets } from './exhaustive.js';
import { reachable } from './flaws.js';
import type { Outcome, ResolverOptions } from '../laws/resolver.js';
import { ALWAYS, encode, giving, type Encoding } from './sat-encoding.js';
import { TargetView } from './target-view.js';

/**
 * The answer to a request, by a SAT solver: for universes too large to try everything in.
 *
 * Packages are decided in queue order, each by its most preferred version with which the rest can
 * still be satisfied. Needs the package `logic-solver`; shares no code with the solver of this one.
 */
export async function satOracle(
  universe: IndexFile,
  request: Request,
  options: ResolverOptions = {},
): Promise<Outcome> {
  const logic = await loadLogic();
  for (const target of targets(request, options)) {
    const world = new TargetView(universe, request, { target, options });
    const selected = choose(world, logic);
    if (selected) return { status: 'solved', selected, crossplane: target.version };
  }
  return { status: 'unsolvable' };
}

async function loadLogic(): Promise<Logic> {
  try {
    return (await import('logic-solver')).default;
  } catch (cause) {
    const message = '`satOracle` needs `logic-solver`: npm install --save-dev logic-solver';
    throw new Error(message, { cause });
  }
}

function choose(world: TargetView, logic: Logic): ReadonlyMap<string, string> | undefined {
  const encoding = encode(world);
  const search = encoding && new Search(world, encoding, logic);
  if (!search?.isSolvable()) return undefined;
  const selected = new Map<string, string>();
  const queue = (world.roots() ?? []).map((root) => ('api' in root ? root.api : root.repository));
  for (const head of queue) {
    if (typeof head !== 'string') queue.push(search.fixOwner(head, selected));
    else if (!selected.has(head)) {
      const version = search.fixVersion(head);
      selected.set(head, version);
      queue.push(...world.demandsOf(head, version).map(({ repository }) => repository));
    }
  }
  return selected;
}

/** A solver that knows a world, and what has been decided in it. */
class Search {
  readonly #world: TargetView;
  readonly #encoding: Encoding;
  readonly #logic: Logic;
  readonly #solver: Solver;
  /** What is true in a solution that agrees with everything decided so far. */
  #model: ReadonlySet<string> = new Set();

  constructor(world: TargetView, encoding: Encoding, logic: Logic) {
    this.#world = world;
    this.#encoding = encoding;
    this.#logic = logic;
    this.#solver = new logic.Solver();
    this.#require();
  }

  #require(): void {
    const { forbidden, implications, exclusive } = this.#encoding;
    const { or, implies, atMostOne } = this.#logic;
    this.#solver.require(ALWAYS);
    this.#solver.forbid(...forbidden);
    for (const { given, wanted } of implications)
      this.#solver.require(implies(given ?? ALWAYS, or(wanted)));
    for (const groups of exclusive)
      this.#solver.require(atMostOne(groups.map((variables) => or(variables))));
  }

  isSolvable(): boolean {
    return this.#admits(ALWAYS);
  }

  /** Decides on the most preferred version there can be, and tells it. */
  fixVersion(repository: string): string {
    const choices = this.#encoding.choices.get(repository) ?? [];
    return this.#fixFirst(
      choices.map(({ variable, version }) => ({ value: version, variables: [variable] })),
    );
  }

  /** Decides who gives an API: a package selected already, one that is locked, any other; by name. */
  fixOwner(api: CrdDemand, selected: ReadonlyMap<string, string>): string {
    const rank = (repository: string) =>
      selected.has(repository) ? 0 : lockedVersion(this.#world, repository) === undefined ? 2 : 1;
    const owners = [...this.#encoding.choices]
      .map(([value, choices]) => ({ value, variables: giving(this.#world, api, choices) }))
      .sort((a, b) => rank(a.value) - rank(b.value) || byCodePoint(a.value, b.value));
    return this.#fixFirst(owners);
  }

  #fixFirst(options: readonly { value: string; variables: readonly string[] }[]): string {
    for (const { value, variables } of options) {
      if (variables.length === 0) continue;
      const one = this.#logic.or(variables);
      if (!variables.some((variable) => this.#model.has(variable)) && !this.#admits(one)) continue;
      this.#solver.require(one);
      return value;
    }
    throw new Error('a solution was found, and now there is none');
  }

  /** Whether there is a solution in which this holds too; if so, it is the model from here on. */
  #admits(formula: Formula): boolean {
    for (;;) {
      const solution = this.#solver.solveAssuming(formula);
      if (solution === null) return false;
      const model = new Set(solution.getTrueVars());
      const cycle = this.#world.options.allowCycles ? undefined : this.#cycleIn(model);
      if (cycle === undefined) {
        this.#model = model;
        return true;
      }
      this.#solver.forbid(this.#logic.and(cycle));
    }
  }

  /** The variables of the packages on a cycle, where there is one. */
  #cycleIn(model: ReadonlySet<string>): string[] | undefined {
    const chosen = new Map(
      [...this.#encoding.choices.values()]
        .flat()
        .filter(({ variable }) => model.has(variable))
        .map((choice) => [choice.repository, choice]),
    );
    const requiredBy = (repository: string) => {
      const version = chosen.get(repository)?.version ?? '';
      const demands = this.#world.demandsOf(repository, version);
      return demands.map((demand) => demand.repository).filter((required) => chosen.has(required));
    };
    const returns = (repository: string) => reachable(requiredBy(repository), requiredBy);
    const start = [...chosen.keys()].find((repository) => returns(repository).has(repository));
    if (start === undefined) return undefined;
    const onCycle = [...returns(start)].filter((repository) => returns(repository).has(start));
    return onCycle.map((repository) => chosen.get(repository)!.variable);
  }
}
