// Independent of solver/ on purpose: the encoding for a SAT solver shares nothing with its encoder.
import type { CrdDemand } from '../../model/crd-demand.js';
import { lockedFirst, releasesOf } from './exhaustive.js';
import { namesHeld } from './reading.js';
import type { OracleRequirement, OracleRoot, TargetView } from './target-view.js';

/** A version that may be selected, and the variable that is true where it is. */
interface Choice {
  readonly variable: string;
  readonly repository: string;
  readonly version: string;
}

/** If `given` is true, so is one of `wanted`; `given` undefined: one of them is in any case. */
interface Implication {
  readonly given: string | undefined;
  readonly wanted: readonly string[];
}

/** A view as propositional logic, without cycles: `satOracle` forbids each when a model has it. */
export interface Encoding {
  /** By repository, most preferred first. */
  readonly choices: ReadonlyMap<string, readonly Choice[]>;
  readonly forbidden: readonly string[];
  readonly implications: readonly Implication[];
  /** Of the groups in each list, variables of at most one group may be true. */
  readonly exclusive: readonly (readonly (readonly string[])[])[];
}

/** undefined: a package under development rules every selection out. */
export function encode(view: TargetView): Encoding | undefined {
  const roots = view.roots();
  if (roots === undefined || localsConflict(view)) return undefined;
  const { choices, requirements } = everythingWithinReach(view, roots);
  const all = [...choices.values()].flat();
  return {
    choices,
    forbidden: all.filter((choice) => isRuledOut(view, choice)).map(({ variable }) => variable),
    implications: [
      ...requirements.map((requirement) =>
        meeting(view, requirement, choices.get(requirement.repository) ?? []),
      ),
      ...roots.flatMap((root) => ('api' in root ? [owning(view, root.api, all)] : [])),
      ...onlyIfNamed(view, all, requirements),
    ],
    exclusive: [
      ...[...choices.values()].map((versions) => versions.map(({ variable }) => [variable])),
      ...ownership(view, all),
    ],
  };
}

/** The variables of versions of a repository that give an API. */
export function giving(view: TargetView, api: CrdDemand, choices: readonly Choice[]): string[] {
  return choices
    .filter(({ repository, version }) =>
      view.satisfies(repository, version, { form: 'owning', api }),
    )
    .map(({ variable }) => variable);
}

interface MadeRequirement extends OracleRequirement {
  /** Variable of the version that has it; undefined: a root has it. */
  readonly requirer: string | undefined;
}

/** Every version that dependencies lead to from the roots, and every requirement on the way. */
function everythingWithinReach(view: TargetView, roots: readonly OracleRoot[]) {
  const versions = new Map<string, Set<string>>();
  const requirements: MadeRequirement[] = [];
  const waiting: Choice[] = [];
  const add = (repository: string, version: string) => {
    const known = versions.get(repository)!;
    if (known.has(version)) return;
    known.add(version);
    waiting.push(choiceOf(repository, version));
  };
  const reach = (repository: string) => {
    if (versions.has(repository)) return;
    versions.set(repository, new Set());
    for (const version of lockedFirst(view, repository, releasesOf(view, repository)))
      add(repository, version);
  };
  const require = (made: OracleRequirement, requirer: string | undefined) => {
    requirements.push({ ...made, requirer });
    reach(made.repository);
    const named = namedBy(made);
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
    [...versions].map(([repository, names]) => [
      repository,
      [...names].map((version) => choiceOf(repository, version)),
    ]),
  );
  return { choices, requirements };
}

function choiceOf(repository: string, version: string): Choice {
  return { variable: `${repository} ${version}`, repository, version };
}

/** The tag or digest that a requirement names, which need not be among the releases. */
function namedBy({ selector }: OracleRequirement): string | undefined {
  return selector.form === 'tag'
    ? selector.tag
    : selector.form === 'digest'
      ? selector.digest
      : undefined;
}

function isRuledOut(view: TargetView, { repository, version }: Choice): boolean {
  const reading = view.read(repository, version);
  return (
    reading === undefined ||
    view.isExcluded(repository, version) ||
    view.isForbidden(repository, version) ||
    !view.runsOnTarget(repository, reading)
  );
}

function meeting(
  view: TargetView,
  requirement: MadeRequirement,
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

function owning(view: TargetView, api: CrdDemand, all: readonly Choice[]): Implication {
  return { given: undefined, wanted: giving(view, api, all) };
}

/** A version that is no release is selected only where a requirement names it. */
function onlyIfNamed(
  view: TargetView,
  all: readonly Choice[],
  requirements: readonly MadeRequirement[],
): Implication[] {
  return all
    .filter(({ repository, version }) => !releasesOf(view, repository).includes(version))
    .flatMap(({ variable, repository, version }) => {
      const by = requirements
        .filter(
          (requirement) =>
            requirement.repository === repository && namedBy(requirement) === version,
        )
        .map(({ requirer }) => requirer);
      return by.includes(undefined)
        ? []
        : [{ given: variable, wanted: by.filter((requirer) => requirer !== undefined) }];
    });
}

function localsConflict(view: TargetView): boolean {
  const owners = new Map<string, string>();
  return view.locals().some(
    ({ name, crossplane, objects }) =>
      !view.admitsTarget(crossplane) ||
      objects.flatMap(namesHeld).some((held) => {
        const owner = owners.get(held) ?? name;
        owners.set(held, owner);
        return owner !== name;
      }),
  );
}

/** For each name that one object of a cluster holds: the variables of each package that has it. */
function ownership(view: TargetView, all: readonly Choice[]): string[][][] {
  const holders = new Map<string, Map<string, string[]>>();
  const holds = (held: string, owner: string, variable: string | undefined) => {
    const owners = holders.get(held) ?? new Map<string, string[]>();
    holders.set(held, owners);
    owners.set(owner, [...(owners.get(owner) ?? []), ...(variable ? [variable] : [])]);
  };
  for (const { repository, version, variable } of all)
    for (const object of view.read(repository, version)?.installs ?? [])
      for (const held of namesHeld(object)) holds(held, repository, variable);
  const localNames = new Set(view.locals().flatMap(({ objects }) => objects.flatMap(namesHeld)));
  return [...holders]
    .map(([held, owners]) => [...owners.values(), ...(localNames.has(held) ? [[ALWAYS]] : [])])
    .filter((owners) => owners.length > 1);
}

/** A variable that is always true: stands for packages under development. */
export const ALWAYS = 'a package under development';
