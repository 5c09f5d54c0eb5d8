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
  rootVersionText,
} from '../../project/inputs/request.js';
import type { FactVersions, NamedFact } from '../../resolver/explain/refusal.js';
import type { IndexFile, IndexPackage, IndexVersion } from '../../sources/index/index-file.js';
import { readEntry, readVersion } from '../oracles/reading.js';
import type { Core, CoreScenario } from '../resolver.js';

interface ExplainedCore {
  readonly universe: IndexFile;
  readonly request: Request;
  /** Releases of the facts. All of them read packages in the same way. */
  readonly releases: readonly string[];
}

/** Returns the scenario of an explanation, and the scenarios without each removable fact. */
export function coreScenario(facts: readonly NamedFact[], explained: ExplainedCore): Core {
  const keys = new Set(facts.filter((fact) => fact.isDebatable).map(({ key }) => key));
  const without = (key: string) => facts.filter((fact) => fact.key !== key);
  return {
    ...scenarioOf(facts, explained),
    smaller: [...keys].map((key) => scenarioOf(without(key), explained)),
  };
}

function scenarioOf(facts: readonly NamedFact[], explained: ExplainedCore): CoreScenario {
  const core = new CoreUniverse(facts, explained);
  const options = { crossplane: explained.releases.join(' || '), allowCycles: true };
  return { universe: core.universe(), request: core.request(), options };
}

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

interface CoreRequirement {
  readonly repository: string;
  readonly kind: string;
  /** Required tag or digest; undefined for a range. */
  readonly version: string | undefined;
}

/** Reduces a universe and its request to the facts of an explanation. */
class CoreUniverse {
  readonly #facts: readonly NamedFact[];
  readonly #universe: IndexFile;
  readonly #request: Request;
  readonly #target: Target;
  readonly #conflicts: readonly Conflict[];

  constructor(facts: readonly NamedFact[], { universe, request, releases }: ExplainedCore) {
    this.#facts = facts;
    this.#universe = universe;
    this.#request = request;
    this.#target = targetFor(releases[0]!)!;
    this.#conflicts = facts.flatMap((fact, n) => {
      const members = membersOf(fact);
      return members ? [{ repository: `core.example.org/clash/number-${n}`, members }] : [];
    });
  }

  /** Returns the request with the roots, exclusions and policies that the facts name. */
  request(): Request {
    const { crossplane: _, ...request } = this.#request;
    const roots: Root[] = [];
    let place = 0;
    for (const [n, root] of request.roots.entries()) {
      if (root.root === 'local') roots.push(this.#local(root, place));
      else if (this.#namesRoot(place)) roots.push(coreRoot(root, n));
      place += requirementCount(root);
    }
    const origin = { file: 'core' };
    const exclude = this.#facts.flatMap((fact) => {
      if (fact.fact !== 'excluded' && (fact.fact !== 'ruled-out' || fact.isWhole)) return [];
      const { repository, versions } = fact.of;
      return versions.map((version) => ({ repository, version, origin }));
    });
    const deny = this.#facts.flatMap((fact) =>
      fact.fact === 'ruled-out' && fact.isWhole
        ? [{ packages: fact.of.repository, version: undefined, origin }]
        : [],
    );
    return { ...request, roots, exclude, policies: deny.length > 0 ? [{ deny }] : [] };
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
    const conflicts = this.#conflicts.map(({ repository, members }): [string, IndexPackage] => {
      const versions = members.map((_, n): [string, IndexVersion] => [conflictTag(n), {}]);
      return [repository, { kind: 'Provider', versions: Object.fromEntries(versions) }];
    });
    return this.#withUnlistedVersions(Object.fromEntries([...packages, ...conflicts]));
  }

  /** Publishes versions required by name, unless a fact or a known tag list excludes them. */
  #withUnlistedVersions(packages: IndexFile['packages']): IndexFile {
    const all: Record<string, IndexPackage> = { ...packages };
    const requirements = this.#requirements(packages);
    // All tags of a package are known because a range was read.
    const listed = requirements.flatMap((one) => (one.version === undefined ? one.repository : []));
    for (const { repository, kind, version } of requirements) {
      if (version === undefined || listed.includes(repository)) continue;
      if (this.#facts.some((fact) => 'isVain' in fact && fact.isVain && fact.on === repository)) {
        continue;
      }
      const published = all[repository] ?? { kind, versions: {} };
      const one = { repository, tag: version, names: [version] };
      if (this.#isStated('missing', one) || isPublished(published, version)) continue;
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
      const replaced = this.#replacementOf(repository);
      if (version.form === 'tag' && overrideOf(this.#request, replaced) === undefined) {
        return [{ repository: replaced, kind: 'Provider', version: version.tag }];
      }
      return [this.#requirement({ repository, kind: 'Provider' }, rootVersionText(version))];
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
    const repository = this.#replacementOf(on.repository);
    const constraint = overrideOf(this.#request, repository)?.version ?? text;
    const version = isDigest(constraint)
      ? constraint
      : exactTag(constraint, this.#target.rules.dialect);
    return { repository, kind: on.kind, version };
  }

  /** Reduces a version to the properties that facts state. A rejected version stays unchanged. */
  #version(one: UniverseVersion, version: IndexVersion): IndexVersion {
    if (this.#isStated('rejected', one)) return version;
    const { digest, kind, apiVersion, name, dependsOn = [] } = version;
    const isConstrained = this.#facts.some(
      (fact) => fact.fact === 'crossplane' && 'repository' in fact.by && covers(fact.by, one),
    );
    return {
      digest,
      kind,
      apiVersion,
      name,
      crossplane: isConstrained ? version.crossplane : undefined,
      dependsOn: [
        ...dependsOn.filter((e) => this.#isNamed(one, e)).map((e) => this.#withActualKind(e)),
        ...this.#conflictRequirements(one),
      ],
      ...this.#apis(one),
    };
  }

  #isNamed(one: UniverseVersion, entry: JsonValue): boolean {
    const dependency = readEntry(entry, this.#target);
    const on = dependency && this.#replacementOf(dependency.repository);
    return this.#facts.some(
      (fact) =>
        fact.fact === 'requires' &&
        covers(fact.by, one) &&
        fact.on === on &&
        fact.constraint === dependency?.constraint,
    );
  }

  /** Returns the APIs of roots that a version owns. Unique names avoid conflicts of owners. */
  #apis({ repository, tag: version }: UniverseVersion): Partial<IndexVersion> {
    const reading = readVersion(this.#universe, { repository, version }, this.#target);
    const place = Object.keys(this.#universe.packages).indexOf(repository);
    const objects = this.#request.roots.flatMap((root, n) => {
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

  /** Returns the entry with the actual kind: a wrong kind is expressed as a conflict. */
  #withActualKind(entry: JsonValue): JsonValue {
    const dependency = readEntry(entry, this.#target);
    if (dependency === undefined) return entry;
    const { packages } = this.#universe;
    const { repository, constraint: version } = dependency;
    const on = this.#replacementOf(repository);
    const kind = Object.hasOwn(packages, on) ? packages[on]!.kind : dependency.kind;
    return { [kind.toLowerCase()]: repository, version };
  }

  /** Returns the requirements of a version that express its conflicts. */
  #conflictRequirements(one: UniverseVersion): JsonValue[] {
    return this.#conflicts.flatMap(({ repository, members }) =>
      members.flatMap((member, n) =>
        covers(member, one) ? [{ provider: repository, version: `!=${conflictTag(n)}` }] : [],
      ),
    );
  }

  #replacementOf(repository: string): string {
    return replacedRepository(this.#request, repository);
  }

  #isStated(kind: 'missing' | 'rejected', one: UniverseVersion): boolean {
    return this.#facts.some((fact) => fact.fact === kind && covers(fact.of, one));
  }

  /** Whether a root requirement is named. `place` is its index among all root requirements. */
  #namesRoot(place: number): boolean {
    return this.#facts.some((fact) => fact.fact === 'root' && fact.by.root === place);
  }

  /** `place` is the index of the first requirement of the root. */
  #local(root: LocalRoot, place: number): LocalRoot {
    const { crossplane, dependsOn } = root;
    const first = place + requirementCount(root) - dependsOn.length;
    const isConstrained = this.#facts.some(
      (fact) => fact.fact === 'crossplane' && 'root' in fact.by && fact.by.root === place,
    );
    return {
      ...root,
      crossplane: isConstrained ? crossplane : undefined,
      dependsOn: dependsOn
        .filter((_, n) => this.#namesRoot(first + n))
        .map(({ entry, origin }) => ({ entry: this.#withActualKind(entry), origin })),
      objects: [],
    };
  }
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

/** Whether the versions of a fact include a version. */
function covers({ repository, versions }: FactVersions, one: UniverseVersion): boolean {
  return repository === one.repository && versions.some((version) => one.names.includes(version));
}

/** Returns the packages of a conflict; roots are left out because they are always present. */
function membersOf(fact: NamedFact): readonly FactVersions[] | undefined {
  if (fact.fact === 'owns') return [fact.one, fact.other].filter((party) => 'repository' in party);
  if (fact.fact === 'kind') return [fact.by, fact.on].filter((party) => 'repository' in party);
  return fact.fact === 'cycle' ? fact.members : undefined;
}

/** A root for an API requires the API of `coreApi`, which its owners get as well. */
function coreRoot(root: Exclude<Root, LocalRoot>, n: number): Root {
  return root.root === 'package'
    ? { ...root, kind: undefined }
    : { ...root, demand: { ...coreApi(n), version: undefined } };
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
