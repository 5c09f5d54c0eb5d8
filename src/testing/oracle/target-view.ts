import { parseConstraint, type Constraint } from '../../semver/constraint.js';
import { meetsDemand, type CrdDemand } from '../../model/crd-demand.js';
import type { IndexFile } from '../../model/index-file.js';
import { isDigest } from '../../text/digest.js';
import type { PackageObject } from '../../model/package-contents.js';
import type { LocalRoot, Request, Root } from '../../model/request.js';
import type { Target } from '../../model/target/target.js';
import { parseVersion } from '../../semver/version.js';
import { readEntry, readVersion, type Reading } from './reading.js';
import type { ResolverOptions } from '../laws/resolver.js';

/** Which versions of a package are wanted; `owning`: those that give the API. */
export type OracleSelector =
  | { readonly form: 'range'; readonly range: Constraint }
  | { readonly form: 'tag'; readonly tag: string }
  | { readonly form: 'digest'; readonly digest: string }
  | { readonly form: 'owning'; readonly api: CrdDemand };

/** Somebody wants a package. */
export interface OracleRequirement {
  readonly by: string;
  readonly repository: string;
  /** undefined: any. */
  readonly kind: string | undefined;
  readonly want: OracleSelector;
}

/** What is wanted first, in order: packages, and APIs whoever owns them. */
export type RootDemand = OracleRequirement | { readonly api: CrdDemand };

/** A universe and a request as one target sees them. */
export class TargetView {
  readonly universe: IndexFile;
  readonly target: Target;
  readonly options: ResolverOptions;
  readonly #request: Request;
  readonly #readings = new Map<string, Reading | undefined>();
  readonly #demands = new Map<string, readonly OracleRequirement[]>();
  #roots: readonly (RootDemand | undefined)[] | undefined;

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
  read(repository: string, version: string): Reading | undefined {
    const key = `${repository}@${version}`;
    if (!this.#readings.has(key))
      this.#readings.set(key, readVersion(this.universe, { repository, version }, this.target));
    return this.#readings.get(key);
  }

  /** undefined: a package under development requires what the target can make nothing of. */
  roots(): readonly RootDemand[] | undefined {
    const demands = (this.#roots ??= this.#request.roots.flatMap((r) => this.#rootDemands(r)));
    return demands.every((demand) => demand !== undefined) ? demands : undefined;
  }

  #rootDemands(root: Root): readonly (RootDemand | undefined)[] {
    switch (root.root) {
      case 'crd':
        return [{ api: root.demand }];
      case 'local':
        return root.dependsOn.map(({ entry }) => {
          const edge = readEntry(entry, this.target);
          return edge && this.#demand({ by: root.name, ...edge }, this.wantOf(edge.constraint));
        });
      case 'package': {
        const { repository, kind, version } = root;
        const want = version.form === 'text' ? this.wantOf(version.text) : version;
        return [this.#demand({ by: 'the request', repository, kind }, want)];
      }
    }
  }

  /** What a chosen version wants of others, in dependsOn order. */
  demandsOf(repository: string, version: string): readonly OracleRequirement[] {
    const by = `${repository} ${version}`;
    const known = this.#demands.get(by);
    if (known) return known;
    const edges = this.#ignoresRequirements() ? [] : this.read(repository, version)?.edges;
    const demands = (edges ?? []).map((edge) =>
      this.#demand({ by, ...edge }, this.wantOf(edge.constraint)),
    );
    this.#demands.set(by, demands);
    return demands;
  }

  #ignoresRequirements(): boolean {
    return this.#request.roots.some((r) => r.root === 'package' && r.skipDependencyResolution);
  }

  /** With replacements and overrides as the request has them. */
  #demand(asked: Omit<OracleRequirement, 'want'>, want: OracleSelector): OracleRequirement {
    const repository = this.#replaced(asked.repository);
    const override = this.#request.overrides.find((rule) => rule.repository === repository);
    const { by, kind } = asked;
    return { by, kind, repository, want: override ? this.wantOf(override.version) : want };
  }

  #replaced(repository: string): string {
    return this.#request.replace.find((r) => r.repository === repository)?.with ?? repository;
  }

  /** A version as the user or a package writes it. */
  wantOf(text: string): OracleSelector {
    if (isDigest(text)) return { form: 'digest', digest: text };
    const range = parseConstraint(text, this.target.rules.dialect);
    return range.invalid ? { form: 'tag', tag: text } : { form: 'range', range };
  }

  satisfies(repository: string, version: string, want: OracleSelector): boolean {
    switch (want.form) {
      case 'tag':
        return version === want.tag;
      case 'digest':
        return version === want.digest;
      case 'owning':
        return (
          this.read(repository, version)?.installs.some((o) => meetsDemand(o, want.api)) === true
        );
      case 'range': {
        const parsed = parseVersion(version, this.target.rules.dialect);
        const prereleases = this.options.prereleases?.includes(repository) === true;
        return parsed !== undefined && want.range.admits(parsed, { prereleases });
      }
    }
  }

  /** By a rule that means what it says: admitting prereleases widens demands, not exclusions. */
  isExcluded(repository: string, version: string): boolean {
    const rules = this.#request.exclude.filter((rule) => rule.repository === repository);
    return rules.some((rule) => {
      const want = this.wantOf(rule.version);
      if (rule.version === version || want.form !== 'range') return rule.version === version;
      const parsed = parseVersion(version, this.target.rules.dialect);
      return parsed !== undefined && want.range.admits(parsed);
    });
  }

  runsOnTarget(repository: string, { crossplane }: Reading): boolean {
    const exempt = this.#request.roots.some(
      (root) =>
        root.root === 'package' &&
        root.ignoreCrossplaneConstraints &&
        this.#replaced(root.repository) === repository,
    );
    return exempt || this.admitsTarget(crossplane);
  }

  /** Packages under development: their demands count, they are not chosen. */
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

  /** What a set of packages would install, with who would. */
  installs(selected: ReadonlyMap<string, string>): readonly (readonly [string, PackageObject])[] {
    return [
      ...this.locals().flatMap(({ name, objects }) => objects.map((o) => [name, o] as const)),
      ...[...selected].flatMap(([repository, version]) =>
        (this.read(repository, version)?.installs ?? []).map((o) => [repository, o] as const),
      ),
    ];
  }
}
