import { isRejection, judge } from '../../crossplane/packages/admission.js';
import type { Repository } from '../../crossplane/packages/package.js';
import type { PackageContents } from '../../crossplane/packages/package-contents.js';
import type { PackageMeta } from '../../crossplane/packages/package-meta.js';
import type { PackageSource } from '../../sources/package-source.js';
import { versionOf } from '../../crossplane/releases/target-choice.js';
import type { Target } from '../../crossplane/releases/target.js';
import { parseConstraint } from '../../crossplane/constraints/constraint.js';
import { installableVersions } from '../../crossplane/constraints/installable-versions.js';
import { SourceReader } from '../../resolver/driver/source-reader.js';

/** One published version of a package. */
interface PublishedVersion {
  readonly version: string;
  readonly prerelease: boolean;
  /** Constraint on Crossplane; undefined: there is none, or the package is invalid. */
  readonly crossplane: string | undefined;
  /** Why the target rejects the version; undefined: the target accepts it. */
  readonly refused: string | undefined;
}

interface VersionList {
  /** The requested number of versions, newest first. */
  readonly versions: readonly PublishedVersion[];
  /** Number of all published versions. */
  readonly total: number;
}

interface VersionsOptions {
  readonly source: PackageSource;
  readonly target: Target;
  /** How many of the newest versions to read; each one may need a download. */
  readonly newest: number;
}

/** Returns the newest versions of a package, or undefined if no source knows the package. */
export async function versions(
  repository: Repository,
  { source, target, newest }: VersionsOptions,
): Promise<VersionList | undefined> {
  const reader = SourceReader.of(source);
  const tags = await reader.tags(repository, target);
  if (tags === undefined) return undefined;
  const published = installableVersions(tags, target);
  const read = published.slice(0, newest).map(async ({ raw, prerelease }) => {
    const found = await reader.fetch({ repository, version: raw }, target);
    const support = supportOf(found?.contents, target);
    return { version: raw, prerelease: prerelease !== '', ...support };
  });
  return { versions: await Promise.all(read), total: published.length };
}

function supportOf(
  contents: PackageContents | undefined,
  target: Target,
): Pick<PublishedVersion, 'crossplane' | 'refused'> {
  if (contents === undefined) {
    return { crossplane: undefined, refused: 'it is listed, and not there' };
  }
  const meta = judge(contents, target);
  if (isRejection(meta)) {
    const error = meta.findings.find(({ severity }) => severity === 'error');
    return { crossplane: undefined, refused: error?.message };
  }
  return { crossplane: meta.crossplane, refused: crossplaneProblem(meta, target) };
}

function crossplaneProblem({ crossplane }: PackageMeta, target: Target): string | undefined {
  if (crossplane === undefined) return undefined;
  const constraint = parseConstraint(crossplane, target.rules.dialect);
  if (constraint.invalid || constraint.admits(versionOf(target))) return undefined;
  return `needs Crossplane ${crossplane}`;
}
