// Independent of solver/ on purpose: a solver of another kind answers where trying everything takes too long.
import type { Formula, Logic, Solver } from 'logic-solver';
import { byCodePoint } from '../../text/code-point-order.js';
import type { IndexFile } from '../../model/index-file.js';
import type { CrdDemand } from '../../model/crd-demand.js';
import type { Request } from '../../model/request.js';
import { lockedVersion, targetsFor } from './exhaustive.js';
import { reachable } from './flaws.js';
import type { Outcome, ResolverOptions } from '../laws/resolver.js';
import { ALWAYS, encode, giving, type Encoding } from './sat-encoding.js';
import { TargetView } from './target-view.js';

/**
 * The answer to a request, by a SAT solver: for universes too large to try everything in.
 *
 * Packages are decided in queue order, each by its most preferred version with which the rest can
 * still be satisfied. Needs the package `logic-solver`.
 */
export async function satOracle(
  universe: IndexFile,
  request: Request,
  options: ResolverOptions = {},
): Promise<Outcome> {
  const logic = await loadLogic();
  // A solver takes 64 MiB, and most targets differ in nothing that this request is about.
  const refuted = new Set<string>();
  for (const target of targetsFor(request, options)) {
    const view = new TargetView(universe, request, { target, options });
    const encoding = encode(view);
    if (encoding === undefined) continue;
    const text = JSON.stringify({ ...encoding, choices: [...encoding.choices] });
    if (refuted.has(text)) continue;
    const selected = choose(view, encoding, logic);
    if (selected) return { status: 'solved', selected, crossplane: target.version };
    refuted.add(text);
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

function choose(
  view: TargetView,
  encoding: Encoding,
  logic: Logic,
): ReadonlyMap<string, string> | undefined {
  const search = new SatSearch(view, encoding, logic);
  if (!search.isSolvable()) return undefined;
  const selected = new Map<string, string>();
  const queue = (view.roots() ?? []).map((root) => ('api' in root ? root.api : root.repository));
  for (const head of queue) {
    if (typeof head !== 'string') queue.push(search.fixOwner(head, selected));
    else if (!selected.has(head)) {
      const version = search.fixVersion(head);
      selected.set(head, version);
      queue.push(...view.requirementsOf(head, version).map(({ repository }) => repository));
    }
  }
  return selected;
}

/** A SAT solver that has been told the encoding of a view, and every decision since. */
class SatSearch {
  readonly #view: TargetView;
  readonly #encoding: Encoding;
  readonly #logic: Logic;
  readonly #solver: Solver;
  /** Variables that are true in one solution with everything decided so far. */
  #model: ReadonlySet<string> = new Set();

  constructor(view: TargetView, encoding: Encoding, logic: Logic) {
    this.#view = view;
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

  /** Decides on the most preferred version that is possible, and returns it. */
  fixVersion(repository: string): string {
    const choices = this.#encoding.choices.get(repository) ?? [];
    return this.#fixFirst(
      choices.map(({ variable, version }) => ({ value: version, variables: [variable] })),
    );
  }

  /** Decides on the owner of an API: one selected already, else one locked, else any; by name. */
  fixOwner(api: CrdDemand, selected: ReadonlyMap<string, string>): string {
    const rank = (repository: string) =>
      selected.has(repository) ? 0 : lockedVersion(this.#view, repository) === undefined ? 2 : 1;
    const owners = [...this.#encoding.choices]
      .map(([value, choices]) => ({ value, variables: giving(this.#view, api, choices) }))
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

  /** Whether there is a solution in which this holds too; if so, it becomes the model. */
  #admits(formula: Formula): boolean {
    for (;;) {
      const solution = this.#solver.solveAssuming(formula);
      if (solution === null) return false;
      const model = new Set(solution.getTrueVars());
      const cycle = this.#view.options.allowCycles ? undefined : this.#cycleIn(model);
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
      const requirements = this.#view.requirementsOf(repository, version);
      return requirements.map((each) => each.repository).filter((required) => chosen.has(required));
    };
    const returns = (repository: string) => reachable(requiredBy(repository), requiredBy);
    const start = [...chosen.keys()].find((repository) => returns(repository).has(repository));
    if (start === undefined) return undefined;
    const onCycle = [...returns(start)].filter((repository) => returns(repository).has(start));
    return onCycle.map((repository) => chosen.get(repository)!.variable);
  }
}
