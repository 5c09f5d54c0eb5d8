import { isDigest } from '../../base/digest.js';
import type { JsonValue } from '../../base/json.js';
import { compareVersions, exactTag, parseVersion } from '../../crossplane/constraints/version.js';
import { definesCrd } from '../../crossplane/packages/crd-ref.js';
import { type Target, targetFor } from '../../crossplane/releases/target.js';
import {
  type LocalRoot,
  overrideOf,
  replacedRepository,
  type Request,
  type Root,
  type RootVersion,
} from '../../project/inputs/request.js';
import type { FactVersions, NamedFact } from '../../resolver/explain/refusal.js';
import type { IndexFile, IndexPackage, IndexVersion } from '../../sources/index/index-file.js';
import { readEntry, readVersion } from '../oracles/reading.js';
import type { Core, CoreScenario } from '../resolver.js';

/** Reduces a universe and its request to the facts of an explanation. */
class CoreUniverse {
  readonly #facts: CoreFacts;
  readonly #universe: IndexFile;
  readonly #given: Request;
  /** One of the releases of the facts; all of them read packages in the same way. */
  readonly #target: Target;

  constructor(facts: CoreFacts, universe: IndexFile, request: Request, target: Target) {
    this.#facts = facts;
    this.#universe = universe;
    this.#given = request;
    this.#target = target;
  }

  request(): Request {
    return coreRequest(this.#given, this.#facts, (entry) => this.#withActualKind(entry));
  }

  universe(): IndexFile {
    const packages = Object.entries(this.#universe.packages).map(
      ([repository, { kind, versions }]): [string, IndexPackage] => {
        const reduced = Object.entries(versions).map(([tag, version]): [string, IndexVersion] => [
          tag,
          this.#version({ repository, tag, names: [tag, version.digest] }, version),
        ]);
        return [repository, { kind, versions: Object.fromEntries(reduced) }];
      },
    );
    const conflicts = this.#facts.conflicts.map(
      ({ repository, members }): [string, IndexPackage] => {
        const versions = members.map((_, n): [string, IndexVersion] => [conflictTag(n), {}]);
        return [repository, { kind: 'Provider', versions: Object.fromEntries(versions) }];
      },
    );
    return this.#withUnlistedVersions({
      packages: Object.fromEntries([...packages, ...conflicts]),
    });
  }

  /**
   * Publishes versions that are required by name, unless a fact states that they are missing, or a
   * range was read, for which all tags are known.
   */
  #withUnlistedVersions({ packages }: IndexFile): IndexFile {
    const all: Record<string, IndexPackage> = { ...packages };
    const requirements = this.#requirements(packages);
    for (const { repository, kind, version } of requirements) {
      if (version === undefined || isListed(repository, requirements)) continue;
      if (this.#facts.isUnsatisfiable(repository)) continue;
      const published = all[repository] ?? { kind, versions: {} };
      const one = { repository, tag: version, names: [version] };
      if (this.#facts.isMissing(one) || isPublished(published, version)) continue;
      all[repository] = { ...published, versions: { ...published.versions, [version]: {} } };
    }
    return { packages: all };
  }

  /** Returns all requirements of the roots and of the remaining packages. */
  #requirements(packages: IndexFile['packages']): CoreRequirement[] {
    const { roots } = this.request();
    const rootRequirements = roots.flatMap((root): CoreRequirement[] => {
      if (root.root !== 'package') return [];
      const { repository, version } = root;
      const replaced = this.#replaced(repository);
      if (version.form === 'tag' && overrideOf(this.#given, replaced) === undefined) {
        return [{ repository: replaced, kind: 'Provider', version: version.tag }];
      }
      const text = version.form === 'text' ? version.text : exactVersion(version);
      return [this.#requirement({ repository, kind: 'Provider' }, text)];
    });
    const entries = [
      ...Object.values(packages)
        .flatMap(({ versions }) => Object.values(versions))
        .flatMap(({ dependsOn = [] }) => dependsOn),
      ...roots.flatMap((root) =>
        root.root === 'local' ? root.dependsOn.map(({ entry }) => entry) : [],
      ),
    ];
    const dependencies = entries.flatMap((entry) => {
      const dependency = readEntry(entry, this.#target);
      return dependency ? [this.#requirement(dependency, dependency.constraint)] : [];
    });
    return [...rootRequirements, ...dependencies];
  }

  /** Applies the replacements and overrides of the request. */
  #requirement(on: Omit<CoreRequirement, 'version'>, text: string): CoreRequirement {
    const repository = this.#replaced(on.repository);
    const constraint = overrideOf(this.#given, repository)?.version ?? text;
    const version = isDigest(constraint)
      ? constraint
      : exactTag(constraint, this.#target.rules.dialect);
    return { repository, kind: on.kind, version };
  }

  /** Reduces a version to what facts state about it. A rejected version stays unchanged. */
  #version(one: UniverseVersion, version: IndexVersion): IndexVersion {
    if (this.#facts.isRejected(one)) return version;
    const { digest, kind, apiVersion, name, dependsOn = [] } = version;
    return {
      digest,
      kind,
      apiVersion,
      name,
      crossplane: this.#facts.constrainsCrossplane(one) ? version.crossplane : undefined,
      dependsOn: [
        ...dependsOn.filter((e) => this.#isNamed(one, e)).map((e) => this.#withActualKind(e)),
        ...this.#conflictRequirements(one),
      ],
      ...this.#apis(one),
    };
  }

  #isNamed(one: UniverseVersion, entry: JsonValue): boolean {
    const dependency = readEntry(entry, this.#target);
    const on = dependency && this.#replaced(dependency.repository);
    return this.#facts.requires(one, on, dependency?.constraint);
  }

  /**
   * Returns the APIs of roots that a version owns, under unique names: two owners of an API are
   * expressed as a conflict.
   */
  #apis({ repository, tag: version }: UniverseVersion): Partial<IndexVersion> {
    const reading = readVersion(this.#universe, { repository, version }, this.#target);
    const place = Object.keys(this.#universe.packages).indexOf(repository);
    const objects = this.#given.roots.flatMap((root, n) => {
      if (root.root !== 'crd' || reading === undefined) return [];
      const isOwner = reading.installs.some((object) => definesCrd(object, root.demand));
      const defines = { ...coreApi(n), versions: ['v1'] };
      return isOwner ? [{ name: `api${n}of${place}.core.example.org`, defines }] : [];
    });
    if (reading?.kind === 'Configuration') return { xrds: objects };
    return {
      crds: objects.map(({ name }) => name),
      defines: Object.fromEntries(objects.map(({ name, defines }) => [name, defines])),
    };
  }

  /**
   * Returns the entry with the actual kind of the package: a wrong kind is expressed as a conflict.
   */
  #withActualKind(entry: JsonValue): JsonValue {
    const dependency = readEntry(entry, this.#target);
    if (dependency === undefined) return entry;
    const { packages } = this.#universe;
    const { repository, constraint: version } = dependency;
    const on = this.#replaced(repository);
    const kind = Object.hasOwn(packages, on) ? packages[on]!.kind : dependency.kind;
    return { [kind.toLowerCase()]: repository, version };
  }

  /** Returns the requirements of a version that express its conflicts. */
  #conflictRequirements(one: UniverseVersion): JsonValue[] {
    return this.#facts.conflicts.flatMap(({ repository, members }) =>
      members.flatMap((member, n) =>
        covers(member, one) ? [{ provider: repository, version: `!=${conflictTag(n)}` }] : [],
      ),
    );
  }

  #replaced(repository: string): string {
    return replacedRepository(this.#given, repository);
  }
}

interface CoreRequirement {
  readonly repository: string;
  readonly kind: string;
  /** Required tag or digest; undefined for a range. */
  readonly version: string | undefined;
}

function exactVersion(version: Exclude<RootVersion, { form: 'text' }>): string {
  return version.form === 'tag' ? version.tag : version.digest;
}

/** Returns whether all tags are known because a range was read. */
function isListed(repository: string, requirements: readonly CoreRequirement[]): boolean {
  return requirements.some((one) => one.repository === repository && one.version === undefined);
}

/** Returns whether the tag, another spelling of it, or the digest is published. */
function isPublished({ versions }: IndexPackage, version: string): boolean {
  const parsed = isDigest(version) ? undefined : parseVersion(version, '1.5.0');
  return Object.entries(versions).some(([tag, { digest }]) => {
    if (tag === version || digest === version) return true;
    const other = parseVersion(tag, '1.5.0');
    return parsed !== undefined && other !== undefined && compareVersions(parsed, other) === 0;
  });
}

/** Returns the version that the nth member of a conflict excludes. */
function conflictTag(n: number): string {
  return `v1.${n}.0`;
}

interface Explained {
  readonly universe: IndexFile;
  readonly request: Request;
  /** Releases of the facts. */
  readonly releases: readonly string[];
}

/** Returns the scenario of an explanation, and the scenarios without each removable fact. */
export function coreScenario(facts: readonly NamedFact[], explained: Explained): Core {
  const keys = new Set(facts.filter((fact) => fact.isDebatable).map(({ key }) => key));
  const without = (key: string) => facts.filter((fact) => fact.key !== key);
  return {
    ...scenarioOf(facts, explained),
    smaller: [...keys].map((key) => scenarioOf(without(key), explained)),
  };
}

function scenarioOf(
  facts: readonly NamedFact[],
  { universe, request, releases }: Explained,
): CoreScenario {
  const target = targetFor(releases[0]!)!;
  const core = new CoreUniverse(new CoreFacts(facts), universe, request, target);
  return {
    universe: core.universe(),
    request: core.request(),
    options: { crossplane: releases.join(' || '), allowCycles: true },
  };
}

/** A version of a universe. */
interface UniverseVersion {
  readonly repository: string;
  readonly tag: string;
  /** Names of the version in facts: its tag, and its digest if it is known. */
  readonly names: readonly (string | undefined)[];
}

/**
 * Versions of some packages that conflict with each other, for any reason. A universe expresses the
 * conflict by an additional package: each member requires it but excludes one of its versions, so
 * that all members together exclude every version.
 */
interface Conflict {
  /** The additional package. */
  readonly repository: string;
  readonly members: readonly FactVersions[];
}

/** Lookups in the facts of an explanation. */
class CoreFacts {
  readonly conflicts: readonly Conflict[];
  readonly #facts: readonly NamedFact[];

  constructor(facts: readonly NamedFact[]) {
    this.#facts = facts;
    this.conflicts = facts.flatMap((fact, n) => {
      const members = membersOf(fact);
      return members ? [{ repository: `core.example.org/clash/number-${n}`, members }] : [];
    });
  }

  isRejected(one: UniverseVersion): boolean {
    return this.#facts.some((fact) => fact.fact === 'rejected' && covers(fact.of, one));
  }

  isMissing(one: UniverseVersion): boolean {
    return this.#facts.some((fact) => fact.fact === 'missing' && covers(fact.of, one));
  }

  /** Returns whether a fact states that no published version of a repository is suitable. */
  isUnsatisfiable(repository: string): boolean {
    return this.#facts.some((fact) => 'isVain' in fact && fact.isVain && fact.on === repository);
  }

  constrainsCrossplane(one: UniverseVersion): boolean {
    return this.#facts.some(
      (fact) => fact.fact === 'crossplane' && 'repository' in fact.by && covers(fact.by, one),
    );
  }

  /** `constraint` is undefined if the target cannot read the entry. */
  requires(one: UniverseVersion, on: string | undefined, constraint: string | undefined): boolean {
    return this.#facts.some(
      (fact) =>
        fact.fact === 'requires' &&
        covers(fact.by, one) &&
        fact.on === on &&
        fact.constraint === constraint,
    );
  }

  /**
   * Returns whether a root requirement is named. `place` is its index among all root requirements.
   */
  namesRoot(place: number): boolean {
    return this.#facts.some((fact) => fact.fact === 'root' && fact.by.root === place);
  }

  /** Returns whether the Crossplane constraint of a package under development is named. */
  namesCrossplaneOfRoot(place: number): boolean {
    return this.#facts.some(
      (fact) => fact.fact === 'crossplane' && 'root' in fact.by && fact.by.root === place,
    );
  }

  /** Returns versions that the user excludes or that a policy forbids. */
  excluded(): readonly FactVersions[] {
    return this.#facts.flatMap((fact) => {
      if (fact.fact === 'excluded') return [fact.of];
      return fact.fact === 'ruled-out' && !fact.isWhole ? [fact.of] : [];
    });
  }

  /** Returns repositories that a policy forbids in all versions. */
  forbidden(): readonly string[] {
    return this.#facts.flatMap((fact) =>
      fact.fact === 'ruled-out' && fact.isWhole ? [fact.of.repository] : [],
    );
  }
}

/** Returns whether the versions of a fact include a version. */
function covers({ repository, versions }: FactVersions, one: UniverseVersion): boolean {
  return repository === one.repository && versions.some((version) => one.names.includes(version));
}

/** Returns the packages of a conflict; roots are left out because they are always present. */
function membersOf(fact: NamedFact): readonly FactVersions[] | undefined {
  if (fact.fact === 'owns') return [fact.one, fact.other].filter((party) => 'repository' in party);
  if (fact.fact === 'kind') return [fact.by, fact.on].filter((party) => 'repository' in party);
  return fact.fact === 'cycle' ? fact.members : undefined;
}

/** Reduces a request to the roots, exclusions and policies that the facts name. */
function coreRequest(
  given: Request,
  facts: CoreFacts,
  withActualKind: (entry: JsonValue) => JsonValue,
): Request {
  const { crossplane: _, ...request } = given;
  const roots: Root[] = [];
  let place = 0;
  for (const [n, root] of request.roots.entries()) {
    if (root.root === 'local') roots.push(coreLocal(root, place, facts, withActualKind));
    else if (facts.namesRoot(place)) roots.push(coreRoot(root, n));
    place += requirementCount(root);
  }
  const origin = { file: 'core' };
  const exclude = facts
    .excluded()
    .flatMap(({ repository, versions }) =>
      versions.map((version) => ({ repository, version, origin })),
    );
  const deny = facts.forbidden().map((packages) => ({ packages, version: undefined, origin }));
  return { ...request, roots, exclude, policies: deny.length > 0 ? [{ deny }] : [] };
}

/** A root for an API requires the API of `coreApi`, which `coreUniverse` adds to the owners. */
function coreRoot(root: Exclude<Root, LocalRoot>, n: number): Root {
  return root.root === 'package'
    ? { ...root, kind: undefined }
    : { ...root, demand: { ...coreApi(n), version: undefined } };
}

/** `place` is the index of the first requirement of the root. */
function coreLocal(
  root: LocalRoot,
  place: number,
  facts: CoreFacts,
  withActualKind: (entry: JsonValue) => JsonValue,
): LocalRoot {
  const { crossplane, dependsOn } = root;
  const first = place + requirementCount(root) - dependsOn.length;
  return {
    ...root,
    crossplane: facts.namesCrossplaneOfRoot(place) ? crossplane : undefined,
    dependsOn: dependsOn
      .filter((_, n) => facts.namesRoot(first + n))
      .map(({ entry, origin }) => ({ entry: withActualKind(entry), origin })),
    objects: [],
  };
}

/** Returns the number of requirements of a root, as facts count them. */
function requirementCount(root: Root): number {
  if (root.root !== 'local') return 1;
  const { crossplane, objects, dependsOn } = root;
  return (crossplane === undefined ? 0 : 1) + (objects.length > 0 ? 1 : 0) + dependsOn.length;
}

/** Returns a fictional API that replaces the API of the nth root. */
function coreApi(n: number): { readonly group: string; readonly kind: string } {
  return { group: 'core.example.org', kind: `Api${n}` };
}
