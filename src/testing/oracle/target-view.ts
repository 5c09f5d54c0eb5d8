// Independent of admission/ and solver/ on purpose: a mistake in both would not show.
import { parseConstraint, type Constraint } from '../../semver/constraint.js';
import { meetsDemand, type CrdDemand } from '../../model/crd-demand.js';
import type { IndexFile } from '../../model/index-file.js';
import { isDigest } from '../../text/digest.js';
import type { PackageObject } from '../../model/package-contents.js';
import type { LocalRoot, Request, Root } from '../../model/request.js';
import type { MinimumAge, PolicyEntry } from '../../model/policy/policy.js';
import type { Target } from '../../model/target/target.js';
import { realClock } from '../../model/time/clock.js';
import { parseVersion } from '../../semver/version.js';
import { readEntry, readVersion, type OracleReading, type ReadDependency } from './reading.js';
import type { ResolverOptions } from '../laws/resolver.js';

/** Which versions of a package will do; `owning`: those that give the API. */
type OracleSelector =
  | { readonly form: 'range'; readonly range: Constraint }
  | { readonly form: 'tag'; readonly tag: string }
  | { readonly form: 'digest'; readonly digest: string }
  | { readonly form: 'owning'; readonly api: CrdDemand };

/** A package that must be in the selection, at one of some versions. */
export interface OracleRequirement {
  /** Who requires it: the request, a package under development, or a version of a package. */
  readonly by: string;
  readonly repository: string;
  /** undefined: any. */
  readonly kind: string | undefined;
  readonly selector: OracleSelector;
}

/** What a root asks for: a package, or an API of any package. */
export type OracleRoot = OracleRequirement | { readonly api: CrdDemand };

/**
 * A universe and a request as one target reads them: the rules of the target, and the request's
 * replacements, overrides and exclusions, are applied to every answer.
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

  /** The package as the target sees it; undefined: it is missing, or refused. */
  read(repository: string, version: string): OracleReading | undefined {
    const key = `${repository}@${version}`;
    if (!this.#readings.has(key))
      this.#readings.set(key, readVersion(this.universe, { repository, version }, this.target));
    return this.#readings.get(key);
  }

  /** undefined: a package under development requires what the target can make nothing of. */
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

  /** What a version requires, in dependsOn order. */
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

  /** The requirement after the request's replacements and overrides. */
  #applyRules(requirement: OracleRequirement): OracleRequirement {
    const repository = this.#replaced(requirement.repository);
    const override = this.#request.overrides.find((rule) => rule.repository === repository);
    const selector = override ? this.selectorOf(override.version) : requirement.selector;
    return { ...requirement, repository, selector };
  }

  #replaced(repository: string): string {
    return this.#request.replace.find((r) => r.repository === repository)?.with ?? repository;
  }

  /** What a version means as a user or a package writes it: a digest, a range, else a tag. */
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
          this.read(repository, version)?.installs.some((o) => meetsDemand(o, selector.api)) ===
          true
        );
      case 'range': {
        const parsed = parseVersion(version, this.target.rules.dialect);
        const prereleases = this.options.prereleases?.includes(repository) === true;
        return parsed !== undefined && selector.range.admits(parsed, { prereleases });
      }
    }
  }

  /** Whether the request excludes a version. Admitting prereleases widens no exclusion. */
  isExcluded(repository: string, version: string): boolean {
    const rules = this.#request.exclude.filter((rule) => rule.repository === repository);
    return rules.some((rule) => {
      const selector = this.selectorOf(rule.version);
      if (rule.version === version || selector.form !== 'range') return rule.version === version;
      const parsed = parseVersion(version, this.target.rules.dialect);
      return parsed !== undefined && selector.range.admits(parsed);
    });
  }

  /** Whether a policy of the request forbids a version. */
  isForbidden(repository: string, version: string): boolean {
    return (this.#request.policies ?? []).some(
      ({ registries, deny, minimumAge }) =>
        registries?.allowed.every((prefix) => !isBelow(repository, prefix)) === true ||
        deny.some((entry) => this.#means(entry, repository, version)) ||
        (minimumAge !== undefined &&
          !this.#isLocked(repository, version) &&
          !minimumAge.except.some((entry) => this.#means(entry, repository, version)) &&
          this.#isTooYoung(repository, version, minimumAge)),
    );
  }

  #means({ packages, version: text }: PolicyEntry, repository: string, version: string): boolean {
    if (!isBelow(repository, packages)) return false;
    if (text === undefined || text === version) return true;
    const selector = this.selectorOf(text);
    const parsed = parseVersion(version, this.target.rules.dialect);
    return selector.form === 'range' && parsed !== undefined && selector.range.admits(parsed);
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

  /** Whether the target meets the version's Crossplane constraint, or a root says to ignore that. */
  runsOnTarget(repository: string, { crossplane }: OracleReading): boolean {
    const exempt = this.#request.roots.some(
      (root) =>
        root.root === 'package' &&
        root.ignoreCrossplaneConstraints &&
        this.#replaced(root.repository) === repository,
    );
    return exempt || this.admitsTarget(crossplane);
  }

  /** Packages under development: their requirements and objects count, no version is selected. */
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

  /** Every object that a selection would install, after the package that installs it. */
  installs(selected: ReadonlyMap<string, string>): readonly (readonly [string, PackageObject])[] {
    return [
      ...this.locals().flatMap(({ name, objects }) => objects.map((o) => [name, o] as const)),
      ...[...selected].flatMap(([repository, version]) =>
        (this.read(repository, version)?.installs ?? []).map((o) => [repository, o] as const),
      ),
    ];
  }
}

/** Part by part: `a.io/org` has `a.io/org/p` below it, and not `a.io/organisation/p`. */
function isBelow(repository: string, prefix: string): boolean {
  const parts = partsOf(repository);
  return partsOf(`${prefix}/`).every((part, n) => part === '' || parts[n] === part);
}

/** Docker Hub has two names. */
function partsOf(name: string): string[] {
  return name.replace(/^docker\.io\//, 'index.docker.io/').split('/');
}
