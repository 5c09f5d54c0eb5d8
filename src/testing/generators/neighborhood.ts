import { isAbsolute, resolve } from 'node:path';
import * as fc from 'fast-check';
import { printableScenario, type Scenario } from './scenario.js';
import { byCodePoint } from '../../base/collections.js';
import { isDigest } from '../../base/digest.js';
import { InputError } from '../../base/errors.js';
import type { JsonValue } from '../../base/json.js';
import { parseConstraint } from '../../crossplane/constraints/constraint.js';
import { compareVersions, exactTag, parseVersion } from '../../crossplane/constraints/version.js';
import { readDependency } from '../../crossplane/packages/dependencies.js';
import type { Repository } from '../../crossplane/packages/package.js';
import { chooseTargets } from '../../crossplane/releases/target-choice.js';
import { sameRules, type Target, targetFor } from '../../crossplane/releases/target.js';
import { readInputs } from '../../project/inputs/read-inputs.js';
import { readRef } from '../../project/inputs/references.js';
import {
  combine,
  type LocalRoot,
  overrideOf,
  replacedRepository,
  type Request,
  type Root,
  type RootVersion,
} from '../../project/inputs/request.js';
import { toIndexEntry, singleMeta } from '../../sources/index/index-entry.js';
import type { IndexFile, IndexPackage, IndexVersion } from '../../sources/index/index-file.js';
import type { PackageSource } from '../../sources/package-source.js';

export interface AroundOptions {
  /** A Crossplane release, a range, or a list of releases; by default the newest known release. */
  readonly crossplane?: string | readonly string[] | undefined;
  /** References of other roots, which scenarios may add. */
  readonly beside?: readonly string[] | undefined;
  /** Packages whose published versions vary; by default those that the package requires. */
  readonly vary?: readonly string[] | undefined;
  /**
   * `up-to`: a varied package is published up to some version. `only`: only that version is
   * published. A direct requirement gets versions that the package allows.
   */
  readonly published?: 'up-to' | 'only' | undefined;
  /** Number of versions to read for each requirement, newest first; 10 by default. */
  readonly versions?: number | undefined;
  /** Maximum number of package versions; 2000 by default. More are an error. */
  readonly limit?: number | undefined;
  /** Packages whose prereleases count as releases. */
  readonly prereleases?: readonly string[] | undefined;
}

/** A package and the packages that it could be installed with. */
export interface Neighbourhood {
  /** All versions that were read. */
  readonly universe: IndexFile;
  /** Request for the package alone. */
  readonly request: Request;
  /** Crossplane releases to test, newest first. */
  readonly releases: readonly string[];
  /** Last published versions to test for each varied package, newest first. */
  readonly varied: ReadonlyMap<string, readonly string[]>;
  /**
   * Scenarios with the package on one release, some of the other roots, and some of the versions.
   * Shrinks to the newest release, the package alone, and all versions.
   */
  readonly scenarios: fc.Arbitrary<Scenario>;
}

/**
 * Reads the neighborhood of a real package, given by reference (`xpkg.example.org/acme/a@^v1.0.0`)
 * or by folder (an absolute path or one that begins with a dot).
 *
 * Reads all that the package and the other roots could need, within bounds. The scenarios need no
 * more reads and are the same for the same seed.
 */
export async function aroundPackage(
  what: string,
  source: PackageSource,
  options: AroundOptions = {},
): Promise<Neighbourhood> {
  const { beside = [], prereleases = [] } = options;
  const targets = targetsOf(options.crossplane);
  const request = await requestFor(what);
  const others = combine(beside.map(readRef)).roots;
  const bounds = {
    targets: targets.filter((a, n) => targets.findIndex((b) => sameRules(a, b)) === n),
    versions: options.versions ?? 10,
    limit: options.limit ?? 2000,
    prereleases: new Set(prereleases),
  };
  const crawl = new Crawl({ ...request, roots: [...request.roots, ...others] }, source, bounds);
  const universe = await crawl.universe();
  const required = request.roots.flatMap((root) =>
    directRequirements(root, universe, bounds.targets),
  );
  const names = options.vary ?? required.map(({ repository }) => repository);
  const varied = new Map(
    [...new Set(names)].flatMap((name) => {
      const tags = lastVersions(name, universe, required, bounds);
      return tags.length === 0 ? [] : [[name, tags] as const];
    }),
  );
  const releases = targets.map(({ version }) => version);
  const found = { universe, request, releases, varied };
  return { ...found, scenarios: scenarios(found, others, options) };
}

function scenarios(
  { universe, request, releases, varied }: Omit<Neighbourhood, 'scenarios'>,
  others: readonly Root[],
  { published = 'up-to', prereleases }: AroundOptions,
): fc.Arbitrary<Scenario> {
  const plan = fc.record({
    release: fc.constantFrom(...releases),
    beside: fc.subarray([...others]),
    stops: fc.tuple(...[...varied.values()].map((tags) => fc.nat({ max: tags.length }))),
  });
  return plan.map(({ release, beside, stops: drawn }) => {
    const packages = { ...universe.packages };
    for (const [n, [name, tags]] of [...varied].entries()) {
      // A draw shrinks to 0, which means all versions.
      const stop = tags[drawn[n]! - 1];
      if (stop !== undefined) packages[name] = publishedPart(packages[name]!, stop, published);
    }
    return printableScenario({
      universe: { packages },
      request: { ...request, roots: [...request.roots, ...beside] },
      options: { crossplane: release, ...(prereleases && { prereleases }) },
    });
  });
}

/** Publishes a package up to `stop`, or only `stop`. Digests and invalid versions stay. */
function publishedPart(
  { kind, versions }: IndexPackage,
  stop: string,
  published: 'up-to' | 'only',
): IndexPackage {
  const order = newestFirst(Object.keys(versions));
  const unpublished = new Set(
    published === 'only'
      ? order.filter((tag) => tag !== stop)
      : order.slice(0, order.indexOf(stop)),
  );
  const remaining = Object.entries(versions).filter(([tag]) => !unpublished.has(tag));
  return { kind, versions: Object.fromEntries(remaining) };
}

/** Returns the last published versions to test for a package, newest first. */
function lastVersions(
  name: string,
  universe: IndexFile,
  required: readonly RequiredPackage[],
  bounds: NeighbourhoodBounds,
): string[] {
  if (!Object.hasOwn(universe.packages, name)) return [];
  const tags = newestFirst(Object.keys(universe.packages[name]!.versions));
  const texts = required.flatMap(({ repository, version }) =>
    name === String(repository) && version.form === 'text' ? [version.text] : [],
  );
  if (texts.length === 0) return tags;
  const admitted = texts.flatMap((text) => admittedTags(name, tags, text, bounds));
  return tags.filter((tag) => admitted.includes(tag));
}

/** Returns the direct requirements of a root, in any of its versions. */
function directRequirements(
  root: Root,
  { packages }: IndexFile,
  targets: readonly Target[],
): readonly RequiredPackage[] {
  if (root.root === 'local') return requiredByLocal(root, targets);
  if (root.root === 'crd' || !Object.hasOwn(packages, root.repository)) return [];
  const versions = Object.values(packages[root.repository]!.versions);
  const entries = versions.flatMap(({ dependsOn = [] }) => dependsOn);
  return requiredBy(entries, targets);
}

async function requestFor(what: string): Promise<Request> {
  if (!what.startsWith('.') && !isAbsolute(what)) return combine([readRef(what)]);
  const { request } = await readInputs({
    files: [what],
    refs: [],
    cwd: resolve('.'),
    stdin: () => Promise.resolve(''),
  });
  return request;
}

function targetsOf(crossplane: AroundOptions['crossplane']): Target[] {
  if (typeof crossplane === 'object') return crossplane.map(exactly);
  const origin = { file: 'aroundPackage' };
  const range = crossplane === undefined ? undefined : { text: crossplane, origin };
  return chooseTargets(range).groups.flat();
}

function exactly(release: string): Target {
  const target = targetFor(release);
  if (target !== undefined) return target;
  throw new InputError(`\`${release}\` is no release of Crossplane`, {
    hint: 'write full versions in a list, such as `v2.3.4`; a text alone may be a range',
  });
}

/** Limits of the neighborhood to read. */
interface NeighbourhoodBounds {
  /** One target for each set of release rules. The source is read for the first. */
  readonly targets: readonly Target[];
  /** Number of versions to read for each requirement, newest first. */
  readonly versions: number;
  /** Maximum number of package versions. */
  readonly limit: number;
  readonly prereleases: ReadonlySet<string>;
}

/** Versions of a package that a root or a `dependsOn` entry requires. */
interface RequiredPackage {
  readonly repository: Repository;
  readonly version: RootVersion;
}

/** Returns the requirements of `dependsOn` entries, as any of the targets reads them. */
function requiredBy(
  entries: readonly JsonValue[],
  targets: readonly Target[],
): readonly RequiredPackage[] {
  const required = new Map<string, RequiredPackage>();
  for (const entry of entries) {
    for (const target of targets) {
      const { requirement } = readDependency(entry, { target, compat: false, line: undefined });
      if (requirement?.requires !== 'package') continue;
      const { repository, constraint: text } = requirement;
      required.set(`${repository} ${text}`, { repository, version: { form: 'text', text } });
    }
  }
  return [...required.values()];
}

function requiredByLocal(
  { dependsOn }: LocalRoot,
  targets: readonly Target[],
): readonly RequiredPackage[] {
  const entries = dependsOn.map(({ entry }) => entry);
  return requiredBy(entries, targets);
}

/** Returns the tags that satisfy a constraint on any of the targets, newest first. */
function admittedTags(
  repository: Repository,
  tags: readonly string[],
  text: string,
  { targets, ...bounds }: NeighbourhoodBounds,
): string[] {
  const prereleases = bounds.prereleases.has(repository);
  const admitted = targets.flatMap(({ rules: { dialect } }) => {
    const range = parseConstraint(text, dialect);
    return tags.filter((tag) => {
      const version = parseVersion(tag, dialect);
      return version && !range.invalid && range.admits(version, { prereleases });
    });
  });
  return newestFirst([...new Set(admitted)]);
}

function newestFirst(tags: readonly string[]): string[] {
  const versions = tags.flatMap((tag) => parseVersion(tag, '1.5.0') ?? []);
  return versions
    .sort((a, b) => compareVersions(b, a) || byCodePoint(b.raw, a.raw))
    .map(({ raw }) => raw);
}

/** Reads packages and their dependencies, each requirement once. */
class Crawl {
  readonly #request: Request;
  readonly #source: PackageSource;
  readonly #bounds: NeighbourhoodBounds;
  readonly #packages = new Map<
    Repository,
    { kind: string | undefined; versions: Map<string, IndexVersion> }
  >();
  readonly #followed = new Set<string>();
  #readCount = 0;

  constructor(request: Request, source: PackageSource, bounds: NeighbourhoodBounds) {
    this.#request = request;
    this.#source = source;
    this.#bounds = bounds;
  }

  async #requiredByRoot(root: Root): Promise<readonly RequiredPackage[]> {
    if (root.root === 'package') return [root];
    if (root.root === 'local') return requiredByLocal(root, this.#bounds.targets);
    const owners = (await this.#source.owners?.(root.demand, this.#target)) ?? [];
    return owners.flatMap(({ repository, versions }) =>
      newestFirst(versions)
        .slice(0, this.#bounds.versions)
        .map((tag): RequiredPackage => ({ repository, version: { form: 'tag', tag } })),
    );
  }

  /** Returns the newest versions that satisfy each requirement, from the roots on. */
  async universe(): Promise<IndexFile> {
    for (const root of this.#request.roots) await this.#follow(await this.#requiredByRoot(root));
    const packages = [...this.#packages]
      .sort(([a], [b]) => byCodePoint(a, b))
      .map(([repository, { kind = 'Provider', versions }]): [string, IndexPackage] => {
        const tags = [...versions.keys()].sort(byCodePoint);
        const sorted = tags.map((tag): [string, IndexVersion] => [tag, versions.get(tag)!]);
        return [repository, { kind, versions: Object.fromEntries(sorted) }];
      });
    return { packages: Object.fromEntries(packages) };
  }

  get #target(): Target {
    return this.#bounds.targets[0]!;
  }

  /** Reads the required packages and their dependencies. */
  async #follow(first: readonly RequiredPackage[]): Promise<void> {
    const queue = [...first];
    for (const required of queue) {
      const repository = replacedRepository(this.#request, required.repository);
      const override = overrideOf(this.#request, repository);
      const version: RootVersion = override
        ? { form: 'text', text: override.version }
        : required.version;
      const requirement = JSON.stringify([repository, version]);
      if (this.#followed.has(requirement)) continue;
      this.#followed.add(requirement);
      for (const tag of await this.#versionsOf(repository, version)) {
        queue.push(...(await this.#fetch(repository, tag)));
      }
    }
  }

  async #versionsOf(repository: Repository, version: RootVersion): Promise<string[]> {
    if (version.form === 'tag') return [version.tag];
    if (version.form === 'digest') return [version.digest];
    const { text } = version;
    if (isDigest(text)) return [text];
    const exact = this.#bounds.targets.flatMap(({ rules }) => exactTag(text, rules.dialect) ?? []);
    if (exact.length > 0) return exact;
    const tags = (await this.#source.tags(repository, this.#target)) ?? [];
    const admitted = admittedTags(repository, tags, text, this.#bounds);
    if (tags.includes(text) && admitted.length === 0) return [text];
    return admitted.slice(0, this.#bounds.versions);
  }

  /** Reads a version and returns its requirements; none if it was read before. */
  async #fetch(repository: Repository, version: string): Promise<readonly RequiredPackage[]> {
    const read = this.#packages.get(repository) ?? { kind: undefined, versions: new Map() };
    if (read.versions.has(version)) return [];
    if (++this.#readCount > this.#bounds.limit) {
      const { limit, versions } = this.#bounds;
      throw new InputError(
        `more than ${limit} package versions are within reach (at \`${repository}\`)`,
        { hint: `ask for fewer than ${versions} \`versions\` of each demand, or raise \`limit\`` },
      );
    }
    const found = await this.#source.fetch({ repository, version }, this.#target);
    if (found === undefined) return [];
    read.kind ??= singleMeta(found.contents)?.kind;
    read.versions.set(version, toIndexEntry(found, repository, read.kind ?? 'Provider'));
    this.#packages.set(repository, read);
    return requiredBy(singleMeta(found.contents)?.dependsOn ?? [], this.#bounds.targets);
  }
}
