// Independent of admission and solver on purpose, so that a mistake in either one shows.
import { parseConstraint, type Constraint } from '../../crossplane/constraints/constraint.js';
import { definesCrd, type CrdRef } from '../../crossplane/packages/crd-ref.js';
import type { IndexFile } from '../../sources/index/index-file.js';
import { isDigest } from '../../base/digest.js';
import type { PackageObject } from '../../crossplane/packages/package-contents.js';
import type { LocalRoot, Request, Root } from '../../project/inputs/request.js';
import type { MinimumAge, PolicyEntry } from '../../project/inputs/policy.js';
import type { Target } from '../../crossplane/releases/target.js';
import { realClock } from '../../base/time.js';
import { NEWEST_DIALECT, parseVersion } from '../../crossplane/constraints/version.js';
import { readEntry, readVersion, type OracleReading, type ReadDependency } from './reading.js';
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

/**
 * A universe and a request as one target reads them. The rules of the target and the replacements,
 * overrides and exclusions of the request are applied.
 */
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
    const dependencies = this.#ignoresRequirements()
      ? []
      : this.read(repository, version)?.dependencies;
    const requirements = (dependencies ?? []).map((dependency) =>
      this.#fromDependency(by, dependency),
    );
    this.#requirements.set(by, requirements);
    return requirements;
  }

  #ignoresRequirements(): boolean {
    return this.#request.roots.some((r) => r.root === 'package' && r.skipDependencyResolution);
  }

  #fromDependency(by: string, { repository, kind, constraint }: ReadDependency): OracleRequirement {
    return this.#applyRules({ by, repository, kind, selector: this.selectorOf(constraint) });
  }

  /** Applies the replacements and overrides of the request. */
  #applyRules(requirement: OracleRequirement): OracleRequirement {
    const repository = this.#replaced(requirement.repository);
    const override = this.#request.overrides.find((rule) => rule.repository === repository);
    const selector = override ? this.selectorOf(override.version) : requirement.selector;
    return { ...requirement, repository, selector };
  }

  #replaced(repository: string): string {
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

  /**
   * Returns whether the request excludes a version. Allowed prereleases do not widen an exclusion.
   */
  isExcluded(repository: string, version: string): boolean {
    const rules = this.#request.exclude.filter((rule) => rule.repository === repository);
    return rules.some((rule) => {
      const selector = this.selectorOf(rule.version);
      if (rule.version === version || selector.form !== 'range') return rule.version === version;
      const parsed = parseVersion(version, this.target.rules.dialect);
      return parsed !== undefined && selector.range.admits(parsed);
    });
  }

  /** Returns whether a policy of the request forbids a version. */
  isForbidden(repository: string, version: string): boolean {
    return (this.#request.policies ?? []).some(
      ({ registries, deny, minimumAge }) =>
        registries?.allowed.every((prefix) => !isBelow(repository, prefix)) === true ||
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
        this.#replaced(root.repository) === repository,
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

  /** Returns every object that a selection installs, with its package. */
  installs(selected: ReadonlyMap<string, string>): readonly (readonly [string, PackageObject])[] {
    return [
      ...this.locals().flatMap(({ name, objects }) => objects.map((o) => [name, o] as const)),
      ...[...selected].flatMap(([repository, version]) =>
        (this.read(repository, version)?.installs ?? []).map((o) => [repository, o] as const),
      ),
    ];
  }
}

/**
 * Compares path segments: `a.io/org` is a prefix of `a.io/org/p`, but not of `a.io/organisation/p`.
 */
function isBelow(repository: string, prefix: string): boolean {
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
  if (!isBelow(repository, packages)) return false;
  if (text === undefined || text === version) return true;
  const range = parseConstraint(text, NEWEST_DIALECT);
  const parsed = parseVersion(version, NEWEST_DIALECT);
  return !range.invalid && parsed !== undefined && range.admits(parsed, { prereleases });
}

/**
 * Returns whether a policy denies a version. The version of a digest is unknown, so an entry for
 * some versions denies all digests.
 */
function isDenied(entry: PolicyEntry, repository: string, version: string): boolean {
  if (isNamed(entry, repository, version, true)) return true;
  const isOfDigest = entry.version !== undefined && isDigest(entry.version);
  return isDigest(version) && !isOfDigest && isBelow(repository, entry.packages);
}
