import { requestImage, type ClusterImage, type ClusterTask } from './cluster-image.js';
import {
  controlKey,
  controllerName,
  type ClusterCondition,
  type ClusterObject,
  type ClusterRevision,
  type ClusterState,
  HEALTHY,
  type HiddenConflict,
  hasSameKey,
  UNKNOWN,
  withObject,
  withRevision,
} from './cluster-state.js';
import { checkDependencies, isSatisfied, type LockRow } from './dependency-graph.js';
import { pulledReference } from './image-config.js';
import { isDigest } from '../../base/digest.js';
import { friendlyId, revisionName } from '../packages/object-names.js';
import { groupOf, type OwnedObject } from '../packages/owned-objects.js';
import type { Candidate } from '../packages/package.js';
import { splitPackageReference, splitTag } from '../packages/reference.js';
import type { Target } from '../releases/target.js';

/** Creates the revision for the image of a package object and deactivates its other revisions. */
export function* reconcilePackage(
  state: ClusterState,
  object: ClusterObject,
  target: Target,
): ClusterTask<ClusterState> {
  const pulled = pulledReference(object.reference, state.pins);
  const candidate = imageOf(pulled, target);
  const image = candidate && (yield* requestImage(candidate));
  const problem = unpackProblem(pulled, candidate, image, target);
  if (problem !== undefined) {
    return withObject(state, { ...object, problem: `cannot unpack package: ${problem}` });
  }
  const name = nameOfRevision(object, candidate!, image!, target);
  const revisions = revisionsOf(state, object);
  let next = withObject(state, { ...object, revision: name, problem: undefined });
  for (const revision of revisions) {
    if (revision.name !== name && revision.active) {
      next = withRevision(next, { ...revision, active: false });
    }
  }
  const known = revisions.find((revision) => revision.name === name);
  return withRevision(next, {
    kind: object.kind,
    name,
    of: object.name,
    reference: object.reference,
    active: known?.active === true || !object.manual,
    health: known?.health ?? UNKNOWN,
  });
}

/** Returns the image that a reference pulls, if it is valid. A digest takes precedence. */
function imageOf(reference: string, target: Target): Candidate | undefined {
  const split = splitPackageReference(reference, target);
  if (split === undefined) return undefined;
  const { source, version } = split;
  return { repository: isDigest(version) ? splitTag(source).name : source, version };
}

export function revisionsOf(state: ClusterState, object: ClusterObject): ClusterRevision[] {
  return state.revisions.filter(({ kind, of }) => kind === object.kind && of === object.name);
}

function unpackProblem(
  reference: string,
  candidate: Candidate | undefined,
  image: ClusterImage | undefined,
  target: Target,
): string | undefined {
  if (candidate === undefined) return `could not parse reference: ${reference}`;
  if (image === undefined) return `failed to fetch package from remote: no image ${reference}`;
  const readsFirst = target.packageManager.readsBeforeRevision;
  return readsFirst && image.problem?.at === 'read' ? image.problem.message : undefined;
}

/** Returns the name of a revision. Uses the version if the source does not know the digest. */
function nameOfRevision(
  object: ClusterObject,
  { version }: Candidate,
  { digest = '' }: ClusterImage,
  target: Target,
): string {
  return isDigest(digest)
    ? revisionName(object, digest, target.packageManager.revisionNames)
    : friendlyId(object.name, version);
}

interface RevisionResult {
  readonly state: ClusterState;
  /** The revision has added its row to the Lock and still has to install its objects. */
  readonly isUnfinished?: boolean;
}

/** Reads and checks a revision, adds it to the Lock, then installs its objects. */
export function* reconcileRevision(
  state: ClusterState,
  revision: ClusterRevision,
  target: Target,
): ClusterTask<RevisionResult> {
  if (!revision.active) return { state: deactivate(state, revision) };
  const candidate = imageOf(pulledReference(revision.reference, state.pins), target);
  const image = candidate && (yield* requestImage(candidate));
  const withHealth = (to: ClusterState, status: ClusterCondition['status'], message?: string) => ({
    state: withRevision(to, { ...revision, health: { status, message } }),
  });
  const { kind, of: name } = revision;
  const object = state.objects.find((each) => hasSameKey(each, { kind, name }));
  if (image === undefined || object === undefined) return { state };
  const refused = refusalOf(image, object, target);
  if (refused !== undefined) return withHealth(state, 'False', refused);
  const checked = object.skipDependencyResolution
    ? { rows: state.rows, problem: undefined }
    : enterLock(state, revision, image, target);
  const withRows = checked.rows === state.rows ? state : { ...state, rows: checked.rows };
  if (checked.problem !== undefined) {
    const status = target.packageManager.quotesRevisionHealth ? 'False' : 'Unknown';
    return withHealth(withRows, status, `cannot resolve package dependencies: ${checked.problem}`);
  }
  if (withRows !== state) return { state: withRows, isUnfinished: true };
  if (image.problem?.at === 'establish') {
    const message = `cannot establish control of object: ${image.problem.message}`;
    return withHealth(withRows, 'False', message);
  }
  const established = establish(withRows, revision, image.owns, target);
  if (established.problem !== undefined) return withHealth(withRows, 'False', established.problem);
  return withHealth(established.state, 'True');
}

/** Removes a revision from the Lock and releases its objects. */
function deactivate(state: ClusterState, revision: ClusterRevision): ClusterState {
  const rows = state.rows.filter(({ name }) => name !== revision.name);
  const unlocked = rows.length === state.rows.length ? state : { ...state, rows };
  return withRevision(withoutControllers(unlocked, new Set([controllerName(revision)])), {
    ...revision,
    health: HEALTHY,
  });
}

/** Returns why the package is refused, whatever else is installed, or undefined if it is not. */
function refusalOf(image: ClusterImage, object: ClusterObject, target: Target): string | undefined {
  const { problem, kind, crossplane } = image;
  const linting = target.rules.lintBlocks ? 'linting' : 'validating';
  if (problem?.at === 'read') return `cannot parse package contents: ${problem.message}`;
  if (problem?.at === 'lint') return `${linting} package contents failed: ${problem.message}`;
  if (kind !== object.kind) {
    return `${linting} package contents failed: package meta type is not ${object.kind}`;
  }
  if (crossplane === undefined || object.ignoreCrossplaneConstraints) return undefined;
  if (isSatisfied(target.version, crossplane, target)) return undefined;
  return `incompatible Crossplane version: package is not compatible with Crossplane version (${target.version})`;
}

function enterLock(
  { rows }: ClusterState,
  { kind, name, reference }: ClusterRevision,
  { dependencies }: ClusterImage,
  target: Target,
): ReturnType<typeof checkDependencies> {
  if (dependencies === undefined) {
    const problem =
      'encountered an invalid dependency: package dependencies must specify either a valid type, or an explicit apiVersion, kind, and package';
    return { rows, problem };
  }
  const { source, version } = splitPackageReference(reference, target)!;
  const self: LockRow = { name, kind, source, version, dependencies };
  return checkDependencies(rows, self, target);
}

/**
 * Takes control of all objects of an active revision; of none if another revision controls one.
 *
 * An XRD or MRD then creates its CRDs. The XRD controls its CRDs; the revision controls those of an
 * MRD. If another object controls one of these CRDs, the package does not report the conflict.
 */
function establish(
  state: ClusterState,
  revision: ClusterRevision,
  owns: readonly OwnedObject[],
  target: Target,
) {
  const self = controllerName(revision);
  const installed = installedObjects(owns, revision, target);
  const controlledByOther = installed.find((object) => {
    return ![undefined, self].includes(state.controllers.get(controlKey(object)));
  });
  if (controlledByOther !== undefined) {
    const other = state.controllers.get(controlKey(controlledByOther))!;
    const what = `${controlledByOther.name} is already controlled by ${other} (UID …)`;
    return { state, problem: `cannot establish control of object: ${what}` };
  }
  const controllers = new Map(state.controllers);
  for (const object of installed) controllers.set(controlKey(object), self);
  const hidden: HiddenConflict[] = [];
  for (const { crd, by } of createdCrds(owns, installed, self)) {
    const controller = controllers.get(controlKey({ kind: 'CRD', name: crd })) ?? by;
    controllers.set(controlKey({ kind: 'CRD', name: crd }), controller);
    if (controller !== by) hidden.push({ revision: revision.name, crd, controller });
  }
  const others = state.hidden.filter((conflict) => conflict.revision !== revision.name);
  const isSame =
    controllers.size === state.controllers.size &&
    installed.every((object) => state.controllers.get(controlKey(object)) === self) &&
    others.length + hidden.length === state.hidden.length;
  return {
    state: isSame ? state : { ...state, controllers, hidden: [...others, ...hidden] },
    problem: undefined,
  };
}

/** Deletes revisions. Their objects go with their last owner, and CRDs go with their XRD or MRD. */
export function deleteRevisions(
  state: ClusterState,
  revisions: readonly ClusterRevision[],
): ClusterState {
  const removed = new Set(revisions.map(controllerName));
  for (const [key, controller] of state.controllers) if (removed.has(controller)) removed.add(key);
  const names = new Set(revisions.map(({ name }) => name));
  const hidden = state.hidden.filter(({ revision }) => !names.has(revision));
  return withoutControllers({ ...state, hidden }, removed);
}

function withoutControllers(state: ClusterState, removed: ReadonlySet<string>): ClusterState {
  const remaining = [...state.controllers].filter(([, controller]) => !removed.has(controller));
  if (remaining.length === state.controllers.size) return state;
  return { ...state, controllers: new Map(remaining) };
}

/** Returns the objects as they are installed. Claims are installed by their XRD. */
function installedObjects(
  owns: readonly OwnedObject[],
  revision: ClusterRevision,
  target: Target,
): OwnedObject[] {
  const { convertsCrds, unconvertedCrds } = target.packageManager;
  const mayConvert = convertsCrds && revision.kind === 'Provider';
  return owns.flatMap(({ kind, name }) => {
    if (kind === 'claim') return [];
    const plural = name.slice(0, name.indexOf('.'));
    const isConverted = kind === 'CRD' && mayConvert && !unconvertedCrds.includes(plural);
    return [{ kind: isConverted ? 'MRD' : kind, name }];
  });
}

/** Returns the CRDs that installed XRDs and MRDs create, and who controls them. */
function createdCrds(
  owns: readonly OwnedObject[],
  installed: readonly OwnedObject[],
  revision: string,
): readonly { readonly crd: string; readonly by: string }[] {
  const own = installed.flatMap((maker) => {
    if (maker.kind !== 'XRD' && maker.kind !== 'MRD') return [];
    return [{ crd: maker.name, by: maker.kind === 'MRD' ? revision : controlKey(maker) }];
  });
  const xrds = installed.filter(({ kind }) => kind === 'XRD');
  const claims = owns.flatMap((claim) => {
    const xrd = xrds.find((each) => groupOf(each) === groupOf(claim));
    if (claim.kind !== 'claim' || xrd === undefined) return [];
    return [{ crd: claim.name, by: controlKey(xrd) }];
  });
  return [...own, ...claims];
}
