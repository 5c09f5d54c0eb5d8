import { namesHeld } from './reading.js';
import type { OracleRequirement, RootDemand, TargetView } from './target-view.js';

/** One version of each repository. */
export type SelectedVersions = ReadonlyMap<string, string>;

/** A rule that a selection breaks. */
export interface Flaw {
  readonly rule:
    | 'absent'
    | 'excluded'
    | 'crossplane'
    | 'kind'
    | 'version'
    | 'ownership'
    | 'cycle'
    | 'unmet'
    | 'surplus';
  /** How, in words. */
  readonly text: string;
}

/**
 * Every rule that a selection breaks; a valid one breaks none.
 *
 * Of a selection in the making (`partial`) only what no addition can mend is told.
 */
export function flaws(
  world: TargetView,
  selected: SelectedVersions,
  stage: 'complete' | 'partial' = 'complete',
): Flaw[] {
  const roots = world.roots();
  if (roots === undefined)
    return [
      { rule: 'unmet', text: 'a package under development has an entry that is no dependency' },
    ];
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
  world: TargetView,
  selected: SelectedVersions,
  roots: readonly RootDemand[],
): OracleRequirement[] {
  return [
    ...roots.filter((root): root is OracleRequirement => 'repository' in root),
    ...[...selected].flatMap(([repository, version]) => world.demandsOf(repository, version)),
  ];
}

function localFlaws(world: TargetView): Flaw[] {
  return world
    .locals()
    .filter(({ crossplane }) => !world.admitsTarget(crossplane))
    .map(({ name }) => refusesTarget(world, name));
}

function ownFlaws(world: TargetView, repository: string, version: string): Flaw[] {
  const reading = world.read(repository, version);
  const name = `${repository} ${version}`;
  if (reading === undefined) return [{ rule: 'absent', text: `${name} is missing, or refused` }];
  return [
    ...(world.isExcluded(repository, version) ? [excludes(name)] : []),
    ...(world.runsOnTarget(repository, reading) ? [] : [refusesTarget(world, name)]),
  ];
}

function excludes(name: string): Flaw {
  return { rule: 'excluded', text: `${name} is excluded` };
}

function refusesTarget({ target }: TargetView, name: string): Flaw {
  return { rule: 'crossplane', text: `${name} does not run on Crossplane ${target.version}` };
}

function demandFlaws(
  world: TargetView,
  selected: SelectedVersions,
  demand: OracleRequirement,
): Flaw[] {
  const version = selected.get(demand.repository);
  if (version === undefined) return [];
  const name = `${demand.repository} ${version}`;
  const kind = world.read(demand.repository, version)?.kind;
  const found: Flaw[] = [];
  if (demand.kind !== undefined && demand.kind !== kind) {
    const text = `${name} is a ${kind}, and ${demand.by} wants a ${demand.kind}`;
    found.push({ rule: 'kind', text });
  }
  if (!world.satisfies(demand.repository, version, demand.want))
    found.push({ rule: 'version', text: `${name} is not what ${demand.by} wants` });
  return found;
}

function ownershipFlaws(world: TargetView, selected: SelectedVersions): Flaw[] {
  const holders = new Map<string, string>();
  return world.installs(selected).flatMap(([owner, object]) =>
    namesHeld(object).flatMap((name): Flaw[] => {
      const holder = holders.get(name) ?? owner;
      holders.set(name, holder);
      if (holder === owner) return [];
      return [{ rule: 'ownership', text: `${holder} and ${owner} both own ${name}` }];
    }),
  );
}

function cycleFlaws(world: TargetView, selected: SelectedVersions): Flaw[] {
  const requiredBy = (repository: string) =>
    world
      .demandsOf(repository, selected.get(repository) ?? '')
      .map((demand) => demand.repository)
      .filter((required) => selected.has(required));
  return [...selected.keys()]
    .filter((repository) => reachable(requiredBy(repository), requiredBy).has(repository))
    .map((repository) => ({ rule: 'cycle', text: `${repository} requires itself in the end` }));
}

function incompleteness(
  world: TargetView,
  selected: SelectedVersions,
  wanted: { readonly roots: readonly RootDemand[]; readonly demands: readonly OracleRequirement[] },
): Flaw[] {
  const unmet = wanted.demands
    .filter(({ repository }) => !selected.has(repository))
    .map(({ by, repository }): Flaw => {
      return { rule: 'unmet', text: `${by} requires ${repository}, which is not there` };
    });
  return [
    ...unmet,
    ...apiFlaws(world, selected, wanted.roots),
    ...surplus(world, selected, wanted.roots),
  ];
}

function apiFlaws(
  world: TargetView,
  selected: SelectedVersions,
  roots: readonly RootDemand[],
): Flaw[] {
  return roots
    .filter((root) => 'api' in root)
    .filter(({ api }) => ownersAmong(world, selected, api).length === 0)
    .map(({ api }) => ({ rule: 'unmet', text: `nothing selected owns ${JSON.stringify(api)}` }));
}

function ownersAmong(
  world: TargetView,
  selected: SelectedVersions,
  api: Extract<RootDemand, { api: unknown }>['api'],
): string[] {
  return [...selected]
    .filter(([repository, version]) =>
      world.satisfies(repository, version, { form: 'owning', api }),
    )
    .map(([repository]) => repository);
}

function surplus(
  world: TargetView,
  selected: SelectedVersions,
  roots: readonly RootDemand[],
): Flaw[] {
  const first = roots.flatMap((root) =>
    'api' in root ? ownersAmong(world, selected, root.api) : [root.repository],
  );
  const needed = reachable(first, (repository) =>
    world.demandsOf(repository, selected.get(repository) ?? '').map((demand) => demand.repository),
  );
  return [...selected.keys()]
    .filter((repository) => !needed.has(repository))
    .map((repository) => ({ rule: 'surplus', text: `nobody requires ${repository}` }));
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
