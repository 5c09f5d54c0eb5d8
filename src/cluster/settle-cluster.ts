import type { LockRow } from '../lock/lock-row.js';
import { splitPackageReference } from '../model/reference.js';
import type { Repository } from '../model/package.js';
import type { Target } from '../model/target/target.js';
import type { ClusterWork } from './cluster-question.js';
import {
  isSameNamed,
  withObject,
  type ClusterObject,
  type ClusterRevision,
  type ClusterState,
  type WantedObject,
} from './cluster-state.js';
import type { ImpliedDependency } from './reconcile/dependency-graph.js';
import { deleted } from './reconcile/establish.js';
import {
  reconcileLock,
  refusedByServer,
  type MoveFlags,
  type Resolution,
} from './reconcile/reconcile-lock.js';
import { reconcilePackage, revisionsOf } from './reconcile/reconcile-package.js';
import { reconcileRevision } from './reconcile/reconcile-revision.js';

/** What a user does to a cluster: applies an object, or takes one away. */
export type UserAct =
  { readonly apply: WantedObject } | { readonly remove: Pick<WantedObject, 'kind' | 'name'> };

/** Something that happened, of which a user would want to know. */
export interface ClusterStep {
  readonly did: 'applied' | 'removed' | 'installed' | 'moved' | 'found another' | 'fail';
  /** undefined: it is about the Lock as a whole. */
  readonly source: Repository | undefined;
  readonly version: string | undefined;
  /** The dependency that it was done for; undefined: the user's act, or a package's own checks. */
  readonly implied: ImpliedDependency | undefined;
  /** Of a failure, what a user would read; of a move, where from; of another object, which. */
  readonly message: string | undefined;
}

interface SettleOptions {
  readonly target: Target;
  readonly flags?: MoveFlags | undefined;
  /** Which of so many things that wait to be done is done next; the first, unless told. */
  readonly next?: ((waiting: number) => number) | undefined;
}

export interface Settled {
  readonly state: ClusterState;
  /** In the order in which they happened. */
  readonly steps: readonly ClusterStep[];
  /** false: it was still changing when it was given up. */
  readonly isAtRest: boolean;
}

/** Things done before a cluster is taken to change forever; thousands of packages take fewer. */
const MAX_WORK = 100_000;
const NO_MOVES: MoveFlags = { upgrades: false, downgrades: false };

type Work =
  | { readonly on: 'act'; readonly act: UserAct }
  | { readonly on: 'package'; readonly object: Pick<ClusterObject, 'kind' | 'name'> }
  | { readonly on: 'revision'; readonly revision: Pick<ClusterRevision, 'kind' | 'name'> }
  | { readonly on: 'lock' };

interface Done {
  readonly state: ClusterState;
  readonly steps?: readonly ClusterStep[];
  /** There is more of it to do; others may have their turn before. */
  readonly goesOn?: boolean;
}

/**
 * What becomes of a cluster after some acts of its user, once its package manager has no more to do.
 *
 * Its controllers work side by side in a cluster; here they take turns, and `next` says who comes
 * first. When all is done, all is looked at again, for as long as that changes anything.
 */
export function* settleCluster(
  start: ClusterState,
  acts: readonly UserAct[],
  { target, flags = NO_MOVES, next = () => 0 }: SettleOptions,
): ClusterWork<Settled> {
  const waiting: Work[] = acts.map((act) => ({ on: 'act', act }));
  const steps: ClusterStep[] = [];
  let state = start;
  let tried: ClusterState | undefined;
  for (let work = 0; work < MAX_WORK; work++) {
    if (waiting.length === 0) {
      if (tried === state) return { state, steps, isAtRest: true };
      tried = state;
      waiting.push(...everything(state));
    }
    const [current] = waiting.splice(next(waiting.length), 1);
    const done: Done = yield* perform(state, current!, { target, flags });
    steps.push(...(done.steps ?? []).filter((step) => !isRepeated(step, steps)));
    for (const woken of wokenBy(state, done.state)) {
      if (!waiting.some((other) => isSameWork(other, woken))) waiting.push(woken);
    }
    if (done.goesOn) waiting.unshift(current!);
    state = done.state;
  }
  return { state, steps, isAtRest: false };
}

/** Every object, every revision and the Lock: controllers look at them all from time to time. */
function everything({ objects, revisions }: ClusterState): Work[] {
  return [
    ...objects.map((object): Work => ({ on: 'package', object })),
    ...revisions.map((revision): Work => ({ on: 'revision', revision })),
    { on: 'lock' },
  ];
}

/** Whose turn comes because of a change. */
function wokenBy(before: ClusterState, after: ClusterState): Work[] {
  const woken: Work[] = [];
  for (const object of changed(before.objects, after.objects)) {
    const old = before.objects.find((each) => isSameNamed(each, object));
    if (old !== undefined && !asksForOther(old, object)) continue;
    woken.push({ on: 'package', object });
    const { kind, revision: name } = object;
    if (name !== undefined) woken.push({ on: 'revision', revision: { kind, name } });
  }
  for (const revision of changed(before.revisions, after.revisions)) {
    const old = before.revisions.find((each) => isSameNamed(each, revision));
    const isNew = old === undefined || old.reference !== revision.reference;
    if (isNew || old.active !== revision.active) woken.push({ on: 'revision', revision });
  }
  if (before.rows !== after.rows) {
    woken.push({ on: 'lock' }, ...triedAgain(changed(before.rows, after.rows), after));
  }
  return woken;
}

/**
 * Revisions whose failure speaks of what has a row now. They are tried again and again, and may be before
 * others have had their first turn; one that is tried in vain ends as it was.
 */
function triedAgain(rows: readonly LockRow[], { revisions }: ClusterState): Work[] {
  return revisions
    .filter(({ active, health: { message } }) => {
      return active && message !== undefined && rows.some(({ source }) => message.includes(source));
    })
    .map((revision): Work => ({ on: 'revision', revision }));
}

/** Members that are not in the list from before: every change makes a new one. */
function changed<T>(before: readonly T[], after: readonly T[]): readonly T[] {
  if (before === after) return [];
  const known = new Set(before);
  return after.filter((each) => !known.has(each));
}

function asksForOther(before: ClusterObject, after: ClusterObject): boolean {
  return (
    before.reference !== after.reference ||
    before.skipDependencyResolution !== after.skipDependencyResolution ||
    before.ignoreCrossplaneConstraints !== after.ignoreCrossplaneConstraints ||
    before.manual !== after.manual
  );
}

function isSameWork(a: Work, b: Work): boolean {
  if (a.on === 'package') return b.on === 'package' && isSameNamed(a.object, b.object);
  if (a.on === 'revision') return b.on === 'revision' && isSameNamed(a.revision, b.revision);
  return a.on === 'lock' && b.on === 'lock';
}

function* perform(
  state: ClusterState,
  work: Work,
  { target, flags }: { readonly target: Target; readonly flags: MoveFlags },
): ClusterWork<Done> {
  switch (work.on) {
    case 'act':
      return 'apply' in work.act
        ? applied(state, work.act.apply, target)
        : removed(state, work.act.remove, target);
    case 'package': {
      const object = state.objects.find((each) => isSameNamed(each, work.object));
      if (object === undefined) return { state };
      const next = yield* reconcilePackage(state, object, target);
      return { state: next, steps: failures(state, next, target) };
    }
    case 'revision': {
      const revision = state.revisions.find((each) => isSameNamed(each, work.revision));
      if (revision === undefined) return { state };
      const { state: next, goesOn } = yield* reconcileRevision(state, revision, target);
      return { state: next, goesOn, steps: failures(state, next, target) };
    }
    case 'lock': {
      const { state: next, resolution } = yield* reconcileLock(state, target, flags);
      return { state: next, steps: resolverSteps(resolution) };
    }
  }
}

function applied(state: ClusterState, wanted: WantedObject, target: Target): Done {
  const known = state.objects.find((each) => isSameNamed(each, wanted));
  const refused = refusedByServer(wanted, target);
  if (refused !== undefined) {
    return { state, steps: [{ ...named(wanted, target), did: 'fail', message: refused }] };
  }
  const object = {
    ...wanted,
    revision: known?.revision,
    problem: known?.problem,
  };
  const steps: ClusterStep[] = [{ ...named(wanted, target), did: 'applied', message: undefined }];
  return { state: withObject(state, object), steps };
}

function removed(
  state: ClusterState,
  gone: Pick<WantedObject, 'kind' | 'name'>,
  target: Target,
): Done {
  const object = state.objects.find((each) => isSameNamed(each, gone));
  if (object === undefined) return { state };
  const revisions = revisionsOf(state, object);
  const names = new Set(revisions.map(({ name }) => name));
  const left = {
    ...deleted(state, revisions),
    objects: state.objects.filter((each) => each !== object),
    revisions: state.revisions.filter((each) => !revisions.includes(each)),
    rows: state.rows.filter(({ name }) => !names.has(name)),
  };
  return { state: left, steps: [{ ...named(object, target), did: 'removed', message: undefined }] };
}

/** Failures that were not there before; that a dependency is yet to come is none. */
function failures(before: ClusterState, after: ClusterState, target: Target): ClusterStep[] {
  const objects = changed(before.objects, after.objects)
    .filter(({ problem }) => problem !== undefined)
    .map((object): ClusterStep => {
      return { ...named(object, target), did: 'fail', message: object.problem };
    });
  const revisions = changed(before.revisions, after.revisions)
    .filter(({ health }) => health.message !== undefined && !isWaiting(health.message))
    .map((revision): ClusterStep => {
      return { ...named(revision, target), did: 'fail', message: revision.health.message };
    });
  return [...objects, ...revisions];
}

function isWaiting(message: string): boolean {
  return message.startsWith('cannot resolve package dependencies: missing dependencies: ');
}

function resolverSteps(resolution: Resolution): ClusterStep[] {
  switch (resolution.did) {
    case 'nothing':
      return [];
    case 'fail': {
      const { did, implied, problem: message } = resolution;
      const source = implied?.dependency.repository;
      return [{ did, source, version: undefined, implied, message }];
    }
    case 'installed':
    case 'moved':
    case 'found another': {
      const { did, implied, version, message } = resolution;
      return [{ did, source: implied.dependency.repository, version, implied, message }];
    }
  }
}

function named(
  { reference }: { readonly reference: string },
  target: Target,
): Pick<ClusterStep, 'source' | 'version' | 'implied'> {
  const split = splitPackageReference(reference, target);
  return { source: split?.source ?? reference, version: split?.version, implied: undefined };
}

/** What is tried again and fails alike is told once. */
function isRepeated(step: ClusterStep, steps: readonly ClusterStep[]): boolean {
  const text = JSON.stringify(step);
  return (
    (step.did === 'fail' || step.did === 'found another') &&
    steps.some((each) => JSON.stringify(each) === text)
  );
}
