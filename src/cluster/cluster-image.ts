import { decodeProblem, selectPackage } from '../admission/dependency.js';
import { crossplaneConstraint, lintContents, packageKind } from '../admission/lint.js';
import { ownedObjects } from '../admission/owned.js';
import type { LockDependency } from '../lock/lock-row.js';
import type { LockedPackage } from '../lock/lockfile.js';
import type { OwnedObject } from '../model/owned-object.js';
import type { PackageContents } from '../model/package-contents.js';
import type { PackageKind } from '../model/package.js';
import type { Target } from '../model/target/target.js';
import { isMapping, type JsonValue } from '../text/json.js';

/** An image as a package manager sees it, be it good or not. */
export interface ClusterImage {
  /** undefined: not known. */
  readonly digest: string | undefined;
  /** undefined: it holds no package, and `problem` says why. */
  readonly kind: PackageKind | undefined;
  readonly crossplane: string | undefined;
  /** undefined: an entry of dependsOn names no package. */
  readonly dependencies: readonly LockDependency[] | undefined;
  readonly owns: readonly OwnedObject[];
  readonly problem: ImageProblem | undefined;
}

/** Why a package is refused as it stands: it cannot be read, or holds what it may not. */
export interface ImageProblem {
  readonly at: 'read' | 'lint';
  readonly message: string;
}

/** Findings about what could be read; all others say that it could not. */
const LINTED: ReadonlySet<string> = new Set([
  'one-meta',
  'crossplane-constraint',
  'object-not-allowed',
]);

/** What the target makes of the contents of an image. */
export function clusterImage(
  contents: PackageContents,
  digest: string | undefined,
  target: Target,
): ClusterImage {
  const [meta] = contents.metas;
  const kind = meta && packageKind(meta);
  const dependsOn = meta?.dependsOn ?? [];
  return {
    digest,
    kind,
    crossplane: meta && crossplaneConstraint(meta),
    dependencies: dependenciesOf(dependsOn, target),
    owns: kind === undefined ? [] : ownedObjects(contents.objects, kind, target),
    problem: problemOf(contents, dependsOn, target),
  };
}

/** What the target makes of a locked package, which it would not refuse. */
export function lockedImage(locked: LockedPackage): ClusterImage {
  const { digest, kind, crossplane, requirements, owns } = locked;
  const dependencies = requirements
    .filter((each) => each.requires === 'package')
    .map(({ repository, kind: asked, apiVersion, constraint }) => ({
      repository,
      kind: asked,
      apiVersion,
      constraint,
    }));
  return { digest, kind, crossplane, dependencies, owns, problem: undefined };
}

function problemOf(
  contents: PackageContents,
  dependsOn: readonly JsonValue[],
  target: Target,
): ImageProblem | undefined {
  const errors = lintContents(contents, target).filter(({ severity }) => severity === 'error');
  const unread = errors.find(({ code }) => !LINTED.has(code))?.message;
  const undecoded = dependsOn.map((entry) => decodeProblem(entry, target)).find(Boolean);
  const message = unread ?? undecoded;
  if (message !== undefined) return { at: 'read', message };
  const [linted] = errors;
  return linted && { at: 'lint', message: linted.message };
}

function dependenciesOf(
  dependsOn: readonly JsonValue[],
  target: Target,
): readonly LockDependency[] | undefined {
  const dependencies = dependsOn.map((entry): LockDependency | undefined => {
    const fields = isMapping(entry) ? entry : {};
    const named = selectPackage(fields, target);
    const constraint = typeof fields['version'] === 'string' ? fields['version'] : '';
    if (named !== undefined) {
      const { source: repository, kind, apiVersion } = named;
      return { repository, kind, apiVersion, constraint };
    }
    if (target.rules.explicitDependencies) return undefined;
    // Releases that know no explicit form write a dependency on nothing, which none can resolve.
    return { repository: '', kind: '', apiVersion: undefined, constraint };
  });
  return dependencies.every((each) => each !== undefined) ? dependencies : undefined;
}
