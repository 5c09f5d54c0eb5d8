import { parseConstraint } from '../../semver/constraint.js';
import { readDependency } from '../../admission/dependency.js';
import type { Repository } from '../../model/package.js';
import { isOfPackages } from '../../model/policy/policy.js';
import type { PackageSource } from '../../model/package-source.js';
import {
  overrideOf,
  replacedRepository,
  type LocalRoot,
  type PackageRoot,
  type Request,
} from '../../model/request.js';
import type { Target } from '../../model/target/target.js';
import {
  compareVersions,
  exactTag,
  isIncomplete,
  parseVersion,
  type Version,
} from '../../semver/version.js';

/** A root that is tried at other versions. */
export interface VariedRoot {
  readonly root: PackageRoot;
  /** The user has it as a root; else a local package of the user's requires it. */
  readonly isAsked: boolean;
  /** Every version tried is one that the root as asked could mean. */
  readonly staysWithin: boolean;
  /** The versions to try on a release, newest first. */
  readonly tagsFor: (target: Target) => readonly string[];
}

interface Varying {
  readonly source: PackageSource;
  /** All that `tagsFor` will be asked about. */
  readonly targets: readonly Target[];
  readonly prereleases: ReadonlySet<Repository>;
  readonly compat: boolean;
}

/**
 * The packages whose version can be varied, in the order asked: a root with a constraint within
 * it, a root at one tag or digest among all that is published, and what a local package requires
 * within what it requires. A package with an override has no other version to be at.
 */
export async function variedRoots(request: Request, varying: Varying): Promise<VariedRoot[]> {
  const roots = request.roots.filter((root) => root.root === 'package');
  const required = request.roots
    .filter((root) => root.root === 'local')
    .flatMap((local) => requiredBy(local, varying))
    .filter(({ repository }) => roots.every((root) => root.repository !== repository));
  const varied: VariedRoot[] = [];
  for (const [place, root] of [...roots, ...required].entries()) {
    const repository = replacedRepository(request, root.repository);
    if (overrideOf(request, repository) !== undefined) continue;
    const lists = new Map<string, readonly string[]>();
    for (const target of varying.targets) {
      lists.set(target.version, (await varying.source.tags(repository, target)) ?? []);
    }
    const tagsFor = perRelease((target) =>
      candidates(lists.get(target.version)!, target, {
        root,
        prereleases: varying.prereleases.has(repository) || isPrerelease(root, target),
        excluded: [
          ...request.exclude.flatMap((rule) =>
            rule.repository === repository ? [rule.version] : [],
          ),
          ...deniedVersions(request, repository, target),
        ],
      }),
    );
    const staysWithin = varying.targets.every((target) => rangeOf(root, target) !== undefined);
    varied.push({ root, isAsked: place < roots.length, staysWithin, tagsFor });
  }
  return varied;
}

/** A package that is denied as a whole breaks as it is asked for, and needs no variation. */
function deniedVersions(
  { policies = [] }: Request,
  repository: Repository,
  target: Target,
): string[] {
  return policies.flatMap(({ deny }) =>
    deny.flatMap(({ packages, version }) =>
      version !== undefined && isOfPackages(repository, packages, target) ? [version] : [],
    ),
  );
}

/** What a local package requires, once each, as roots of their own. */
function requiredBy(local: LocalRoot, { targets, compat }: Varying): PackageRoot[] {
  const found = new Map<Repository, PackageRoot>();
  for (const { entry, origin } of local.dependsOn) {
    const { requirement } = readDependency(entry, {
      target: targets[0]!,
      compat,
      line: origin.line,
    });
    if (requirement?.requires !== 'package' || found.has(requirement.repository)) continue;
    found.set(requirement.repository, {
      root: 'package',
      repository: requirement.repository,
      kind: requirement.kind,
      version: { form: 'text', text: requirement.constraint },
      name: undefined,
      spec: {},
      object: undefined,
      ignoreCrossplaneConstraints: false,
      skipDependencyResolution: false,
      origin,
    });
  }
  return [...found.values()];
}

/** Draws up a list when a release is first asked about. */
function perRelease(list: (target: Target) => string[]): VariedRoot['tagsFor'] {
  const lists = new Map<string, string[]>();
  return (target) => {
    const found = lists.get(target.version) ?? list(target);
    lists.set(target.version, found);
    return found;
  };
}

interface Pool {
  readonly root: PackageRoot;
  readonly prereleases: boolean;
  readonly excluded: readonly string[];
}

function candidates(tags: readonly string[], target: Target, pool: Pool): string[] {
  const { dialect, skipsIncompleteTags } = target.rules;
  const range = rangeOf(pool.root, target) ?? parseConstraint('>=0.0.0', dialect);
  const excluded = pool.excluded.map((text) => parseConstraint(text, dialect));
  const isExcluded = (version: Version) =>
    pool.excluded.includes(version.raw) ||
    excluded.some((rule) => !rule.invalid && rule.admits(version));
  return tags
    .flatMap((tag) => parseVersion(tag, dialect) ?? [])
    .filter((version) => !(skipsIncompleteTags && isIncomplete(version)))
    .filter((version) => !range.invalid && range.admits(version, { prereleases: pool.prereleases }))
    .filter((version) => !isExcluded(version))
    .sort((a, b) => compareVersions(b, a) || (a.raw < b.raw ? 1 : -1))
    .map(({ raw }) => raw);
}

/** Whether the root is at a prerelease: then others are tried too. */
function isPrerelease({ version }: PackageRoot, { rules: { dialect } }: Target): boolean {
  if (version.form === 'digest') return false;
  const tag = version.form === 'tag' ? version.tag : exactTag(version.text, dialect);
  const named = tag === undefined ? undefined : parseVersion(tag, dialect);
  return named !== undefined && named.prerelease !== '';
}

/** The range a root asks for; undefined: it names one version. */
function rangeOf({ version }: PackageRoot, { rules: { dialect } }: Target) {
  if (version.form !== 'text' || exactTag(version.text, dialect) !== undefined) return undefined;
  const range = parseConstraint(version.text, dialect);
  return range.invalid ? undefined : range;
}
