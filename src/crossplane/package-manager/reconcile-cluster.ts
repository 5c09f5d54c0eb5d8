import { splitPackageReference } from '../packages/reference.js';
import type { Target } from '../releases/target.js';
import type { ClusterTask } from './cluster-image.js';
import {
  hasSameKey,
  withObject,
  newObject,
  type ClusterState,
  type ClusterStep,
  type ObjectKey,
  type WantedObject,
} from './cluster-state.js';
import type { LockRow } from './dependency-graph.js';
import { reconcileLock, serverError, type MoveFlags } from './reconcile-lock.js';
import {
  deleteRevisions,
  reconcilePackage,
  reconcileRevision,
  revisionsOf,
} from './reconcile-revision.js';

/** A change that a user makes to a cluster: applies an object, or removes one. */
export type UserChange = { readonly apply: WantedObject } | { readonly remove: ObjectKey };

interface ReconcileOptions {
  readonly target: Target;
  readonly flags?: MoveFlags | undefined;
  /** Selects the next task: returns its index among `waiting` tasks. By default, the first. */
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
  | { readonly on: 'package' | 'revision'; readonly named: ObjectKey }
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
    ...objects.map((named): Task => ({ on: 'package', named })),
    ...revisions.map((named): Task => ({ on: 'revision', named })),
    { on: 'lock' },
  ];
}

function triggeredTasks(before: ClusterState, after: ClusterState): Task[] {
  const triggered: Task[] = [];
  for (const object of newMembers(before.objects, after.objects)) {
    const old = before.objects.find((each) => hasSameKey(each, object));
    if (old !== undefined && !isSpecChanged(old, object)) continue;
    triggered.push({ on: 'package', named: object });
    const { kind, revision: name } = object;
    if (name !== undefined) triggered.push({ on: 'revision', named: { kind, name } });
  }
  for (const revision of newMembers(before.revisions, after.revisions)) {
    const old = before.revisions.find((each) => hasSameKey(each, revision));
    if (old?.reference === revision.reference && old.active === revision.active) continue;
    triggered.push({ on: 'revision', named: revision });
  }
  if (before.rows !== after.rows) {
    triggered.push({ on: 'lock' }, ...retries(newMembers(before.rows, after.rows), after));
  }
  return triggered;
}

/** Returns tasks for revisions with a failure that mentions a new row. */
function retries(rows: readonly LockRow[], { revisions }: ClusterState): Task[] {
  return revisions
    .filter(({ active, health: { message } }) => {
      return active && message !== undefined && rows.some(({ source }) => message.includes(source));
    })
    .map((named): Task => ({ on: 'revision', named }));
}

/** Returns the members that are new since `before`. Every change creates a new member. */
function newMembers<T>(before: readonly T[], after: readonly T[]): readonly T[] {
  if (before === after) return [];
  const known = new Set(before);
  return after.filter((each) => !known.has(each));
}

function isSpecChanged(before: WantedObject, after: WantedObject): boolean {
  return before.reference !== after.reference || before.settings !== after.settings;
}

function isSameTask(a: Task, b: Task): boolean {
  if (a.on !== b.on) return false;
  return 'named' in a && 'named' in b ? hasSameKey(a.named, b.named) : a.on === 'lock';
}

function* runTask(
  state: ClusterState,
  task: Task,
  { target, flags }: { readonly target: Target; readonly flags: MoveFlags },
): ClusterTask<TaskResult> {
  switch (task.on) {
    case 'change':
      return 'apply' in task.change
        ? applyObject(state, task.change.apply, target)
        : removeObject(state, task.change.remove, target);
    case 'package': {
      const object = state.objects.find((each) => hasSameKey(each, task.named));
      if (object === undefined) return { state };
      const next = yield* reconcilePackage(state, object, target);
      return { state: next, steps: failures(state, next, target) };
    }
    case 'revision': {
      const revision = state.revisions.find((each) => hasSameKey(each, task.named));
      if (revision === undefined) return { state };
      const done = yield* reconcileRevision(state, revision, target);
      return { ...done, steps: failures(state, done.state, target) };
    }
    case 'lock': {
      const { state: next, step } = yield* reconcileLock(state, target, flags);
      return { state: next, steps: step === undefined ? [] : [step] };
    }
  }
}

function applyObject(state: ClusterState, applied: WantedObject, target: Target): TaskResult {
  const known = state.objects.find((each) => hasSameKey(each, applied));
  const refused = serverError(applied, target);
  if (refused !== undefined) return { state, steps: [stepOn(applied, 'fail', target, refused)] };
  const object =
    known === undefined
      ? newObject(applied)
      : {
          ...known,
          ...applied,
          generation: known.generation + (isSpecChanged(known, applied) ? 1 : 0),
        };
  return { state: withObject(state, object), steps: [stepOn(applied, 'applied', target)] };
}

function removeObject(state: ClusterState, removed: ObjectKey, target: Target): TaskResult {
  const object = state.objects.find((each) => hasSameKey(each, removed));
  if (object === undefined) return { state };
  const revisions = revisionsOf(state, object);
  const names = new Set(revisions.map(({ name }) => name));
  const remaining = {
    ...deleteRevisions(state, revisions),
    objects: state.objects.filter((each) => each !== object),
    revisions: state.revisions.filter((each) => !revisions.includes(each)),
    rows: state.rows.filter(({ name }) => !names.has(name)),
  };
  return { state: remaining, steps: [stepOn(object, 'removed', target)] };
}

const WAITING = 'cannot resolve package dependencies: missing dependencies: ';

/** Returns new failures. Waiting for a dependency is not a failure. */
function failures(before: ClusterState, after: ClusterState, target: Target): ClusterStep[] {
  const objects = newMembers(before.objects, after.objects)
    .filter(({ problem }) => problem !== undefined)
    .map((object) => stepOn(object, 'fail', target, object.problem));
  const revisions = newMembers(before.revisions, after.revisions)
    .filter(({ health }) => health.message !== undefined && !health.message.startsWith(WAITING))
    .map((revision) => stepOn(revision, 'fail', target, revision.health.message));
  return [...objects, ...revisions];
}

/** Returns a step on one object or revision, which no dependency caused. */
function stepOn(
  { reference }: { readonly reference: string },
  did: ClusterStep['did'],
  target: Target,
  message?: string,
): ClusterStep {
  const { source = reference, version } = splitPackageReference(reference, target) ?? {};
  return { did, source, version, implied: undefined, message };
}

/** Whether the step repeats an earlier result; repeated results are reported once. */
function isRepeated(step: ClusterStep, steps: readonly ClusterStep[]): boolean {
  const text = JSON.stringify(step);
  return (
    (step.did === 'fail' || step.did === 'found another') &&
    steps.some((each) => JSON.stringify(each) === text)
  );
}
