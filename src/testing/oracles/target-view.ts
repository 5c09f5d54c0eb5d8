// Independent of admission and solver on purpose, so that a mistake in either one shows.
import {
  type OracleReading,
  ownedNames,
  type ReadDependency,
  readEntry,
  readVersion,
} from './reading.js';
import { isDigest } from '../../base/digest.js';
import { realClock } from '../../base/time.js';
import { type Constraint, parseConstraint } from '../../crossplane/constraints/constraint.js';
import { INDEPENDENT_DIALECT } from '../../crossplane/constraints/dialects.js';
import { parseVersion } from '../../crossplane/constraints/version.js';
import { type CrdRef, definesCrd } from '../../crossplane/packages/crd-ref.js';
import type { PackageObject } from '../../crossplane/packages/package-contents.js';
import type { Target } from '../../crossplane/releases/target.js';
import type { MinimumAge, PolicyEntry } from '../../project/inputs/policy.js';
import type { LocalRoot, Request, Root } from '../../project/inputs/request.js';
import type { IndexFile } from '../../sources/index/index-file.js';
import type { ResolverOptions } from '../resolver.js';

/** A condition on versions. `owning`: the version provides the API. */
type OracleSelector =
  | { readonly form: 'range'; readonly range: Constraint }
  | { readonly form: 'tag'; readonly tag: string }
  | { readonly form: 'digest'; readonly digest: string }
  | { readonly form: 'owning'; readonly api: CrdRef };

/** A required package and a condition on its version. */
export interface OracleRequirement {
  /** Origin of the requirement: the request, a package under development, or a package version. */
  readonly by: string;
  readonly repository: string;
  /** Required kind; undefined for any. */
  readonly kind: string | undefined;
  readonly selector: OracleSelector;
}

/** A root: a required package or a required API. */
export type OracleRoot = OracleRequirement | { readonly api: CrdRef };

/** A universe and a request as one target reads them, with the rules of both applied. */
export class TargetView {
  readonly universe: IndexFile;
  readonly target: Target;
  readonly options: ResolverOptions;
  readonly #request: Request;
  readonly #readings = new Map<string, OracleReading | undefined>();
  readonly #requirements = new Map<string, readonly OracleRequirement[]>();
  #roots: readonly (OracleRoot | undefined)[] | undefined;

  constructor(
    universe: IndexFile,
    request: Request,
    settings: { readonly target: Target; readonly options: ResolverOptions },
  ) {
    this.universe = universe;
    this.#request = request;
    this.target = settings.target;
    this.options = settings.options;
  }

  /** Reads a version. Returns undefined if it is missing or the target rejects it. */
  read(repository: string, version: string): OracleReading | undefined {
    const key = `${repository}@${version}`;
    if (!this.#readings.has(key))
      this.#readings.set(key, readVersion(this.universe, { repository, version }, this.target));
    return this.#readings.get(key);
  }

  /** Returns undefined if the target rejects a requirement of a package under development. */
  roots(): readonly OracleRoot[] | undefined {
    const requirements = (this.#roots ??= this.#request.roots.flatMap((r) =>
      this.#rootRequirements(r),
    ));
    return requirements.every((each) => each !== undefined) ? requirements : undefined;
  }

  #rootRequirements(root: Root): readonly (OracleRoot | undefined)[] {
    switch (root.root) {
      case 'crd':
        return [{ api: root.demand }];
      case 'local':
        return root.dependsOn.map(({ entry }) => {
          const dependency = readEntry(entry, this.target);
          return dependency && this.#fromDependency(root.name, dependency);
        });
      case 'package': {
        const { repository, kind, version } = root;
        const selector = version.form === 'text' ? this.selectorOf(version.text) : version;
        return [this.#applyRules({ by: 'the request', repository, kind, selector })];
      }
    }
  }

  /** Returns the requirements of a version, in `dependsOn` order. */
  requirementsOf(repository: string, version: string): readonly OracleRequirement[] {
    const by = `${repository} ${version}`;
    const known = this.#requirements.get(by);
    if (known) return known;
    const ignoresAll = this.#request.roots.some(
      (root) => root.root === 'package' && root.skipDependencyResolution,
    );
    const reading = ignoresAll ? undefined : this.read(repository, version);
    const requirements = (reading?.dependencies ?? []).map((dependency) =>
      this.#fromDependency(by, dependency),
    );
    this.#requirements.set(by, requirements);
    return requirements;
  }

  /** Returns the repositories that a version requires, in `dependsOn` order. */
  requiredBy(repository: string, version = ''): string[] {
    return this.requirementsOf(repository, version).map((requirement) => requirement.repository);
  }

  #fromDependency(by: string, { repository, kind, constraint }: ReadDependency): OracleRequirement {
    return this.#applyRules({ by, repository, kind, selector: this.selectorOf(constraint) });
  }

  /** Applies the replacements and overrides of the request. */
  #applyRules(requirement: OracleRequirement): OracleRequirement {
    const repository = this.#replacementOf(requirement.repository);
    const override = this.#request.overrides.find((rule) => rule.repository === repository);
    const selector = override ? this.selectorOf(override.version) : requirement.selector;
    return { ...requirement, repository, selector };
  }

  #replacementOf(repository: string): string {
    return this.#request.replace.find((r) => r.repository === repository)?.with ?? repository;
  }

  /** Parses a version of a user or package: a digest, a range, otherwise a tag. */
  selectorOf(text: string): OracleSelector {
    if (isDigest(text)) return { form: 'digest', digest: text };
    const range = parseConstraint(text, this.target.rules.dialect);
    return range.invalid ? { form: 'tag', tag: text } : { form: 'range', range };
  }

  satisfies(repository: string, version: string, selector: OracleSelector): boolean {
    switch (selector.form) {
      case 'tag':
        return version === selector.tag;
      case 'digest':
        return version === selector.digest;
      case 'owning':
        return (
          this.read(repository, version)?.installs.some((o) => definesCrd(o, selector.api)) === true
        );
      case 'range': {
        const parsed = parseVersion(version, this.target.rules.dialect);
        const prereleases = this.options.prereleases?.includes(repository) === true;
        return parsed !== undefined && selector.range.admits(parsed, { prereleases });
      }
    }
  }

  /** Whether the request excludes a version. Allowed prereleases widen no exclusion. */
  isExcluded(repository: string, version: string): boolean {
    const rules = this.#request.exclude.filter((rule) => rule.repository === repository);
    return rules.some((rule) => {
      const selector = this.selectorOf(rule.version);
      if (rule.version === version || selector.form !== 'range') return rule.version === version;
      const parsed = parseVersion(version, this.target.rules.dialect);
      return parsed !== undefined && selector.range.admits(parsed);
    });
  }

  isForbidden(repository: string, version: string): boolean {
    return (this.#request.policies ?? []).some(
      ({ registries, deny, minimumAge }) =>
        registries?.allowed.every((prefix) => !isWithinPrefix(repository, prefix)) === true ||
        deny.some((entry) => isDenied(entry, repository, version)) ||
        (minimumAge !== undefined &&
          !this.#isLocked(repository, version) &&
          !minimumAge.except.some((entry) => isNamed(entry, repository, version)) &&
          this.#isTooYoung(repository, version, minimumAge)),
    );
  }

  #isLocked(repository: string, version: string): boolean {
    const { prefer = 'locked', locked } = this.options;
    return prefer === 'locked' && locked?.get(repository) === version;
  }

  #isTooYoung(repository: string, version: string, minimum: MinimumAge): boolean {
    const versions = this.universe.packages[repository]?.versions ?? {};
    const entry = isDigest(version)
      ? Object.values(versions).find(({ digest }) => digest === version)
      : versions[version];
    const times = [entry?.created, entry?.firstSeen]
      .map((text) => Date.parse(text ?? ''))
      .filter((time) => time >= Date.UTC(2018, 0, 1));
    if (times.length === 0) return minimum.unknown === 'refuse';
    const age = (this.options.now ?? realClock.now()) - Math.max(...times);
    return age < minimum.milliseconds;
  }

  /** Returns whether the target satisfies the Crossplane constraint, or a root ignores it. */
  runsOnTarget(repository: string, { crossplane }: OracleReading): boolean {
    const exempt = this.#request.roots.some(
      (root) =>
        root.root === 'package' &&
        root.ignoreCrossplaneConstraints &&
        this.#replacementOf(root.repository) === repository,
    );
    return exempt || this.admitsTarget(crossplane);
  }

  /** Returns the packages under development. They have requirements and objects, but no version. */
  locals(): readonly LocalRoot[] {
    return this.#request.roots.filter((root) => root.root === 'local');
  }

  admitsTarget(crossplane: string | undefined): boolean {
    if (crossplane === undefined) return true;
    const { dialect } = this.target.rules;
    const constraint = parseConstraint(crossplane, dialect);
    const version = parseVersion(this.target.version, dialect);
    return !constraint.invalid && version !== undefined && constraint.admits(version);
  }

  installs(selected: ReadonlyMap<string, string>): readonly (readonly [string, PackageObject])[] {
    return [
      ...this.locals().flatMap(({ name, objects }) => objects.map((o) => [name, o] as const)),
      ...[...selected].flatMap(([repository, version]) =>
        (this.read(repository, version)?.installs ?? []).map((o) => [repository, o] as const),
      ),
    ];
  }
}

/** Compares segments: `a.io/org` is a prefix of `a.io/org/p`, not of `a.io/organisation/p`. */
function isWithinPrefix(repository: string, prefix: string): boolean {
  const parts = partsOf(repository);
  return partsOf(`${prefix}/`).every((part, n) => part === '' || parts[n] === part);
}

/** Docker Hub has two names. */
function partsOf(name: string): string[] {
  return name.replace(/^docker\.io\//, 'index.docker.io/').split('/');
}

/** Returns whether a policy entry names a version. All releases use the newest dialect. */
function isNamed(
  { packages, version: text }: PolicyEntry,
  repository: string,
  version: string,
  prereleases = false,
): boolean {
  if (!isWithinPrefix(repository, packages)) return false;
  if (text === undefined || text === version) return true;
  const range = parseConstraint(text, INDEPENDENT_DIALECT);
  const parsed = parseVersion(version, INDEPENDENT_DIALECT);
  return !range.invalid && parsed !== undefined && range.admits(parsed, { prereleases });
}

/** Whether a policy denies a version. An entry for some versions denies all digests. */
function isDenied(entry: PolicyEntry, repository: string, version: string): boolean {
  if (isNamed(entry, repository, version, true)) return true;
  const isOfDigest = entry.version !== undefined && isDigest(entry.version);
  return isDigest(version) && !isOfDigest && isWithinPrefix(repository, entry.packages);
}

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
    ...view
      .locals()
      .filter(({ crossplane }) => !view.admitsTarget(crossplane))
      .map(({ name }) => refusesTarget(view, name)),
    ...[...selected].flatMap(([repository, version]) => ownFlaws(view, repository, version)),
    ...requirements.flatMap((requirement) => requirementFlaws(view, selected, requirement)),
    ...ownershipFlaws(view, selected),
    ...(view.options.allowCycles ? [] : cycleFlaws(view, selected)),
    ...(stage === 'partial' ? [] : incompleteness(view, selected, roots)),
  ];
}

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
      const firstOwner = holders.get(name) ?? owner;
      holders.set(name, firstOwner);
      if (firstOwner === owner) return [];
      return [{ rule: 'ownership', text: `${firstOwner} and ${owner} both own ${name}` }];
    }),
  );
}

function cycleFlaws(view: TargetView, selected: SelectedVersions): Violation[] {
  const requiredBy = (repository: string) =>
    view
      .requiredBy(repository, selected.get(repository))
      .filter((required) => selected.has(required));
  return [...selected.keys()]
    .filter((repository) => closure(requiredBy(repository), requiredBy).has(repository))
    .map((repository) => ({ rule: 'cycle', text: `${repository} requires itself in the end` }));
}

function incompleteness(
  view: TargetView,
  selected: SelectedVersions,
  roots: readonly OracleRoot[],
): Violation[] {
  const ownersOf = (api: CrdRef) =>
    [...selected.keys()].filter((repository) =>
      view.satisfies(repository, selected.get(repository)!, { form: 'owning', api }),
    );
  const unmet = requirementsIn(view, selected, roots)
    .filter(({ repository }) => !selected.has(repository))
    .map(({ by, repository }) => `${by} requires ${repository}, which is not there`);
  const apis = roots.flatMap((root) => ('api' in root ? [root.api] : []));
  const unowned = apis
    .filter((api) => ownersOf(api).length === 0)
    .map((api) => `nothing selected owns ${JSON.stringify(api)}`);
  const first = roots.flatMap((root) => ('api' in root ? ownersOf(root.api) : [root.repository]));
  const needed = closure(first, (each) => view.requiredBy(each, selected.get(each)));
  return [
    ...[...unmet, ...unowned].map((text): Violation => ({ rule: 'unmet', text })),
    ...[...selected.keys()]
      .filter((repository) => !needed.has(repository))
      .map((repository): Violation => ({ rule: 'surplus', text: `nobody requires ${repository}` })),
  ];
}

/** Returns all that can be reached from `first`, including `first`. */
export function closure(
  first: readonly string[],
  next: (from: string) => readonly string[],
): Set<string> {
  const seen = new Set(first);
  for (const from of seen) for (const to of next(from)) seen.add(to);
  return seen;
}
