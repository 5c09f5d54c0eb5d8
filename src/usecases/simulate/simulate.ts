import { bundleOf } from '../../bundle/bundle.js';
import { labelOf } from '../../bundle/object-label.js';
import type { Pin } from '../../bundle/package-object.js';
import {
  EMPTY_CLUSTER,
  type ClusterState,
  type WantedObject,
} from '../../cluster/cluster-state.js';
import { dumpedState } from '../../cluster/dumped-state.js';
import { imagePins } from '../../cluster/image-pin.js';
import { isHealthy } from '../../cluster/package-conditions.js';
import type { MoveFlags } from '../../cluster/reconcile/reconcile-lock.js';
import { settleCluster, type Settled, type UserAct } from '../../cluster/settle-cluster.js';
import { wantedObject } from '../../cluster/wanted-object.js';
import type { Lockfile } from '../../lock/lockfile.js';
import type { ClusterDump } from '../../model/cluster/cluster-dump.js';
import { isRenderedPin } from '../../model/cluster/image-config.js';
import { InputError } from '../../model/input-error.js';
import type { PackageSource } from '../../model/package-source.js';
import type { KeptObject, Request } from '../../model/request.js';
import { packageManagerOf } from '../../model/target/package-manager.js';
import type { Target } from '../../model/target/target.js';
import { OutOfTime } from '../../model/time/out-of-time.js';
import type { TimeBudget } from '../../model/time/time-budget.js';
import type { JsonObject } from '../../text/json.js';
import { byCodePoint } from '../../text/code-point-order.js';
import { arrivalOrder } from './arrival-order.js';
import { ImageReader } from './image-reader.js';
import { rootObjects } from './root-objects.js';

/** What is applied: the roots of a request, or all that a lockfile locks, as rendered. */
export type Applied =
  | {
      readonly roots: Request;
      /** Roots enter at the versions that it locks; undefined: at the newest that they admit. */
      readonly locked: Lockfile | undefined;
    }
  | {
      readonly all: Lockfile;
      /** How versions are named; by tag, unless told. */
      readonly pin?: Pin | undefined;
      /** Objects that the cluster has and the lockfile has not are removed. */
      readonly prune: boolean;
    };

/** What the cluster holds before: what a lockfile rendered, or what was dumped of it. */
export type Before =
  | {
      readonly lockfile: Lockfile;
      /** How versions were named when it was applied; by tag, unless told. */
      readonly pin?: Pin | undefined;
    }
  | { readonly dump: ClusterDump };

export interface SimulateOptions {
  readonly source: PackageSource;
  readonly target: Target;
  readonly before?: Before | undefined;
  readonly flags: MoveFlags;
  /** So many other orders are tried. */
  readonly orders: number;
  readonly seed: number;
  /** When it is over, `OutOfTime` is thrown; undefined: it takes as long as it takes. */
  readonly timeout?: TimeBudget | undefined;
}

/** An end that some orders lead to. */
export interface OtherEnd {
  /** How many of those tried. */
  readonly orders: number;
  readonly settled: Settled;
}

export interface Simulation {
  readonly target: Target;
  readonly settled: Settled;
  /** How many of the other orders end as the first does. */
  readonly sameEnd: number;
  /** Ends of other orders that are not the first one's, most frequent first. */
  readonly otherEnds: readonly OtherEnd[];
  readonly notes: readonly string[];
}

/** What a cluster's own package manager would make of some packages, step by step. */
export async function simulate(applied: Applied, options: SimulateOptions): Promise<Simulation> {
  const { source, target, before, flags, orders, seed, timeout } = options;
  refuseFlags(flags, target);
  const reader = new ImageReader(source, target);
  const found = await startOf(before, reader, options);
  const { acts, notes } = await actsOf(applied, found, reader, target);
  const start = { ...found, pins: imagePins(keptAfter(before, applied, target), target) };
  const run = (next: Next) => reader.run(settleCluster(start, acts, { target, flags, next }));
  const settled = await run(inTime(timeout, 'the cluster'));
  const ends = new Map<string, OtherEnd>();
  for (let order = 1; order <= orders; order++) {
    const drawn = arrivalOrder(seed + order);
    const other = await run(inTime(timeout, `order ${order} of ${orders}`, drawn));
    const key = endKey(other);
    ends.set(key, { orders: (ends.get(key)?.orders ?? 0) + 1, settled: other });
  }
  const sameEnd = ends.get(endKey(settled))?.orders ?? 0;
  ends.delete(endKey(settled));
  const otherEnds = [...ends.values()].sort((a, b) => b.orders - a.orders);
  return { target, settled, sameEnd, otherEnds, notes };
}

/** Whether every package ends installed and healthy. */
export function endsHealthy({ state, isAtRest }: Settled, target: Target): boolean {
  return isAtRest && isHealthy(state, target);
}

function refuseFlags({ upgrades, downgrades }: MoveFlags, target: Target): void {
  const { moves } = packageManagerOf(target);
  const unknown =
    upgrades && !moves.includes('upgrades')
      ? '--upgrades'
      : downgrades && !moves.includes('downgrades')
        ? '--downgrades'
        : undefined;
  if (unknown === undefined) return;
  throw new InputError(`Crossplane ${target.version} has no flag that \`${unknown}\` stands for`);
}

/** Which of so many things that wait is done next. */
type Next = (waiting: number) => number;

/** Looks at the clock before each step: from local sources nothing is ever waited for. */
function inTime(timeout: TimeBudget | undefined, what: string, next: Next = () => 0): Next {
  return (waiting) => {
    if (timeout?.isUp() !== true) return next(waiting);
    throw new OutOfTime(timeout.seconds, `${what} to come to rest`);
  };
}

async function startOf(
  before: Before | undefined,
  reader: ImageReader,
  { target, timeout }: Pick<SimulateOptions, 'target' | 'timeout'>,
): Promise<ClusterState> {
  if (before === undefined) return EMPTY_CLUSTER;
  if ('dump' in before) return dumpedState(before.dump, target);
  const { objects } = bundleOf(before.lockfile, target, before.pin ?? 'tag');
  const acts = packagesIn(objects).map((apply) => ({ apply }));
  const start = { ...EMPTY_CLUSTER, pins: imagePins(objects.map(rendered), target) };
  const next = inTime(timeout, 'the cluster from before');
  return (await reader.run(settleCluster(start, acts, { target, next }))).state;
}

/** ImageConfigs and the like that the cluster has once all is applied: of one name, the last. */
function keptAfter(before: Before | undefined, applied: Applied, target: Target): KeptObject[] {
  const prune = 'all' in applied && applied.prune;
  const has =
    'all' in applied
      ? bundleOf(applied.all, target, applied.pin ?? 'tag').objects.map(rendered)
      : applied.roots.kept;
  const kept = [...keptBefore(before, prune, target), ...has];
  return [...new Map(kept.map((each) => [labelOf(each.object), each])).values()];
}

/** Those from before that stay: pruning takes away what was rendered, and no object of others. */
function keptBefore(before: Before | undefined, prune: boolean, target: Target): KeptObject[] {
  if (before === undefined) return [];
  if ('dump' in before) {
    return before.dump.kept.filter(({ object }) => !prune || !isRenderedPin(object));
  }
  if (prune) return [];
  return bundleOf(before.lockfile, target, before.pin ?? 'tag').objects.map(rendered);
}

function rendered(object: JsonObject): KeptObject {
  return { object, origin: { file: 'the bundle' } };
}

async function actsOf(
  applied: Applied,
  start: ClusterState,
  reader: ImageReader,
  target: Target,
): Promise<{ readonly acts: readonly UserAct[]; readonly notes: readonly string[] }> {
  if ('roots' in applied) {
    const { roots, locked } = applied;
    const { objects, images, notes } = await reader.run(rootObjects(roots, { target, locked }));
    if (objects.length === 0 && roots.roots.length > 0) throw nothingToApply(roots, locked);
    reader.add(images);
    return { acts: objects.map((apply) => ({ apply })), notes };
  }
  const objects = packagesIn(bundleOf(applied.all, target, applied.pin ?? 'tag').objects);
  const kept = new Set(objects.map(({ kind, name }) => `${kind} ${name}`));
  const gone = start.objects.filter(({ kind, name }) => !kept.has(`${kind} ${name}`));
  const acts: UserAct[] = [
    ...objects.map((apply) => ({ apply })),
    ...(applied.prune ? gone : []).map((remove) => ({ remove })),
  ];
  return { acts, notes: [] };
}

/** What is left of a request where every root asks for a CRD. */
function nothingToApply({ roots }: Request, locked: Lockfile | undefined): InputError {
  const why = locked
    ? 'every root asks for a CRD, and no locked package owns one of them'
    : 'every root asks for a CRD, which no object tells a cluster';
  return new InputError(`nothing to apply: ${why}`, {
    origin: roots[0]?.origin,
    hint: 'lock the owners with `xpkg-resolve resolve`; `--locked` then applies them, `--all` everything that is locked',
  });
}

function packagesIn(objects: readonly JsonObject[]): WantedObject[] {
  return objects.map(wantedObject).filter((object) => object !== undefined);
}

/** Equal for ends that a user could not tell apart: the order of rows is not looked at. */
function endKey({ state, isAtRest }: Settled): string {
  const rows = state.rows.map(({ source, version }) => `${source} ${version}`);
  const objects = state.objects.map(({ kind, name, reference, revision }) => {
    const health = state.revisions.find((each) => each.kind === kind && each.name === revision);
    return `${kind} ${name} ${reference} ${health?.health.status ?? ''}`;
  });
  return JSON.stringify([isAtRest, rows.sort(byCodePoint), objects.sort(byCodePoint)]);
}
