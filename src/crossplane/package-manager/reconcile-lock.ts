import { requestTags, type ClusterTask } from './cluster-image.js';
import {
  type ClusterObject,
  DEFAULT_SETTINGS,
  newObject,
  type ClusterState,
  type ClusterStep,
  HEALTHY,
  hasSameKey,
  withObject,
  withResolvedCondition,
} from './cluster-state.js';
import {
  constraintsOn,
  dependencyGraph,
  findCycle,
  type ImpliedDependency,
  type LockDependency,
  outdatedOrMissing,
  withoutOutdated,
} from './dependency-graph.js';
import { pulledReference } from './image-config.js';
import { isDigest } from '../../base/digest.js';
import { type Constraint, parseConstraint } from '../constraints/constraint.js';
import { installableVersions } from '../constraints/installable-versions.js';
import { compareVersions, parseVersion, type Version } from '../constraints/version.js';
import { servesPackages } from '../packages/dependencies.js';
import { objectNameOf } from '../packages/object-names.js';
import { isPackageKind, type Repository } from '../packages/package.js';
import {
  joinReference,
  parseReference,
  sameRepository,
  splitPackageReference,
  validPackageReference,
} from '../packages/reference.js';
import type { Target } from '../releases/target.js';

/** Flags of the package manager that allow it to move installed packages. */
export interface MoveFlags {
  readonly upgrades: boolean;
  readonly downgrades: boolean;
}

interface ReconciledLock {
  readonly state: ClusterState;
  /** What was done about the first missing or outdated dependency; undefined for nothing. */
  readonly step?: ClusterStep;
}

/** Installs the first missing dependency. The others wait until it is in the Lock. */
export function* reconcileLock(
  state: ClusterState,
  target: Target,
  flags: MoveFlags,
): ClusterTask<ReconciledLock> {
  if (state.rows.length === 0) {
    return { state: state.resolved === undefined ? state : { ...state, resolved: undefined } };
  }
  const reconciled = yield* resolveFirst(state, target, flags);
  return { ...reconciled, state: withCondition(reconciled, target) };
}

function* resolveFirst(
  state: ClusterState,
  target: Target,
  flags: MoveFlags,
): ClusterTask<ReconciledLock> {
  const prunes = flags.upgrades && target.packageManager.prunesOutdatedRows;
  const rows = prunes ? withoutOutdated(state.rows, target) : state.rows;
  const graph = dependencyGraph(rows);
  if (typeof graph === 'string') {
    return failedStep(state, undefined, `cannot build DAG: node ${graph} already exists`);
  }
  const sourceInCycle = findCycle(graph);
  if (sourceInCycle !== undefined) {
    return failedStep(state, undefined, `cannot sort DAG: detected cycle on: ${sourceInCycle}`);
  }
  const [implied] = flags.upgrades ? outdatedOrMissing(rows, target) : graph.missing;
  if (implied === undefined) return { state };
  const { repository } = implied.dependency;
  if (parseReference(repository) === undefined) {
    const what = `could not parse reference: ${repository}`;
    return failedStep(state, implied, `dependency package is not valid: ${what}`);
  }
  const installed = flags.upgrades ? installedObject(state, implied.dependency, target) : undefined;
  if (installed === undefined) return yield* install(state, implied, target);
  const { reference } = installed;
  const { movesFromPulledVersion } = target.packageManager;
  const pulled = movesFromPulledVersion ? pulledReference(reference, state.pins) : reference;
  const from = splitPackageReference(pulled, target)?.version ?? pulled;
  const moveOptions = { from, constraints: constraintsOn(repository, rows), ...flags };
  return yield* move(state, implied, installed, moveOptions, target);
}

/** Returns a step on a dependency; on the whole Lock without one. */
function stepOn(
  implied: ImpliedDependency | undefined,
  did: ClusterStep['did'],
  version: string | undefined,
  message?: string,
): ClusterStep {
  return { did, source: implied?.dependency.repository, version, implied, message };
}

function failedStep(
  state: ClusterState,
  implied: ImpliedDependency | undefined,
  problem: string,
): ReconciledLock {
  return { state, step: stepOn(implied, 'fail', undefined, problem) };
}

/** Returns the object of a dependency; of several spellings, the last by name. */
function installedObject(
  { objects }: ClusterState,
  { kind, repository }: LockDependency,
  target: Target,
): ClusterObject | undefined {
  const found = objects.filter((object) => {
    const source = object.kind === kind ? sourceOf(object, target) : undefined;
    return source !== undefined && sameRepository(source, repository, target);
  });
  return found.sort((a, b) => (a.name < b.name ? -1 : 1)).at(-1);
}

function sourceOf({ reference }: ClusterObject, target: Target): Repository | undefined {
  return splitPackageReference(reference, target)?.source;
}

function* install(
  state: ClusterState,
  implied: ImpliedDependency,
  target: Target,
): ClusterTask<ReconciledLock> {
  const { repository, kind, apiVersion, constraint } = implied.dependency;
  const choice: VersionChoice = yield* versionToInstall(repository, constraint, target);
  if ('problem' in choice) return failedStep(state, implied, choice.problem);
  if (!isPackageKind(kind) || !servesPackages(apiVersion, kind)) {
    const problem =
      kind === ''
        ? 'cannot construct dependency package: encountered an invalid dependency: package dependencies must specify either a valid type, or an explicit apiVersion, kind, and package'
        : `cannot create dependency package: no matches for kind "${kind}" in version "${apiVersion ?? ''}"`;
    return failedStep(state, implied, problem);
  }
  const { version } = choice;
  const object = newObject({
    kind,
    name: objectNameOf(repository, target),
    reference: joinReference(repository, version),
    ...DEFAULT_SETTINGS,
  });
  const existing = state.objects.find((each) => hasSameKey(each, object));
  if (existing !== undefined)
    return handleExisting(state, implied, { version, other: existing }, target);
  const refused = serverError(object, target);
  if (refused !== undefined) {
    return failedStep(state, implied, `cannot create dependency package: ${refused}`);
  }
  return { state: withObject(state, object), step: stepOn(implied, 'installed', version) };
}

/** Returns why the API server refuses an object, or undefined if it accepts it. */
export function serverError(
  { kind, name, reference }: Pick<ClusterObject, 'kind' | 'name' | 'reference'>,
  target: Target,
): string | undefined {
  if (!target.rules.strictReferences || validPackageReference(reference, target)) return undefined;
  const rule =
    'must be a fully qualified image name, including the registry, repository, and tag or digest';
  return `${kind}.pkg.crossplane.io "${name}" is invalid: spec.package: Invalid value: "${reference}": ${rule}`;
}

/** Handles an existing object of that name, for the same package or for another one. */
function handleExisting(
  state: ClusterState,
  implied: ImpliedDependency,
  { version, other }: { readonly version: string; readonly other: ClusterObject },
  target: Target,
): ReconciledLock {
  if (!target.packageManager.acceptsExistingObjects) {
    const { kind, name } = other;
    const what = `${kind.toLowerCase()}s.pkg.crossplane.io "${name}" already exists`;
    return failedStep(state, implied, `cannot create dependency package: ${what}`);
  }
  const isSame = sourceOf(other, target) === implied.dependency.repository;
  if (isSame) return { state };
  const message = `${other.kind} ${other.name} is ${other.reference}`;
  return { state, step: stepOn(implied, 'found another', version, message) };
}

interface VersionMove {
  readonly from: string;
  readonly constraints: readonly string[];
  readonly downgrades: boolean;
}

function* move(
  state: ClusterState,
  implied: ImpliedDependency,
  installed: ClusterObject,
  moving: VersionMove,
  target: Target,
): ClusterTask<ReconciledLock> {
  const { repository } = implied.dependency;
  const choice: VersionChoice = yield* versionToMoveTo(repository, moving, target);
  if ('problem' in choice) return failedStep(state, implied, choice.problem);
  const { version } = choice;
  const reference = joinReference(repository, version);
  if (reference === installed.reference) return { state };
  const object = { ...installed, reference, generation: installed.generation + 1 };
  return { state: withObject(state, object), step: stepOn(implied, 'moved', version, moving.from) };
}

function withCondition({ state, step }: ReconciledLock, target: Target): ClusterState {
  if (!target.packageManager.lockConditions) return state;
  if (step?.did !== 'fail') return withResolvedCondition(state, HEALTHY);
  const { message: problem = '' } = step;
  // The controller recovers from a panic, which leaves no trace on the Lock.
  if (problem.startsWith('panic: ')) return state;
  const message = `Error occurred during dependency resolution ${problem}`;
  return withResolvedCondition(state, { status: 'False', message });
}

/** The version that the resolver selects, or the reason why it selects none. */
type VersionChoice = { readonly version: string } | { readonly problem: string };

/** The error of registries for a repository whose tags cannot be listed. */
const NO_TAGS =
  'cannot fetch dependency package tags: NAME_UNKNOWN: repository name not known to registry';
const INVALID = 'version constraint on dependency is invalid';
const NO_VERSION_TO_INSTALL = 'cannot find dependency version to install';
const NO_VERSION_TO_MOVE = 'cannot find dependency version to upgrade';

/** Selects the newest version that this constraint admits, whatever other packages require. */
export function* versionToInstall(
  repository: Repository,
  constraint: string,
  target: Target,
): ClusterTask<VersionChoice> {
  const { rules } = target;
  if (rules.digestDependencies && isDigest(constraint)) return { version: constraint };
  const range = parseConstraint(constraint, rules.dialect);
  if (range.invalid) return { problem: `${NO_VERSION_TO_INSTALL}: ${INVALID}: ${range.error}` };
  const tags = yield* requestTags(repository);
  if (tags === undefined) return { problem: `${NO_VERSION_TO_INSTALL}: ${NO_TAGS}` };
  const newest = installableVersions(tags, target).find((version) => range.admits(version));
  if (newest !== undefined) return { version: newest.raw };
  return { problem: noVersionText(repository, constraint, target) };
}

/**
 * Selects the version to move an installed package to: the lowest from the installed one on that
 * all constraints admit. If there is none and downgrades are allowed, the highest one below.
 */
export function* versionToMoveTo(
  repository: Repository,
  { from, constraints, downgrades }: VersionMove,
  target: Target,
): ClusterTask<VersionChoice> {
  const pinned = digestToMoveTo(constraints);
  if (pinned !== undefined) return pinned;
  const tags = yield* requestTags(repository);
  if (tags === undefined) return { problem: `${NO_VERSION_TO_MOVE}: ${NO_TAGS}` };
  const { dialect } = target.rules;
  const ranges: Constraint[] = [];
  for (const constraint of constraints) {
    const range = parseConstraint(constraint, dialect);
    if (range.invalid) return { problem: `${NO_VERSION_TO_MOVE}: ${INVALID}: ${range.error}` };
    ranges.push(range);
  }
  const installed = parseVersion(from, dialect);
  if (installed === undefined) return { problem: `panic: ${from} is no semantic version` };
  const candidates = tags
    .map((tag) => parseVersion(tag, dialect))
    .filter((version) => version !== undefined)
    .filter((version) => ranges.every((range) => range.admits(version)))
    .sort(byPrecedence);
  const up = candidates.find((version) => compareVersions(version, installed) >= 0);
  const chosen = up ?? (downgrades ? candidates.at(-1) : undefined);
  if (chosen !== undefined) return { version: chosen.raw };
  const text = noVersionText(repository, `[${constraints.join(' ')}]`, target);
  return { problem: `${NO_VERSION_TO_MOVE}: ${text}` };
}

/** Returns the choice if there are digests among the constraints, otherwise undefined. */
function digestToMoveTo(constraints: readonly string[]): VersionChoice | undefined {
  const [digest, ...others] = new Set(constraints.filter(isDigest));
  if (digest === undefined) return undefined;
  const areDigests = constraints.every(isDigest);
  if (areDigests && others.length === 0) return { version: digest };
  const what = areDigests ? 'digests in' : 'types of';
  const listText = `([${constraints.join(' ')}])`;
  return {
    problem: `${NO_VERSION_TO_MOVE}: a dependency package has different ${what} parent constraints ${listText}`,
  };
}

/** Compares by precedence. Of equal versions, the greatest string comes first. */
function byPrecedence(a: Version, b: Version): number {
  return compareVersions(a, b) || (a.raw < b.raw ? 1 : -1);
}

function noVersionText(repository: Repository, constraints: string, target: Target): string {
  if (!target.packageManager.explainsNoVersion) {
    return `dependency (${repository}) does not have version in constraints (${constraints})`;
  }
  return (
    `dependency (${repository}) does not have a valid version to upgrade that satisfies all ` +
    'constraints. If there is a valid version that requires downgrade, manual intervention is ' +
    `required. Constraints: ${constraints}`
  );
}
