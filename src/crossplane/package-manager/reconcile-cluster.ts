import { splitPackageReference } from '../packages/reference.js';
import type { Repository } from '../packages/package.js';
import type { Target } from '../releases/target.js';
import type { ClusterTask } from './cluster-image.js';
import {
  isSameNamed,
  withObject,
  type ClusterObject,
  type ClusterRevision,
  type ClusterState,
  type WantedObject,
} from './cluster-state.js';
import type { ImpliedDependency, LockRow } from './dependency-graph.js';
import { reconcileLock, serverError, type MoveFlags, type Resolution } from './reconcile-lock.js';
import {
  deleteRevisions,
  reconcilePackage,
  reconcileRevision,
  revisionsOf,
} from './reconcile-revision.js';

/** A change that a user makes to a cluster: applies an object, or removes one. */
export type UserChange =
  { readonly apply: WantedObject } | { readonly remove: Pick<WantedObject, 'kind' | 'name'> };

export interface ClusterStep {
  readonly did: 'applied' | 'removed' | 'installed' | 'moved' | 'found another' | 'fail';
  /** undefined if the event is about the whole Lock. */
  readonly source: Repository | undefined;
  readonly version: string | undefined;
  /** The dependency that caused it; undefined for a change of the user or a check of a package. */
  readonly implied: ImpliedDependency | undefined;
  /** The message of a failure, the old version of a move, or the description of another object. */
  readonly message: string | undefined;
}

interface ReconcileOptions {
  readonly target: Target;
  readonly flags?: MoveFlags | undefined;
  /** Returns the index of the next of `waiting` tasks; by default the first. */
  readonly next?: ((waiting: number) => number) | undefined;
}

export interface ReconciledCluster {
  readonly state: ClusterState;
  readonly steps: readonly ClusterStep[];
  /** False if it was still changing at the limit of tasks. */
  readonly isAtRest: boolean;
}

/** Limit for tasks of a cluster that never settles. Thousands of packages need fewer. */
const MAX_TASKS = 100_000;
const NO_MOVES: MoveFlags = { upgrades: false, downgrades: false };

type Task =
  | { readonly on: 'change'; readonly change: UserChange }
  | { readonly on: 'package'; readonly object: Pick<ClusterObject, 'kind' | 'name'> }
  | { readonly on: 'revision'; readonly revision: Pick<ClusterRevision, 'kind' | 'name'> }
  | { readonly on: 'lock' };

interface TaskResult {
  readonly state: ClusterState;
  readonly steps?: readonly ClusterStep[];
  /** The task is not finished. Others may run before it continues. */
  readonly isUnfinished?: boolean;
}

/**
 * Runs the package manager on a cluster after some changes of its user, until nothing changes.
 *
 * The controllers of a cluster run concurrently. Here they take turns, and `next` selects the next
 * task. When no task is left, everything is reconciled again, until that changes nothing.
 */
export function* reconcileCluster(
  start: ClusterState,
  changes: readonly UserChange[],
  { target, flags = NO_MOVES, next = () => 0 }: ReconcileOptions,
): ClusterTask<ReconciledCluster> {
  const waiting: Task[] = changes.map((change) => ({ on: 'change', change }));
  const steps: ClusterStep[] = [];
  let state = start;
  let lastIdle: ClusterState | undefined;
  for (let work = 0; work < MAX_TASKS; work++) {
    if (waiting.length === 0) {
      if (lastIdle === state) return { state, steps, isAtRest: true };
      lastIdle = state;
      waiting.push(...allTasks(state));
    }
    const [current] = waiting.splice(next(waiting.length), 1);
    const done: TaskResult = yield* runTask(state, current!, { target, flags });
    steps.push(...(done.steps ?? []).filter((step) => !isRepeated(step, steps)));
    for (const triggered of triggeredTasks(state, done.state)) {
      if (!waiting.some((other) => isSameTask(other, triggered))) waiting.push(triggered);
    }
    if (done.isUnfinished) waiting.unshift(current!);
    state = done.state;
  }
  return { state, steps, isAtRest: false };
}

/** Returns all tasks: controllers reconcile everything from time to time. */
function allTasks({ objects, revisions }: ClusterState): Task[] {
  return [
    ...objects.map((object): Task => ({ on: 'package', object })),
    ...revisions.map((revision): Task => ({ on: 'revision', revision })),
    { on: 'lock' },
  ];
}

function triggeredTasks(before: ClusterState, after: ClusterState): Task[] {
  const triggered: Task[] = [];
  for (const object of newMembers(before.objects, after.objects)) {
    const old = before.objects.find((each) => isSameNamed(each, object));
    if (old !== undefined && !isSpecChanged(old, object)) continue;
    triggered.push({ on: 'package', object });
    const { kind, revision: name } = object;
    if (name !== undefined) triggered.push({ on: 'revision', revision: { kind, name } });
  }
  for (const revision of newMembers(before.revisions, after.revisions)) {
    const old = before.revisions.find((each) => isSameNamed(each, revision));
    const isNew = old === undefined || old.reference !== revision.reference;
    if (isNew || old.active !== revision.active) triggered.push({ on: 'revision', revision });
  }
  if (before.rows !== after.rows) {
    triggered.push({ on: 'lock' }, ...retries(newMembers(before.rows, after.rows), after));
  }
  return triggered;
}

/**
 * Returns tasks for revisions with a failure that mentions a new row. Failed retries are harmless.
 */
function retries(rows: readonly LockRow[], { revisions }: ClusterState): Task[] {
  return revisions
    .filter(({ active, health: { message } }) => {
      return active && message !== undefined && rows.some(({ source }) => message.includes(source));
    })
    .map((revision): Task => ({ on: 'revision', revision }));
}

/** Returns the members that are new since `before`. Every change creates a new member. */
function newMembers<T>(before: readonly T[], after: readonly T[]): readonly T[] {
  if (before === after) return [];
  const known = new Set(before);
  return after.filter((each) => !known.has(each));
}

function isSpecChanged(before: ClusterObject, after: ClusterObject): boolean {
  return (
    before.reference !== after.reference ||
    before.skipDependencyResolution !== after.skipDependencyResolution ||
    before.ignoreCrossplaneConstraints !== after.ignoreCrossplaneConstraints ||
    before.manual !== after.manual
  );
}

function isSameTask(a: Task, b: Task): boolean {
  if (a.on === 'package') return b.on === 'package' && isSameNamed(a.object, b.object);
  if (a.on === 'revision') return b.on === 'revision' && isSameNamed(a.revision, b.revision);
  return a.on === 'lock' && b.on === 'lock';
}

function* runTask(
  state: ClusterState,
  work: Task,
  { target, flags }: { readonly target: Target; readonly flags: MoveFlags },
): ClusterTask<TaskResult> {
  switch (work.on) {
    case 'change':
      return 'apply' in work.change
        ? applyObject(state, work.change.apply, target)
        : removeObject(state, work.change.remove, target);
    case 'package': {
      const object = state.objects.find((each) => isSameNamed(each, work.object));
      if (object === undefined) return { state };
      const next = yield* reconcilePackage(state, object, target);
      return { state: next, steps: failures(state, next, target) };
    }
    case 'revision': {
      const revision = state.revisions.find((each) => isSameNamed(each, work.revision));
      if (revision === undefined) return { state };
      const { state: next, isUnfinished } = yield* reconcileRevision(state, revision, target);
      return { state: next, isUnfinished, steps: failures(state, next, target) };
    }
    case 'lock': {
      const { state: next, resolution } = yield* reconcileLock(state, target, flags);
      return { state: next, steps: resolverSteps(resolution) };
    }
  }
}

function applyObject(state: ClusterState, applied: WantedObject, target: Target): TaskResult {
  const known = state.objects.find((each) => isSameNamed(each, applied));
  const refused = serverError(applied, target);
  if (refused !== undefined) {
    return {
      state,
      steps: [{ ...sourceAndVersion(applied, target), did: 'fail', message: refused }],
    };
  }
  const object = { ...applied, revision: known?.revision, problem: known?.problem };
  const steps: ClusterStep[] = [
    { ...sourceAndVersion(applied, target), did: 'applied', message: undefined },
  ];
  return { state: withObject(state, object), steps };
}

function removeObject(
  state: ClusterState,
  removed: Pick<WantedObject, 'kind' | 'name'>,
  target: Target,
): TaskResult {
  const object = state.objects.find((each) => isSameNamed(each, removed));
  if (object === undefined) return { state };
  const revisions = revisionsOf(state, object);
  const names = new Set(revisions.map(({ name }) => name));
  const remaining = {
    ...deleteRevisions(state, revisions),
    objects: state.objects.filter((each) => each !== object),
    revisions: state.revisions.filter((each) => !revisions.includes(each)),
    rows: state.rows.filter(({ name }) => !names.has(name)),
  };
  return {
    state: remaining,
    steps: [{ ...sourceAndVersion(object, target), did: 'removed', message: undefined }],
  };
}

const WAITING = 'cannot resolve package dependencies: missing dependencies: ';

/** Returns new failures. Waiting for a dependency is not a failure. */
function failures(before: ClusterState, after: ClusterState, target: Target): ClusterStep[] {
  const objects = newMembers(before.objects, after.objects)
    .filter(({ problem }) => problem !== undefined)
    .map((object): ClusterStep => {
      return { ...sourceAndVersion(object, target), did: 'fail', message: object.problem };
    });
  const revisions = newMembers(before.revisions, after.revisions)
    .filter(({ health }) => health.message !== undefined && !health.message.startsWith(WAITING))
    .map((revision): ClusterStep => {
      return {
        ...sourceAndVersion(revision, target),
        did: 'fail',
        message: revision.health.message,
      };
    });
  return [...objects, ...revisions];
}

function resolverSteps(resolution: Resolution): ClusterStep[] {
  if (resolution.did === 'nothing') return [];
  const { did, implied } = resolution;
  const source = implied?.dependency.repository;
  if (did === 'fail') {
    return [{ did, source, version: undefined, implied, message: resolution.problem }];
  }
  const { version, message } = resolution;
  return [{ did, source, version, implied, message }];
}

function sourceAndVersion(
  { reference }: { readonly reference: string },
  target: Target,
): Pick<ClusterStep, 'source' | 'version' | 'implied'> {
  const split = splitPackageReference(reference, target);
  return { source: split?.source ?? reference, version: split?.version, implied: undefined };
}

/** Whether a retry had the same result before. It is reported once. */
function isRepeated(step: ClusterStep, steps: readonly ClusterStep[]): boolean {
  const text = JSON.stringify(step);
  return (
    (step.did === 'fail' || step.did === 'found another') &&
    steps.some((each) => JSON.stringify(each) === text)
  );
}
