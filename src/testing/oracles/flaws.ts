// Independent of the solver on purpose: states the rules that a selection must satisfy.
import { ownedNames } from './reading.js';
import type { OracleRequirement, OracleRoot, TargetView } from './target-view.js';

/** One version of each repository. */
export type SelectedVersions = ReadonlyMap<string, string>;

/** A rule that a selection violates. */
export interface Violation {
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
  /** Description for users. */
  readonly text: string;
}

/**
 * Returns every rule that a selection violates.
 *
 * For an incomplete selection (`partial`), returns only violations that no addition can fix.
 */
export function violationsOf(
  view: TargetView,
  selected: SelectedVersions,
  stage: 'complete' | 'partial' = 'complete',
): Violation[] {
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

/** Returns the requirements of the roots and of the selected packages. */
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

function localFlaws(view: TargetView): Violation[] {
  return view
    .locals()
    .filter(({ crossplane }) => !view.admitsTarget(crossplane))
    .map(({ name }) => refusesTarget(view, name));
}

function ownFlaws(view: TargetView, repository: string, version: string): Violation[] {
  const reading = view.read(repository, version);
  const name = `${repository} ${version}`;
  if (reading === undefined) return [{ rule: 'absent', text: `${name} is missing, or refused` }];
  const found: Violation[] = [];
  if (view.isExcluded(repository, version))
    found.push({ rule: 'excluded', text: `${name} is excluded` });
  if (view.isForbidden(repository, version))
    found.push({ rule: 'policy', text: `a policy forbids ${name}` });
  if (!view.runsOnTarget(repository, reading)) found.push(refusesTarget(view, name));
  return found;
}

function refusesTarget({ target }: TargetView, name: string): Violation {
  return { rule: 'crossplane', text: `${name} does not run on Crossplane ${target.version}` };
}

function requirementFlaws(
  view: TargetView,
  selected: SelectedVersions,
  requirement: OracleRequirement,
): Violation[] {
  const version = selected.get(requirement.repository);
  if (version === undefined) return [];
  const name = `${requirement.repository} ${version}`;
  const kind = view.read(requirement.repository, version)?.kind;
  const found: Violation[] = [];
  if (requirement.kind !== undefined && requirement.kind !== kind) {
    const text = `${name} is a ${kind}, and ${requirement.by} wants a ${requirement.kind}`;
    found.push({ rule: 'kind', text });
  }
  if (!view.satisfies(requirement.repository, version, requirement.selector))
    found.push({ rule: 'version', text: `${name} is not what ${requirement.by} wants` });
  return found;
}

function ownershipFlaws(view: TargetView, selected: SelectedVersions): Violation[] {
  const holders = new Map<string, string>();
  return view.installs(selected).flatMap(([owner, object]) =>
    ownedNames(object).flatMap((name): Violation[] => {
      const holder = holders.get(name) ?? owner;
      holders.set(name, holder);
      if (holder === owner) return [];
      return [{ rule: 'ownership', text: `${holder} and ${owner} both own ${name}` }];
    }),
  );
}

function cycleFlaws(view: TargetView, selected: SelectedVersions): Violation[] {
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
): Violation[] {
  const unmet = asked.requirements
    .filter(({ repository }) => !selected.has(repository))
    .map(({ by, repository }): Violation => {
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
): Violation[] {
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
): Violation[] {
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

/** Returns all that can be reached from `first`, including `first`. */
export function reachable(
  first: readonly string[],
  next: (from: string) => readonly string[],
): Set<string> {
  const seen = new Set(first);
  for (const from of seen) for (const to of next(from)) seen.add(to);
  return seen;
}
