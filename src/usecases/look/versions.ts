import { isRejection, judge } from '../../admission/judge.js';
import type { Repository } from '../../model/package.js';
import type { PackageMeta } from '../../model/package-meta.js';
import type { PackageSource } from '../../model/package-source.js';
import { versionOf } from '../../model/target/target-choice.js';
import type { Target } from '../../model/target/target.js';
import { parseConstraint } from '../../semver/constraint.js';
import { publishedVersions } from './published.js';

/** One published version of a package. */
export interface PublishedVersion {
  readonly version: string;
  readonly prerelease: boolean;
  /** Constraint on Crossplane; undefined: any will do, or the version could not be installed. */
  readonly crossplane: string | undefined;
  /** Why the target does not take it; undefined: it does. */
  readonly refused: string | undefined;
}

export interface VersionList {
  readonly repository: Repository;
  /** Newest first, as many as were asked for. */
  readonly versions: readonly PublishedVersion[];
  /** How many there are in all. */
  readonly total: number;
}

export interface VersionsOptions {
  readonly source: PackageSource;
  readonly target: Target;
  /** How many of the newest are read; each costs a download where they are at a registry. */
  readonly newest: number;
}

/** The versions of a package, and which Crossplane each needs; undefined: no source knows it. */
export async function versions(
  repository: Repository,
  { source, target, newest }: VersionsOptions,
): Promise<VersionList | undefined> {
  const tags = await source.tags(repository, target);
  if (tags === undefined) return undefined;
  const published = publishedVersions(tags, target);
  const read = published.slice(0, newest).map(async ({ raw, prerelease }) => {
    const found = await source.fetch({ repository, version: raw }, target);
    const seen = found === undefined ? NOT_THERE : seenBy(judge(found.contents, target), target);
    return { version: raw, prerelease: prerelease !== '', ...seen };
  });
  return { repository, versions: await Promise.all(read), total: published.length };
}

type Seen = Pick<PublishedVersion, 'crossplane' | 'refused'>;

const NOT_THERE: Seen = { crossplane: undefined, refused: 'it is listed, and not there' };

function seenBy(judged: ReturnType<typeof judge>, target: Target): Seen {
  if (!isRejection(judged)) {
    return { crossplane: judged.crossplane, refused: crossplaneProblem(judged, target) };
  }
  const error = judged.findings.find(({ severity }) => severity === 'error');
  return { crossplane: undefined, refused: error?.message };
}

function crossplaneProblem({ crossplane }: PackageMeta, target: Target): string | undefined {
  if (crossplane === undefined) return undefined;
  const constraint = parseConstraint(crossplane, target.rules.dialect);
  if (constraint.invalid || constraint.admits(versionOf(target))) return undefined;
  return `needs Crossplane ${crossplane}`;
}
