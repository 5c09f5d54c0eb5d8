import { coreApi, CoreFacts, coreRequest, covers, type UniverseVersion } from './core-facts.js';
import { isDigest } from '../../base/digest.js';
import type { JsonValue } from '../../base/json.js';
import { compareVersions, exactTag, parseVersion } from '../../crossplane/constraints/version.js';
import { definesCrd } from '../../crossplane/packages/crd-ref.js';
import { type Target, targetFor } from '../../crossplane/releases/target.js';
import {
  overrideOf,
  replacedRepository,
  type Request,
  type RootVersion,
} from '../../project/inputs/request.js';
import type { NamedFact } from '../../resolver/explain/refusal.js';
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
        const left = Object.entries(versions).map(([tag, version]): [string, IndexVersion] => [
          tag,
          this.#version({ repository, tag, names: [tag, version.digest] }, version),
        ]);
        return [repository, { kind, versions: Object.fromEntries(left) }];
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
    const asked = overrideOf(this.#given, repository)?.version ?? text;
    const version = isDigest(asked) ? asked : exactTag(asked, this.#target.rules.dialect);
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
