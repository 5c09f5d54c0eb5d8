import { byCodePoint } from '../../text/code-point-order.js';
import { parseConstraint } from '../../semver/constraint.js';
import { readDependency } from '../../admission/dependency.js';
import type { IndexFile, IndexPackage, IndexVersion } from '../../model/index-file.js';
import { InputError } from '../../model/input-error.js';
import { isDigest } from '../../text/digest.js';
import type { Repository } from '../../model/package.js';
import type { JsonValue } from '../../text/json.js';
import type { PackageSource } from '../../model/package-source.js';
import type { Request, Root, RootVersion } from '../../model/request.js';
import type { Target } from '../../model/target/target.js';
import { compareVersions, exactTag, parseVersion } from '../../semver/version.js';
import { indexEntry, onlyMeta } from '../../sources/index/index-entry.js';

/** How much of what is published is read. */
interface NeighbourhoodBounds {
  /** One for each set of rules that releases have; the source is asked for the first. */
  readonly targets: readonly Target[];
  /** Versions to read for each requirement: the newest that it admits. */
  readonly versions: number;
  /** Package versions to read, all in all. */
  readonly limit: number;
  readonly prereleases: ReadonlySet<string>;
}

/** Versions of a package that a root or a dependsOn entry asks for. */
export interface RequiredPackage {
  readonly repository: Repository;
  readonly version: RootVersion;
}

/**
 * Every package that dependencies lead to from the roots, as the source has it. Only versions that
 * a requirement admits are read, and of those the newest.
 */
export async function neighbourhood(
  request: Request,
  source: PackageSource,
  bounds: NeighbourhoodBounds,
): Promise<IndexFile> {
  const crawl = new Crawl(request, source, bounds);
  for (const root of request.roots) await crawl.enter(root);
  return crawl.universe();
}

/** What dependsOn entries require, as any of the targets reads them. */
export function requiredBy(
  entries: readonly JsonValue[],
  targets: readonly Target[],
): readonly RequiredPackage[] {
  const asked = new Map<string, RequiredPackage>();
  for (const entry of entries) {
    for (const target of targets) {
      const { requirement } = readDependency(entry, { target, compat: false, line: undefined });
      if (requirement?.requires !== 'package') continue;
      const { repository, constraint: text } = requirement;
      asked.set(`${repository} ${text}`, { repository, version: { form: 'text', text } });
    }
  }
  return [...asked.values()];
}

/** The tags that a text means to some target, newest first. */
export function admittedTags(
  tags: readonly string[],
  text: string,
  { targets, prereleases }: { targets: readonly Target[]; prereleases: boolean },
): string[] {
  const admitted = targets.flatMap(({ rules: { dialect } }) => {
    const range = parseConstraint(text, dialect);
    return tags.filter((tag) => {
      const version = parseVersion(tag, dialect);
      return version && !range.invalid && range.admits(version, { prereleases });
    });
  });
  return newestFirst([...new Set(admitted)]);
}

export function newestFirst(tags: readonly string[]): string[] {
  const versions = tags.flatMap((tag) => parseVersion(tag, '1.5.0') ?? []);
  return versions
    .sort((a, b) => compareVersions(b, a) || byCodePoint(b.raw, a.raw))
    .map(({ raw }) => raw);
}

/** Reads packages and what they require, each requirement once. */
class Crawl {
  readonly #request: Request;
  readonly #source: PackageSource;
  readonly #bounds: NeighbourhoodBounds;
  readonly #packages = new Map<
    Repository,
    { kind: string | undefined; versions: Map<string, IndexVersion> }
  >();
  readonly #met = new Set<string>();
  #read = 0;

  constructor(request: Request, source: PackageSource, bounds: NeighbourhoodBounds) {
    this.#request = request;
    this.#source = source;
    this.#bounds = bounds;
  }

  async enter(root: Root): Promise<void> {
    switch (root.root) {
      case 'package':
        return this.#follow([root]);
      case 'local':
        return this.#follow(
          requiredBy(
            root.dependsOn.map(({ entry }) => entry),
            this.#bounds.targets,
          ),
        );
      case 'crd': {
        const owners = (await this.#source.owners?.(root.demand, this.#target)) ?? [];
        return this.#follow(
          owners.flatMap(({ repository, versions }) =>
            newestFirst(versions)
              .slice(0, this.#bounds.versions)
              .map((tag): RequiredPackage => ({ repository, version: { form: 'tag', tag } })),
          ),
        );
      }
    }
  }

  universe(): IndexFile {
    const packages = [...this.#packages]
      .sort(([a], [b]) => byCodePoint(a, b))
      .map(([repository, { kind = 'Provider', versions }]): [string, IndexPackage] => {
        const tags = [...versions.keys()].sort(byCodePoint);
        const held = tags.map((tag): [string, IndexVersion] => [tag, versions.get(tag)!]);
        return [repository, { kind, versions: Object.fromEntries(held) }];
      });
    return { packages: Object.fromEntries(packages) };
  }

  get #target(): Target {
    return this.#bounds.targets[0]!;
  }

  /** Reads what is required, and what that requires, until nothing is new. */
  async #follow(first: readonly RequiredPackage[]): Promise<void> {
    const queue = [...first];
    for (const asked of queue) {
      const { replace, overrides } = this.#request;
      const repository =
        replace.find((rule) => rule.repository === asked.repository)?.with ?? asked.repository;
      const override = overrides.find((rule) => rule.repository === repository);
      const version: RootVersion = override
        ? { form: 'text', text: override.version }
        : asked.version;
      const requirement = JSON.stringify([repository, version]);
      if (this.#met.has(requirement)) continue;
      this.#met.add(requirement);
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
    const prereleases = this.#bounds.prereleases.has(repository);
    const { targets, versions } = this.#bounds;
    const admitted = admittedTags(tags, text, { targets, prereleases });
    return tags.includes(text) && admitted.length === 0 ? [text] : admitted.slice(0, versions);
  }

  /** Reads a version, and returns what it requires; nothing, if it has been read before. */
  async #fetch(repository: Repository, version: string): Promise<readonly RequiredPackage[]> {
    const held = this.#packages.get(repository) ?? { kind: undefined, versions: new Map() };
    if (held.versions.has(version)) return [];
    if (++this.#read > this.#bounds.limit) throw this.#tooFar(repository);
    const found = await this.#source.fetch({ repository, version }, this.#target);
    if (found === undefined) return [];
    held.kind ??= onlyMeta(found.contents)?.kind;
    held.versions.set(version, indexEntry(found, repository, held.kind ?? 'Provider'));
    this.#packages.set(repository, held);
    return requiredBy(onlyMeta(found.contents)?.dependsOn ?? [], this.#bounds.targets);
  }

  #tooFar(repository: string): InputError {
    const { limit, versions } = this.#bounds;
    return new InputError(
      `more than ${limit} package versions are within reach (at \`${repository}\`)`,
      {
        hint: `ask for fewer than ${versions} \`versions\` of each demand, or raise \`limit\``,
      },
    );
  }
}
