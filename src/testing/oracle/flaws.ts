// Independent of solver/ on purpose: it states the rules that a selection of the solver must keep.
import { namesHeld } from './reading.js';
import type { OracleRequirement, OracleRoot, TargetView } from './target-view.js';

/** One version of each repository. */
export type SelectedVersions = ReadonlyMap<string, string>;

/** A rule that a selection breaks. */
export interface Flaw {
  readonly rule:
    | 'absent'
    | 'excluded'
    | 'policy'
    | 'crossplane'
    | 'kind'
    | 'version'
    | 'ownership'
    | 'cycle'
    | 'unmet'
    | 'surplus';
  /** What breaks it, for people. */
  readonly text: string;
}

/**
 * Every rule that a selection breaks; a valid one breaks none.
 *
 * For a selection that is still to grow (`partial`), only rules that no addition can mend.
 */
export function flaws(
  view: TargetView,
  selected: SelectedVersions,
  stage: 'complete' | 'partial' = 'complete',
): Flaw[] {
  const roots = view.roots();
  if (roots === undefined)
    return [
      { rule: 'unmet', text: 'a package under development has an entry that is no dependency' },
    ];
  const requirements = requirementsIn(view, selected, roots);
  return [
    ...localFlaws(view),
    ...[...selected].flatMap(([repository, version]) => ownFlaws(view, repository, version)),
    ...requirements.flatMap((requirement) => requirementFlaws(view, selected, requirement)),
    ...ownershipFlaws(view, selected),
    ...(view.options.allowCycles ? [] : cycleFlaws(view, selected)),
    ...(stage === 'partial' ? [] : incompleteness(view, selected, { roots, requirements })),
  ];
}

/** Every requirement on a package: the roots' and those of the packages selected. */
export function requirementsIn(
  view: TargetView,
  selected: SelectedVersions,
  roots: readonly OracleRoot[],
): OracleRequirement[] {
  return [
    ...roots.filter((root): root is OracleRequirement => 'repository' in root),
    ...[...selected].flatMap(([repository, version]) => view.requirementsOf(repository, version)),
  ];
}

function localFlaws(view: TargetView): Flaw[] {
  return view
    .locals()
    .filter(({ crossplane }) => !view.admitsTarget(crossplane))
    .map(({ name }) => refusesTarget(view, name));
}

function ownFlaws(view: TargetView, repository: string, version: string): Flaw[] {
  const reading = view.read(repository, version);
  const name = `${repository} ${version}`;
  if (reading === undefined) return [{ rule: 'absent', text: `${name} is missing, or refused` }];
  return [
    ...(view.isExcluded(repository, version) ? [excludes(name)] : []),
    ...(view.isForbidden(repository, version) ? [forbids(name)] : []),
    ...(view.runsOnTarget(repository, reading) ? [] : [refusesTarget(view, name)]),
  ];
}

function excludes(name: string): Flaw {
  return { rule: 'excluded', text: `${name} is excluded` };
}

function forbids(name: string): Flaw {
  return { rule: 'policy', text: `a policy forbids ${name}` };
}

function refusesTarget({ target }: TargetView, name: string): Flaw {
  return { rule: 'crossplane', text: `${name} does not run on Crossplane ${target.version}` };
}

function requirementFlaws(
  view: TargetView,
  selected: SelectedVersions,
  requirement: OracleRequirement,
): Flaw[] {
  const version = selected.get(requirement.repository);
  if (version === undefined) return [];
  const name = `${requirement.repository} ${version}`;
  const kind = view.read(requirement.repository, version)?.kind;
  const found: Flaw[] = [];
  if (requirement.kind !== undefined && requirement.kind !== kind) {
    const text = `${name} is a ${kind}, and ${requirement.by} wants a ${requirement.kind}`;
    found.push({ rule: 'kind', text });
  }
  if (!view.satisfies(requirement.repository, version, requirement.selector))
    found.push({ rule: 'version', text: `${name} is not what ${requirement.by} wants` });
  return found;
}

function ownershipFlaws(view: TargetView, selected: SelectedVersions): Flaw[] {
  const holders = new Map<string, string>();
  return view.installs(selected).flatMap(([owner, object]) =>
    namesHeld(object).flatMap((name): Flaw[] => {
      const holder = holders.get(name) ?? owner;
      holders.set(name, holder);
      if (holder === owner) return [];
      return [{ rule: 'ownership', text: `${holder} and ${owner} both own ${name}` }];
    }),
  );
}

function cycleFlaws(view: TargetView, selected: SelectedVersions): Flaw[] {
  const requiredBy = (repository: string) =>
    view
      .requirementsOf(repository, selected.get(repository) ?? '')
      .map((requirement) => requirement.repository)
      .filter((required) => selected.has(required));
  return [...selected.keys()]
    .filter((repository) => reachable(requiredBy(repository), requiredBy).has(repository))
    .map((repository) => ({ rule: 'cycle', text: `${repository} requires itself in the end` }));
}

function incompleteness(
  view: TargetView,
  selected: SelectedVersions,
  asked: {
    readonly roots: readonly OracleRoot[];
    readonly requirements: readonly OracleRequirement[];
  },
): Flaw[] {
  const unmet = asked.requirements
    .filter(({ repository }) => !selected.has(repository))
    .map(({ by, repository }): Flaw => {
      return { rule: 'unmet', text: `${by} requires ${repository}, which is not there` };
    });
  return [
    ...unmet,
    ...apiFlaws(view, selected, asked.roots),
    ...surplus(view, selected, asked.roots),
  ];
}

function apiFlaws(
  view: TargetView,
  selected: SelectedVersions,
  roots: readonly OracleRoot[],
): Flaw[] {
  return roots
    .filter((root) => 'api' in root)
    .filter(({ api }) => ownersAmong(view, selected, api).length === 0)
    .map(({ api }) => ({ rule: 'unmet', text: `nothing selected owns ${JSON.stringify(api)}` }));
}

function ownersAmong(
  view: TargetView,
  selected: SelectedVersions,
  api: Extract<OracleRoot, { api: unknown }>['api'],
): string[] {
  return [...selected]
    .filter(([repository, version]) => view.satisfies(repository, version, { form: 'owning', api }))
    .map(([repository]) => repository);
}

function surplus(
  view: TargetView,
  selected: SelectedVersions,
  roots: readonly OracleRoot[],
): Flaw[] {
  const first = roots.flatMap((root) =>
    'api' in root ? ownersAmong(view, selected, root.api) : [root.repository],
  );
  const needed = reachable(first, (repository) =>
    view
      .requirementsOf(repository, selected.get(repository) ?? '')
      .map((requirement) => requirement.repository),
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
