import type { LockRow } from '../../lock/lock-row.js';
import { splitPackageReference } from '../../model/reference.js';
import { packageManagerOf } from '../../model/target/package-manager.js';
import type { Target } from '../../model/target/target.js';
import { checkDependencies } from './check-dependencies.js';
import type { ClusterImage } from '../cluster-image.js';
import { askImage, type ClusterWork } from '../cluster-question.js';
import {
  HEALTHY,
  withRevision,
  type ClusterObject,
  type ClusterRevision,
  type ClusterState,
} from '../cluster-state.js';
import { pulledReference } from '../image-pin.js';
import { establish, released } from './establish.js';
import { fits } from './fits.js';
import { imageNamed } from './reconcile-package.js';

export interface RevisionTurn {
  readonly state: ClusterState;
  /** It has entered the Lock, and has yet to install what it holds. */
  readonly goesOn: boolean;
}

/**
 * A revision is read and checked, enters the Lock, and installs what it holds: in that order, and
 * no further than the first thing that is wrong. All others see its row before it goes on.
 */
export function* reconcileRevision(
  state: ClusterState,
  revision: ClusterRevision,
  target: Target,
): ClusterWork<RevisionTurn> {
  if (!revision.active) return ended(deactivated(state, revision));
  const candidate = imageNamed(pulledReference(revision.reference, state.pins), target);
  const image = candidate && (yield* askImage(candidate));
  const unhealthy = (to: ClusterState, message: string) =>
    ended(withRevision(to, { ...revision, health: { status: 'False', message } }));
  const object = state.objects.find(
    ({ kind, name }) => kind === revision.kind && name === revision.of,
  );
  if (image === undefined || object === undefined) return ended(state);
  const refused = refusal(image, object, target);
  if (refused !== undefined) return unhealthy(state, refused);
  const checked = object.skipDependencyResolution
    ? { rows: state.rows, problem: undefined }
    : enterLock(state, revision, image, target);
  const entered = checked.rows === state.rows ? state : { ...state, rows: checked.rows };
  if (checked.problem !== undefined) {
    const status = packageManagerOf(target).quotesRevisionHealth ? 'False' : 'Unknown';
    const message = `cannot resolve package dependencies: ${checked.problem}`;
    return ended(withRevision(entered, { ...revision, health: { status, message } }));
  }
  if (entered !== state) return { state: entered, goesOn: true };
  const established = establish(entered, revision, image.owns, target);
  if (established.problem !== undefined) return unhealthy(entered, established.problem);
  return ended(withRevision(established.state, { ...revision, health: HEALTHY }));
}

function ended(state: ClusterState): RevisionTurn {
  return { state, goesOn: false };
}

/** It leaves the Lock, and what it installed is free to be taken over. */
function deactivated(state: ClusterState, revision: ClusterRevision): ClusterState {
  const rows = state.rows.filter(({ name }) => name !== revision.name);
  const left = rows.length === state.rows.length ? state : { ...state, rows };
  return withRevision(released(left, revision), { ...revision, health: HEALTHY });
}

/** Why the package is not installed, whatever else there is; undefined: it may be. */
function refusal(image: ClusterImage, object: ClusterObject, target: Target): string | undefined {
  const { problem, kind, crossplane } = image;
  const linting = target.rules.lintBlocks ? 'linting' : 'validating';
  if (problem?.at === 'read') return `cannot parse package contents: ${problem.message}`;
  if (problem !== undefined) return `${linting} package contents failed: ${problem.message}`;
  if (kind !== object.kind) {
    return `${linting} package contents failed: package meta type is not ${object.kind}`;
  }
  if (crossplane === undefined || object.ignoreCrossplaneConstraints) return undefined;
  if (fits(target.version, crossplane, target)) return undefined;
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
