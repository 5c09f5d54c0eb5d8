import type { LockDependency } from './dependency-graph.js';
import { isMapping, type JsonValue, stringOf } from '../../base/json.js';
import { crossplaneConstraint, lintContents, packageKind } from '../packages/admission.js';
import { refusedObjects } from '../packages/api-rules.js';
import { decodeProblem, namedPackage } from '../packages/dependencies.js';
import { type OwnedObject, ownedObjects } from '../packages/owned-objects.js';
import type { PackageContents } from '../packages/package-contents.js';
import type { Candidate, PackageKind, Repository } from '../packages/package.js';
import type { Target } from '../releases/target.js';

/** An image as a package manager reads it, valid or not. */
export interface ClusterImage {
  readonly digest: string | undefined;
  /** undefined if the image contains no package; `problem` then has the reason. */
  readonly kind: PackageKind | undefined;
  readonly crossplane: string | undefined;
  /** undefined if an entry of dependsOn names no package. */
  readonly dependencies: readonly LockDependency[] | undefined;
  readonly owns: readonly OwnedObject[];
  readonly problem: ImageProblem | undefined;
}

/** The reason why a package is refused, and the step that refuses it. */
interface ImageProblem {
  readonly at: 'read' | 'lint' | 'establish';
  readonly message: string;
}

/** Codes of findings of the linter. All other errors mean that the package could not be read. */
const LINTER_CODES: ReadonlySet<string> = new Set([
  'one-meta',
  'crossplane-constraint',
  'object-not-allowed',
]);

/** Returns how the package manager of the target sees the contents of an image. */
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
    problem: problemOf(contents, dependsOn, target) ?? apiProblem(contents, kind, target),
  };
}

function problemOf(
  contents: PackageContents,
  dependsOn: readonly JsonValue[],
  target: Target,
): ImageProblem | undefined {
  const errors = lintContents(contents, target).filter(({ severity }) => severity === 'error');
  const readError = errors.find(({ code }) => !LINTER_CODES.has(code))?.message;
  const decodeError = dependsOn.map((entry) => decodeProblem(entry, target)).find(Boolean);
  const message = readError ?? decodeError;
  if (message !== undefined) return { at: 'read', message };
  const [linted] = errors;
  return linted && { at: 'lint', message: linted.message };
}

/** Crossplane does a dry run first: one refused object fails the whole revision. */
function apiProblem(
  { objects }: PackageContents,
  kind: PackageKind | undefined,
  target: Target,
): ImageProblem | undefined {
  const [first] = kind === undefined ? [] : refusedObjects(objects, kind, target);
  if (first === undefined) return undefined;
  const { apiVersion = 'apiextensions.crossplane.io/v1', kind: refused, name } = first.object;
  const message = `${refused}.${apiVersion.split('/')[0]} "${name}" is invalid: ${first.serverMessage}`;
  return { at: 'establish', message };
}

function dependenciesOf(
  dependsOn: readonly JsonValue[],
  target: Target,
): readonly LockDependency[] | undefined {
  const dependencies = dependsOn.map((entry): LockDependency | undefined => {
    const fields = isMapping(entry) ? entry : {};
    const named = namedPackage(fields, target);
    const constraint = stringOf(fields['version']) ?? '';
    if (named !== undefined) {
      const { source: repository, kind, apiVersion } = named;
      return { repository, kind, apiVersion, constraint };
    }
    if (target.rules.explicitDependencies) return undefined;
    // Earlier releases write a dependency without a name, which cannot be resolved.
    return { repository: '', kind: '', apiVersion: undefined, constraint };
  });
  return dependencies.every((each) => each !== undefined) ? dependencies : undefined;
}

export type RegistryRequest =
  /** All tags; the reply is undefined if there is no such repository. */
  | { readonly ask: 'tags'; readonly repository: Repository }
  /** The content of an image; the reply is undefined if there is no such image. */
  | { readonly ask: 'image'; readonly candidate: Candidate };

export type RegistryReply = readonly string[] | ClusterImage | undefined;

/** A task of a package manager. It yields requests and continues with the replies. */
export type ClusterTask<T> = Generator<RegistryRequest, T, RegistryReply>;

export function* requestTags(repository: Repository): ClusterTask<readonly string[] | undefined> {
  return (yield { ask: 'tags', repository }) as readonly string[] | undefined;
}

export function* requestImage(candidate: Candidate): ClusterTask<ClusterImage | undefined> {
  return (yield { ask: 'image', candidate }) as ClusterImage | undefined;
}
