import type { CrdDemand } from '../../model/crd-demand.js';
import { lockedVersion, releasesOf } from './exhaustive.js';
import { namesHeld } from './reading.js';
import type { OracleRequirement, RootDemand, TargetView } from './target-view.js';

/** A version that could be chosen, and the variable that is true where it is. */
export interface Choice {
  readonly variable: string;
  readonly repository: string;
  readonly version: string;
}

/** At least one of `wanted` where `given` is true; `given` undefined: in any case. */
export interface Implication {
  readonly given: string | undefined;
  readonly wanted: readonly string[];
}

/** A world as propositional logic, cycles aside: those are forbidden as they are met. */
export interface Encoding {
  /** By repository, most preferred first. */
  readonly choices: ReadonlyMap<string, readonly Choice[]>;
  readonly forbidden: readonly string[];
  readonly implications: readonly Implication[];
  /** Of the groups in each list, variables of at most one group may be true. */
  readonly exclusive: readonly (readonly (readonly string[])[])[];
}

/** undefined: a package under development stands in the way, whatever is chosen. */
export function encode(world: TargetView): Encoding | undefined {
  const roots = world.roots();
  if (roots === undefined || localsConflict(world)) return undefined;
  const { choices, demands } = everythingWithinReach(world, roots);
  const all = [...choices.values()].flat();
  return {
    choices,
    forbidden: all.filter((choice) => isRuledOut(world, choice)).map(({ variable }) => variable),
    implications: [
      ...demands.map((demand) => meeting(world, demand, choices.get(demand.repository) ?? [])),
      ...roots.flatMap((root) => ('api' in root ? [owning(world, root.api, all)] : [])),
      ...onlyIfNamed(world, all, demands),
    ],
    exclusive: [
      ...[...choices.values()].map((versions) => versions.map(({ variable }) => [variable])),
      ...ownership(world, all),
    ],
  };
}

/** The variables of versions of a repository that give an API. */
export function giving(world: TargetView, api: CrdDemand, choices: readonly Choice[]): string[] {
  return choices
    .filter(({ repository, version }) =>
      world.satisfies(repository, version, { form: 'owning', api }),
    )
    .map(({ variable }) => variable);
}

interface MadeDemand extends OracleRequirement {
  /** Whose it is; undefined: a root's. */
  readonly demander: string | undefined;
}

/** Every version that some choice of versions could lead to, and every demand they make. */
function everythingWithinReach(world: TargetView, roots: readonly RootDemand[]) {
  const versions = new Map<string, Set<string>>();
  const demands: MadeDemand[] = [];
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
    for (const version of preferred(world, repository)) add(repository, version);
  };
  const demand = (made: OracleRequirement, demander: string | undefined) => {
    demands.push({ ...made, demander });
    reach(made.repository);
    const named = namedBy(made);
    if (named !== undefined) add(made.repository, named);
  };
  for (const root of roots) {
    if ('repository' in root) demand(root, undefined);
    else for (const repository of Object.keys(world.universe.packages)) reach(repository);
  }
  for (let next = waiting.pop(); next; next = waiting.pop())
    for (const made of world.demandsOf(next.repository, next.version)) demand(made, next.variable);
  const choices = new Map(
    [...versions].map(([repository, names]) => [
      repository,
      [...names].map((version) => choiceOf(repository, version)),
    ]),
  );
  return { choices, demands };
}

function choiceOf(repository: string, version: string): Choice {
  return { variable: `${repository} ${version}`, repository, version };
}

function preferred(world: TargetView, repository: string): string[] {
  const releases = releasesOf(world, repository);
  const locked = lockedVersion(world, repository);
  return locked !== undefined && releases.includes(locked)
    ? [locked, ...releases.filter((version) => version !== locked)]
    : releases;
}

/** A tag or digest, which need not be among the releases. */
function namedBy({ want }: OracleRequirement): string | undefined {
  return want.form === 'tag' ? want.tag : want.form === 'digest' ? want.digest : undefined;
}

function isRuledOut(world: TargetView, { repository, version }: Choice): boolean {
  const reading = world.read(repository, version);
  return (
    reading === undefined ||
    world.isExcluded(repository, version) ||
    !world.runsOnTarget(repository, reading)
  );
}

function meeting(world: TargetView, demand: MadeDemand, choices: readonly Choice[]): Implication {
  const { demander, repository, kind, want } = demand;
  const wanted = choices.filter(
    ({ version }) =>
      (kind === undefined || world.read(repository, version)?.kind === kind) &&
      world.satisfies(repository, version, want),
  );
  return { given: demander, wanted: wanted.map(({ variable }) => variable) };
}

function owning(world: TargetView, api: CrdDemand, all: readonly Choice[]): Implication {
  return { given: undefined, wanted: giving(world, api, all) };
}

/** What is no release can be chosen only where somebody names it. */
function onlyIfNamed(
  world: TargetView,
  all: readonly Choice[],
  demands: readonly MadeDemand[],
): Implication[] {
  return all
    .filter(({ repository, version }) => !releasesOf(world, repository).includes(version))
    .flatMap(({ variable, repository, version }) => {
      const by = demands
        .filter((demand) => demand.repository === repository && namedBy(demand) === version)
        .map(({ demander }) => demander);
      return by.includes(undefined)
        ? []
        : [{ given: variable, wanted: by.filter((demander) => demander !== undefined) }];
    });
}

function localsConflict(world: TargetView): boolean {
  const owners = new Map<string, string>();
  return world.locals().some(
    ({ name, crossplane, objects }) =>
      !world.admitsTarget(crossplane) ||
      objects.flatMap(namesHeld).some((held) => {
        const owner = owners.get(held) ?? name;
        owners.set(held, owner);
        return owner !== name;
      }),
  );
}

/** For each name that is held in a cluster: the variables of each package that would hold it. */
function ownership(world: TargetView, all: readonly Choice[]): string[][][] {
  const holders = new Map<string, Map<string, string[]>>();
  const holds = (held: string, owner: string, variable: string | undefined) => {
    const owners = holders.get(held) ?? new Map<string, string[]>();
    holders.set(held, owners);
    owners.set(owner, [...(owners.get(owner) ?? []), ...(variable ? [variable] : [])]);
  };
  for (const { repository, version, variable } of all)
    for (const object of world.read(repository, version)?.installs ?? [])
      for (const held of namesHeld(object)) holds(held, repository, variable);
  const localNames = new Set(world.locals().flatMap(({ objects }) => objects.flatMap(namesHeld)));
  return [...holders]
    .map(([held, owners]) => [...owners.values(), ...(localNames.has(held) ? [[ALWAYS]] : [])])
    .filter((owners) => owners.length > 1);
}

/** Stands for what is not chosen and is there: packages under development. */
export const ALWAYS = 'a package under development';
