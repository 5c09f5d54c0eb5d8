import type { PackageKind } from '../model/package.js';
import { packageManagerOf } from '../model/target/package-manager.js';
import type { Target } from '../model/target/target.js';
import {
  HEALTHY,
  NOT_KNOWN,
  type ClusterCondition,
  type ClusterObject,
  type ClusterState,
} from './cluster-state.js';

/** What a package object says of itself. */
export interface PackageConditions {
  readonly kind: PackageKind;
  readonly name: string;
  /** `spec.package`. */
  readonly reference: string;
  readonly installed: ClusterCondition;
  readonly healthy: ClusterCondition;
}

/** The conditions of every package object, in the order in which objects came to be. */
export function packageConditions(state: ClusterState, target: Target): PackageConditions[] {
  return state.objects.map((object) => {
    const { kind, name, reference } = object;
    return { kind, name, reference, ...conditionsOf(state, object, target) };
  });
}

/** Whether every package is installed and healthy. */
export function isHealthy(state: ClusterState, target: Target): boolean {
  return packageConditions(state, target).every(
    ({ installed, healthy }) => installed.status === 'True' && healthy.status === 'True',
  );
}

function conditionsOf(
  { revisions }: ClusterState,
  object: ClusterObject,
  target: Target,
): Pick<PackageConditions, 'installed' | 'healthy'> {
  const { kind, problem } = object;
  const revision = revisions.find((each) => each.kind === kind && each.name === object.revision);
  if (problem !== undefined || revision === undefined) {
    const installed: ClusterCondition = { status: 'False', message: problem };
    // Before images were read first, a failure to read one says nothing of the revision that runs.
    const { readsBeforeRevision } = packageManagerOf(target);
    const healthy = revision === undefined ? NOT_KNOWN : quoted(revision.health, target);
    return { installed, healthy: readsBeforeRevision ? installed : healthy };
  }
  const installed: ClusterCondition = revision.active
    ? HEALTHY
    : { status: 'False', message: 'Package is inactive' };
  return { installed, healthy: quoted(revision.health, target) };
}

/** A revision's health as its package tells it. */
function quoted(health: ClusterCondition, target: Target): ClusterCondition {
  const { status, message } = health;
  if (status === 'True' || !packageManagerOf(target).quotesRevisionHealth) return health;
  const told = message === undefined ? '' : ` with message: ${message}`;
  return { status: 'False', message: `Package revision health is "${status}"${told}` };
}
