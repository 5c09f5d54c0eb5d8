import type { LockRow } from './lock-row.js';
import type {
  ClusterDump,
  DumpedCondition,
  DumpedPackage,
  DumpedRevision,
  DumpedRow,
} from './cluster-dump.js';
import type { Target } from '../releases/target.js';
import { ownedKindOf } from '../packages/owned-objects.js';
import {
  type ClusterCondition,
  type ClusterObject,
  type ClusterRevision,
  type ClusterState,
  UNKNOWN,
  wantedObject,
} from './cluster-state.js';
import { imagePins } from './image-config.js';
import { controlKey, controllerName } from './reconcile-revision.js';

export function dumpedState(
  { packages, revisions, lock, extraManifests: kept }: ClusterDump,
  target: Target,
): ClusterState {
  const known = revisions.map(revisionOf);
  return {
    objects: packages.map(objectOf),
    revisions: known,
    rows: (lock?.rows ?? []).flatMap(rowOf),
    resolved: conditionOf(lock?.conditions ?? [], ['Resolved']),
    controllers: new Map(
      revisions
        .filter(({ isActive }) => isActive)
        .flatMap((revision) =>
          controlledBy(revision).map((key) => [key, controllerName(revision)]),
        ),
    ),
    hidden: [],
    pins: imagePins(kept, target),
  };
}

function objectOf(dumped: DumpedPackage): ClusterObject {
  const { apiVersion, kind, name, reference, spec, currentRevision } = dumped;
  const wanted = wantedObject({
    apiVersion,
    kind,
    metadata: { name },
    spec: { ...spec, package: reference },
  });
  return { ...wanted!, revision: currentRevision, problem: undefined };
}

function revisionOf(dumped: DumpedRevision): ClusterRevision {
  const { kind, name, packageName = '', image, isActive, conditions } = dumped;
  const health = conditionOf(conditions, ['Healthy', 'RevisionHealthy']) ?? UNKNOWN;
  return { kind, name, of: packageName, reference: image, active: isActive, health };
}

/** Returns no row if its kind is not a kind that packages have. */
function rowOf({ name, kind, source, version, dependencies }: DumpedRow): LockRow[] {
  if (kind === undefined) return [];
  const needed = dependencies.map((each) => ({ ...each, kind: each.kind ?? '' }));
  return [{ name, kind, source, version, dependencies: needed }];
}

function conditionOf(
  conditions: readonly DumpedCondition[],
  types: readonly string[],
): ClusterCondition | undefined {
  const found = conditions.find(({ type }) => types.includes(type));
  if (found === undefined) return undefined;
  const status = found.status === 'True' || found.status === 'False' ? found.status : 'Unknown';
  return { status, message: found.message === '' ? undefined : found.message };
}

function controlledBy({ objects }: DumpedRevision): string[] {
  return objects.flatMap(({ apiVersion, kind, name }) => {
    const owned = ownedKindOf(kind, apiVersion.split('/')[0]);
    return owned === undefined ? [] : [controlKey({ kind: owned, name })];
  });
}
