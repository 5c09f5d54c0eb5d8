import type { Formula, Logic, Solver } from 'logic-solver';
import { byOwnership, lockedFirst, namedVersion, releasesOf, targetsFor } from './exhaustive.js';
import { ownedNames } from './reading.js';
import { type OracleRequirement, type OracleRoot, closure, TargetView } from './target-view.js';
import { getOrCreate } from '../../base/collections.js';
import type { CrdRef } from '../../crossplane/packages/crd-ref.js';
import type { Request } from '../../project/inputs/request.js';
import type { IndexFile } from '../../sources/index/index-file.js';
import type { Outcome, ResolverOptions } from '../resolver.js';

// Independent of the solver on purpose. The encoding shares no code with that of the solver.

/**
 * Answers a request with a SAT solver, for universes that are too large for `exhaustive`.
 *
 * Packages are decided in queue order, each by its most preferred version that allows a solution.
 * Needs the package `logic-solver`.
 */
export async function satOracle(
  universe: IndexFile,
  request: Request,
  options: ResolverOptions = {},
): Promise<Outcome> {
  const logic = await loadLogic();
  // A solver needs 64 MiB, and most targets have the same encoding for a request.
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
      queue.push(...view.requiredBy(head, version));
    }
  }
  return selected;
}

/** A SAT solver with the encoding of a view and all decisions. */
class SatSearch {
  readonly #view: TargetView;
  readonly #encoding: Encoding;
  readonly #logic: Logic;
  readonly #solver: Solver;
  /** Variables that are true in a solution of all decisions so far. */
  #model: ReadonlySet<string> = new Set();

  constructor(view: TargetView, encoding: Encoding, logic: Logic) {
    this.#view = view;
    this.#encoding = encoding;
    this.#logic = logic;
    this.#solver = new logic.Solver();
    this.#solver.require(ALWAYS);
    this.#solver.forbid(...encoding.forbidden);
    for (const { given, wanted } of encoding.implications)
      this.#solver.require(logic.implies(given ?? ALWAYS, logic.or(wanted)));
    for (const groups of encoding.exclusive)
      this.#solver.require(logic.atMostOne(groups.map((variables) => logic.or(variables))));
  }

  isSolvable(): boolean {
    return this.#admits(ALWAYS);
  }

  /** Selects the most preferred possible version, and returns it. */
  fixVersion(repository: string): string {
    const choices = this.#encoding.choices.get(repository) ?? [];
    return this.#fixFirst(choices.map(({ variable, version }) => [version, [variable]]));
  }

  /** Selects the most preferred possible owner of an API, and returns it. */
  fixOwner(api: CrdRef, selected: ReadonlyMap<string, string>): string {
    const { choices } = this.#encoding;
    const owners = [...choices.keys()].sort(byOwnership(this.#view, selected));
    return this.#fixFirst(
      owners.map((owner) => [owner, providingVariables(this.#view, api, choices.get(owner)!)]),
    );
  }

  /** Requires one of the variables of the first possible option, and returns the option. */
  #fixFirst(options: readonly (readonly [option: string, variables: readonly string[]])[]): string {
    for (const [option, variables] of options) {
      if (variables.length === 0) continue;
      const one = this.#logic.or(variables);
      if (!variables.some((variable) => this.#model.has(variable)) && !this.#admits(one)) continue;
      this.#solver.require(one);
      return option;
    }
    throw new Error('a solution was found, and now there is none');
  }

  /** Returns whether a solution satisfies `formula` as well. If so, it becomes the model. */
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

  #cycleIn(model: ReadonlySet<string>): string[] | undefined {
    const chosen = new Map(
      [...this.#encoding.choices.values()]
        .flat()
        .filter(({ variable }) => model.has(variable))
        .map((choice) => [choice.repository, choice]),
    );
    const requiredBy = (repository: string) =>
      this.#view
        .requiredBy(repository, chosen.get(repository)?.version)
        .filter((required) => chosen.has(required));
    const returns = (repository: string) => closure(requiredBy(repository), requiredBy);
    const start = [...chosen.keys()].find((repository) => returns(repository).has(repository));
    if (start === undefined) return undefined;
    const onCycle = [...returns(start)].filter((repository) => returns(repository).has(start));
    return onCycle.map((repository) => chosen.get(repository)!.variable);
  }
}

/** A version that may be selected, and its variable. */
interface Choice {
  readonly variable: string;
  readonly repository: string;
  readonly version: string;
}

/** If `given` is true, one of `wanted` is true. Without `given`, one of `wanted` is always true. */
interface Implication {
  readonly given: string | undefined;
  readonly wanted: readonly string[];
}

/** A view in propositional logic. Cycles are forbidden only once a model has one. */
interface Encoding {
  /** Versions by repository, most preferred first. */
  readonly choices: ReadonlyMap<string, readonly Choice[]>;
  readonly forbidden: readonly string[];
  readonly implications: readonly Implication[];
  /** Lists of groups. In each list, only variables of one group may be true. */
  readonly exclusive: readonly (readonly (readonly string[])[])[];
}

/** Returns undefined if a package under development makes every selection invalid. */
function encode(view: TargetView): Encoding | undefined {
  const roots = view.roots();
  if (roots === undefined || localsConflict(view)) return undefined;
  const { choices, requirements } = reachableVersions(view, roots);
  const all = [...choices.values()].flat();
  return {
    choices,
    forbidden: all.filter((choice) => isForbidden(view, choice)).map(({ variable }) => variable),
    implications: [
      ...requirements.map((requirement) =>
        satisfactionOf(view, requirement, choices.get(requirement.repository) ?? []),
      ),
      ...roots.flatMap((root) =>
        'api' in root
          ? [{ given: undefined, wanted: providingVariables(view, root.api, all) }]
          : [],
      ),
      ...onlyIfNamed(view, all, requirements),
    ],
    exclusive: [
      ...[...choices.values()].map((versions) => versions.map(({ variable }) => [variable])),
      ...ownership(view, all),
    ],
  };
}

function providingVariables(view: TargetView, api: CrdRef, choices: readonly Choice[]): string[] {
  return choices
    .filter(({ repository, version }) =>
      view.satisfies(repository, version, { form: 'owning', api }),
    )
    .map(({ variable }) => variable);
}

interface OwnedRequirement extends OracleRequirement {
  /** Variable of the version with the requirement; undefined for a root. */
  readonly requirer: string | undefined;
}

/** Returns all versions that the roots depend on, and all requirements between them. */
function reachableVersions(view: TargetView, roots: readonly OracleRoot[]) {
  const versions = new Map<string, Map<string, Choice>>();
  const requirements: OwnedRequirement[] = [];
  const waiting: Choice[] = [];
  const add = (repository: string, version: string) => {
    getOrCreate(versions.get(repository)!, version, () => {
      const choice = { variable: `${repository} ${version}`, repository, version };
      waiting.push(choice);
      return choice;
    });
  };
  const reach = (repository: string) => {
    if (versions.has(repository)) return;
    versions.set(repository, new Map());
    for (const version of lockedFirst(view, repository, releasesOf(view, repository)))
      add(repository, version);
  };
  const require = (made: OracleRequirement, requirer: string | undefined) => {
    requirements.push({ ...made, requirer });
    reach(made.repository);
    const named = namedVersion(made);
    if (named !== undefined) add(made.repository, named);
  };
  for (const root of roots) {
    if ('repository' in root) require(root, undefined);
    else for (const repository of Object.keys(view.universe.packages)) reach(repository);
  }
  for (let next = waiting.pop(); next; next = waiting.pop())
    for (const made of view.requirementsOf(next.repository, next.version))
      require(made, next.variable);
  const choices = new Map(
    [...versions].map(([repository, known]) => [repository, [...known.values()]]),
  );
  return { choices, requirements };
}

function isForbidden(view: TargetView, { repository, version }: Choice): boolean {
  const reading = view.read(repository, version);
  return (
    reading === undefined ||
    view.isExcluded(repository, version) ||
    view.isForbidden(repository, version) ||
    !view.runsOnTarget(repository, reading)
  );
}

function satisfactionOf(
  view: TargetView,
  requirement: OwnedRequirement,
  choices: readonly Choice[],
): Implication {
  const { requirer, repository, kind, selector } = requirement;
  const wanted = choices.filter(
    ({ version }) =>
      (kind === undefined || view.read(repository, version)?.kind === kind) &&
      view.satisfies(repository, version, selector),
  );
  return { given: requirer, wanted: wanted.map(({ variable }) => variable) };
}

/** Allows a version that is not a release only if a selected requirement names it. */
function onlyIfNamed(
  view: TargetView,
  all: readonly Choice[],
  requirements: readonly OwnedRequirement[],
): Implication[] {
  return all
    .filter(({ repository, version }) => !releasesOf(view, repository).includes(version))
    .flatMap(({ variable, repository, version }) => {
      const by = requirements
        .filter((each) => each.repository === repository && namedVersion(each) === version)
        .map(({ requirer }) => requirer);
      const wanted = by.filter((requirer) => requirer !== undefined);
      return wanted.length < by.length ? [] : [{ given: variable, wanted }];
    });
}

function localsConflict(view: TargetView): boolean {
  const owners = new Map<string, string>();
  return view.locals().some(
    ({ name, crossplane, objects }) =>
      !view.admitsTarget(crossplane) ||
      objects.flatMap(ownedNames).some((ownedName) => {
        const owner = owners.get(ownedName) ?? name;
        owners.set(ownedName, owner);
        return owner !== name;
      }),
  );
}

/** Returns, for each name that only one package may own, the variables of each owner. */
function ownership(view: TargetView, all: readonly Choice[]): string[][][] {
  const holders = new Map<string, Map<string, string[]>>();
  const addOwner = (ownedName: string, owner: string, variable: string | undefined) => {
    const variables = getOrCreate(
      getOrCreate(holders, ownedName, () => new Map()),
      owner,
      () => [],
    );
    if (variable !== undefined) variables.push(variable);
  };
  for (const { repository, version, variable } of all)
    for (const object of view.read(repository, version)?.installs ?? [])
      for (const ownedName of ownedNames(object)) addOwner(ownedName, repository, variable);
  const localNames = new Set(view.locals().flatMap(({ objects }) => objects.flatMap(ownedNames)));
  return [...holders]
    .map(([name, owners]) => [...owners.values(), ...(localNames.has(name) ? [[ALWAYS]] : [])])
    .filter((owners) => owners.length > 1);
}

/** A variable that is always true. Stands for packages under development. */
const ALWAYS = 'a package under development';
