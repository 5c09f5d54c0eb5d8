import { meetsDemand } from '../../model/crd-demand.js';
import type { IndexFile, IndexPackage, IndexVersion } from '../../model/index-file.js';
import type { Request } from '../../model/request.js';
import type { Target } from '../../model/target/target.js';
import { compareVersions, exactTag, parseVersion } from '../../semver/version.js';
import { isDigest } from '../../text/digest.js';
import type { JsonValue } from '../../text/json.js';
import { readEntry, readVersion } from '../oracle/reading.js';
import { covers, type CoreFacts, type UniverseVersion } from './core-facts.js';
import { coreApi, coreRequest } from './core-request.js';

/** Cuts a universe and the request for it down to the facts that an explanation names. */
export class CoreUniverse {
  readonly #facts: CoreFacts;
  readonly #universe: IndexFile;
  readonly #given: Request;
  /** Stands for all releases that the facts are about: they read packages alike. */
  readonly #target: Target;

  constructor(facts: CoreFacts, universe: IndexFile, request: Request, target: Target) {
    this.#facts = facts;
    this.#universe = universe;
    this.#given = request;
    this.#target = target;
  }

  request(): Request {
    return coreRequest(this.#given, this.#facts, (entry) => this.#ofRightKind(entry));
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
    const clashes = this.#facts.clashes.map(({ repository, members }): [string, IndexPackage] => {
      const versions = members.map((_, n): [string, IndexVersion] => [clashTag(n), {}]);
      return [repository, { kind: 'Provider', versions: Object.fromEntries(versions) }];
    });
    return this.#withUnsought({ packages: Object.fromEntries([...packages, ...clashes]) });
  }

  /**
   * Publishes versions that are required by name and whose absence no fact states. Where a fact
   * states it, or a range was read, which lists all tags, they stay unpublished.
   */
  #withUnsought({ packages }: IndexFile): IndexFile {
    const all: Record<string, IndexPackage> = { ...packages };
    const requirements = this.#requirements(packages);
    for (const { repository, kind, version } of requirements) {
      if (version === undefined || isListed(repository, requirements)) continue;
      if (this.#facts.isVain(repository)) continue;
      const held = all[repository] ?? { kind, versions: {} };
      const one = { repository, tag: version, names: [version] };
      if (this.#facts.isMissing(one) || isPublished(held, version)) continue;
      all[repository] = { ...held, versions: { ...held.versions, [version]: {} } };
    }
    return { packages: all };
  }

  /** Everything that the roots and packages left in the universe require. */
  #requirements(packages: IndexFile['packages']): CoreRequirement[] {
    const { roots } = this.request();
    const asked = roots.flatMap((root): CoreRequirement[] => {
      if (root.root !== 'package') return [];
      const { repository, version } = root;
      if (version.form === 'tag') return [{ repository, kind: 'Provider', version: version.tag }];
      const text = version.form === 'digest' ? version.digest : version.text;
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
    return [...asked, ...dependencies];
  }

  /** With the replacements and overrides of the request. */
  #requirement(on: Omit<CoreRequirement, 'version'>, text: string): CoreRequirement {
    const repository = this.#replaced(on.repository);
    const override = this.#given.overrides.find((rule) => rule.repository === repository);
    const asked = override?.version ?? text;
    const version = isDigest(asked) ? asked : exactTag(asked, this.#target.rules.dialect);
    return { repository, kind: on.kind, version };
  }

  /** A version with what facts say of it, and nothing else; one that is rejected stays as it is. */
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
        ...dependsOn.filter((e) => this.#isNamed(one, e)).map((e) => this.#ofRightKind(e)),
        ...this.#refusals(one),
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
   * The APIs of roots that a version owns, under names that no two packages share: which packages
   * own an API is not among the facts, and that two own it is a clash.
   */
  #apis({ repository, tag: version }: UniverseVersion): Partial<IndexVersion> {
    const reading = readVersion(this.#universe, { repository, version }, this.#target);
    const place = Object.keys(this.#universe.packages).indexOf(repository);
    const objects = this.#given.roots.flatMap((root, n) => {
      if (root.root !== 'crd' || reading === undefined) return [];
      const isOwner = reading.installs.some((object) => meetsDemand(object, root.demand));
      const defines = { ...coreApi(n), versions: ['v1'] };
      return isOwner ? [{ name: `api${n}of${place}.core.example.org`, defines }] : [];
    });
    if (reading?.kind === 'Configuration') return { xrds: objects };
    return {
      crds: objects.map(({ name }) => name),
      defines: Object.fromEntries(objects.map(({ name, defines }) => [name, defines])),
    };
  }

  /** The entry with the kind that the package has: that it names another is a clash. */
  #ofRightKind(entry: JsonValue): JsonValue {
    const dependency = readEntry(entry, this.#target);
    if (dependency === undefined) return entry;
    const { packages } = this.#universe;
    const { repository, constraint: version } = dependency;
    const on = this.#replaced(repository);
    const kind = Object.hasOwn(packages, on) ? packages[on]!.kind : dependency.kind;
    return { [kind.toLowerCase()]: repository, version };
  }

  /** What a version requires as a member of clashes. */
  #refusals(one: UniverseVersion): JsonValue[] {
    return this.#facts.clashes.flatMap(({ repository, members }) =>
      members.flatMap((member, n) =>
        covers(member, one) ? [{ provider: repository, version: `!=${clashTag(n)}` }] : [],
      ),
    );
  }

  #replaced(repository: string): string {
    const rule = this.#given.replace.find((one) => one.repository === repository);
    return rule?.with ?? repository;
  }
}

interface CoreRequirement {
  readonly repository: string;
  readonly kind: string;
  /** The tag or digest that it names; undefined: it has a range. */
  readonly version: string | undefined;
}

/** Whether all tags are known, because a range was read. */
function isListed(repository: string, requirements: readonly CoreRequirement[]): boolean {
  return requirements.some((one) => one.repository === repository && one.version === undefined);
}

/** By that tag, by that digest, or by another spelling of the tag. */
function isPublished({ versions }: IndexPackage, version: string): boolean {
  const parsed = isDigest(version) ? undefined : parseVersion(version, '1.5.0');
  return Object.entries(versions).some(([tag, { digest }]) => {
    if (tag === version || digest === version) return true;
    const other = parseVersion(tag, '1.5.0');
    return parsed !== undefined && other !== undefined && compareVersions(parsed, other) === 0;
  });
}

/** The version of a clash's package that its nth member refuses. */
function clashTag(n: number): string {
  return `v1.${n}.0`;
}
