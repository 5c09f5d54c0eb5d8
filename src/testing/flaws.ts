import { namesHeld } from './reading.js';
import type { Demand, RootDemand, World } from './world.js';

/** One version of each repository. */
export type Selection = ReadonlyMap<string, string>;

/**
 * Every rule that a selection breaks, in words; a valid one breaks none.
 *
 * Of a selection in the making (`partial`) only what no addition can mend is told.
 */
export function flaws(
  world: World,
  selected: Selection,
  stage: 'complete' | 'partial' = 'complete',
): string[] {
  const roots = world.roots();
  if (roots === undefined)
    return ['a package under development has an entry that is no dependency'];
  const demands = demandsIn(world, selected, roots);
  return [
    ...localFlaws(world),
    ...[...selected].flatMap(([repository, version]) => ownFlaws(world, repository, version)),
    ...demands.flatMap((demand) => demandFlaws(world, selected, demand)),
    ...ownershipFlaws(world, selected),
    ...(world.options.allowCycles ? [] : cycleFlaws(world, selected)),
    ...(stage === 'partial' ? [] : incompleteness(world, selected, { roots, demands })),
  ];
}

/** Every demand for a package: the roots' and those of the packages selected. */
export function demandsIn(
  world: World,
  selected: Selection,
  roots: readonly RootDemand[],
): Demand[] {
  return [
    ...roots.filter((root): root is Demand => 'repository' in root),
    ...[...selected].flatMap(([repository, version]) => world.demandsOf(repository, version)),
  ];
}

function localFlaws(world: World): string[] {
  return world
    .locals()
    .filter(({ crossplane }) => !world.admitsTarget(crossplane))
    .map(({ name }) => `${name} does not run on Crossplane ${world.target.version}`);
}

function ownFlaws(world: World, repository: string, version: string): string[] {
  const reading = world.read(repository, version);
  const name = `${repository} ${version}`;
  if (reading === undefined) return [`${name} is missing, or refused`];
  return [
    ...(world.isExcluded(repository, version) ? [`${name} is excluded`] : []),
    ...(world.runsOnTarget(repository, reading)
      ? []
      : [`${name} does not run on Crossplane ${world.target.version}`]),
  ];
}

function demandFlaws(world: World, selected: Selection, demand: Demand): string[] {
  const version = selected.get(demand.repository);
  if (version === undefined) return [];
  const name = `${demand.repository} ${version}`;
  const kind = world.read(demand.repository, version)?.kind;
  return [
    ...(demand.kind === undefined || demand.kind === kind
      ? []
      : [`${name} is a ${kind}, and ${demand.by} wants a ${demand.kind}`]),
    ...(world.satisfies(demand.repository, version, demand.want)
      ? []
      : [`${name} is not what ${demand.by} wants`]),
  ];
}

function ownershipFlaws(world: World, selected: Selection): string[] {
  const holders = new Map<string, string>();
  return world.installs(selected).flatMap(([owner, object]) =>
    namesHeld(object).flatMap((name) => {
      const holder = holders.get(name) ?? owner;
      holders.set(name, holder);
      return holder === owner ? [] : [`${holder} and ${owner} both own ${name}`];
    }),
  );
}

function cycleFlaws(world: World, selected: Selection): string[] {
  const requiredBy = (repository: string) =>
    world
      .demandsOf(repository, selected.get(repository) ?? '')
      .map((demand) => demand.repository)
      .filter((required) => selected.has(required));
  return [...selected.keys()]
    .filter((repository) => reachable(requiredBy(repository), requiredBy).has(repository))
    .map((repository) => `${repository} requires itself in the end`);
}

function incompleteness(
  world: World,
  selected: Selection,
  wanted: { readonly roots: readonly RootDemand[]; readonly demands: readonly Demand[] },
): string[] {
  const unmet = wanted.demands
    .filter(({ repository }) => !selected.has(repository))
    .map(({ by, repository }) => `${by} requires ${repository}, which is not there`);
  return [
    ...unmet,
    ...apiFlaws(world, selected, wanted.roots),
    ...surplus(world, selected, wanted.roots),
  ];
}

function apiFlaws(world: World, selected: Selection, roots: readonly RootDemand[]): string[] {
  return roots
    .filter((root) => 'api' in root)
    .filter(({ api }) => ownersAmong(world, selected, api).length === 0)
    .map(({ api }) => `nothing selected owns ${JSON.stringify(api)}`);
}

function ownersAmong(
  world: World,
  selected: Selection,
  api: Extract<RootDemand, { api: unknown }>['api'],
): string[] {
  return [...selected]
    .filter(([repository, version]) =>
      world.satisfies(repository, version, { form: 'owning', api }),
    )
    .map(([repository]) => repository);
}

function surplus(world: World, selected: Selection, roots: readonly RootDemand[]): string[] {
  const first = roots.flatMap((root) =>
    'api' in root ? ownersAmong(world, selected, root.api) : [root.repository],
  );
  const needed = reachable(first, (repository) =>
    world.demandsOf(repository, selected.get(repository) ?? '').map((demand) => demand.repository),
  );
  return [...selected.keys()]
    .filter((repository) => !needed.has(repository))
    .map((repository) => `nobody requires ${repository}`);
}

/** Everything that can be reached from `first`, itself included. */
export function reachable(
  first: readonly string[],
  next: (from: string) => readonly string[],
): Set<string> {
  const seen = new Set(first);
  for (const from of seen) for (const to of next(from)) seen.add(to);
  return seen;
}
