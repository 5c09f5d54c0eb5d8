import { rootObjects } from './root-objects.js';
import { byCodePoint, type Draw, seededDraw } from '../../base/collections.js';
import { InputError } from '../../base/errors.js';
import { OutOfTime, type TimeBudget } from '../../base/time.js';
import type { ClusterDump } from '../../crossplane/package-manager/cluster-dump.js';
import {
  clusterImage,
  type ClusterImage,
  type RegistryRequest,
  type RegistryReply,
  type ClusterTask,
} from '../../crossplane/package-manager/cluster-image.js';
import {
  type ClusterState,
  dumpedState,
  EMPTY_CLUSTER,
  isHealthy,
  hasSameKey,
  type WantedObject,
  wantedObject,
} from '../../crossplane/package-manager/cluster-state.js';
import {
  imagePins,
  isRenderedPin,
  type KeptObject,
} from '../../crossplane/package-manager/image-config.js';
import {
  reconcileCluster,
  type ReconciledCluster,
  type UserChange,
} from '../../crossplane/package-manager/reconcile-cluster.js';
import type { MoveFlags } from '../../crossplane/package-manager/reconcile-lock.js';
import type { Repository } from '../../crossplane/packages/package.js';
import { joinReference, splitPackageReference } from '../../crossplane/packages/reference.js';
import type { Target } from '../../crossplane/releases/target.js';
import type { Request } from '../../project/inputs/request.js';
import { byRepository, type Lockfile } from '../../project/lockfile/lockfile.js';
import { bundleOf } from '../../project/manifests/bundle.js';
import { labelOf } from '../../project/manifests/object-names.js';
import type { Pin } from '../../project/manifests/package-object.js';
import type { PackageSource } from '../../sources/package-source.js';
import { SourceReader } from '../../resolver/driver/source-reader.js';

/** What a user applies: the roots of a request, or the rendered manifests of a lockfile. */
export type SimulatedInput =
  | {
      readonly roots: Request;
      /** The lockfile with the versions of the roots; undefined: each root has its newest version. */
      readonly locked: Lockfile | undefined;
    }
  | {
      readonly all: Lockfile;
      /** How the manifests name versions; undefined: by tag. */
      readonly pin?: Pin | undefined;
      /** Whether to remove objects that only the cluster has. */
      readonly prune: boolean;
    };

/** The initial state of the cluster: the rendered manifests of a lockfile, or a dump. */
export type InitialState =
  | {
      readonly lockfile: Lockfile;
      /** How the manifests name versions; undefined: by tag. */
      readonly pin?: Pin | undefined;
    }
  | { readonly dump: ClusterDump };

export interface SimulateOptions {
  readonly source: PackageSource;
  readonly target: Target;
  readonly before?: InitialState | undefined;
  readonly flags: MoveFlags;
  /** Number of other event orders to try. */
  readonly orders: number;
  readonly seed: number;
  /** Time limit, after which `OutOfTime` is thrown; undefined: no limit. */
  readonly timeout?: TimeBudget | undefined;
}

/** A final state that some orders lead to. */
interface OtherEnd {
  /** Number of orders that lead to it. */
  readonly orders: number;
  readonly settled: ReconciledCluster;
}

export interface Simulation {
  readonly target: Target;
  readonly settled: ReconciledCluster;
  /** Number of other orders with the same final state as the first order. */
  readonly sameEnd: number;
  /** Other final states, most frequent first. */
  readonly otherEnds: readonly OtherEnd[];
  readonly notes: readonly string[];
}

/** Simulates, step by step, how the package manager of a cluster installs packages. */
export async function simulate(
  applied: SimulatedInput,
  options: SimulateOptions,
): Promise<Simulation> {
  const { source, target, before, flags, orders, seed, timeout } = options;
  checkFlags(flags, target);
  const reader = imageReader(source, target);
  const initial = await initialState(before, reader, options);
  const { acts, notes } = await changesBy(applied, initial, reader, target);
  const start = { ...initial, pins: imagePins(manifestsAfter(before, applied, target), target) };
  const run = (next: Next) => reader.run(reconcileCluster(start, acts, { target, flags, next }));
  const settled = await run(inTime(timeout, 'the cluster'));
  const ends = new Map<string, OtherEnd>([[endKey(settled), { orders: 0, settled }]]);
  for (let order = 1; order <= orders; order++) {
    const drawn = arrivalOrder(seed + order);
    const other = await run(inTime(timeout, `order ${order} of ${orders}`, drawn));
    const key = endKey(other);
    ends.set(key, { orders: (ends.get(key)?.orders ?? 0) + 1, settled: other });
  }
  const [same, ...otherEnds] = ends.values();
  otherEnds.sort((a, b) => b.orders - a.orders);
  return { target, settled, sameEnd: same!.orders, otherEnds, notes };
}

/** Whether every package ends installed and healthy. */
export function endsHealthy({ state, isAtRest }: ReconciledCluster, target: Target): boolean {
  return isAtRest && isHealthy(state, target);
}

function checkFlags(flags: MoveFlags, target: Target): void {
  const { moves } = target.packageManager;
  const unknown = (['upgrades', 'downgrades'] as const).find(
    (flag) => flags[flag] && !moves.includes(flag),
  );
  if (unknown === undefined) return;
  throw new InputError(`Crossplane ${target.version} has no flag that \`--${unknown}\` stands for`);
}

/** Returns the index of the next event among the pending ones. */
type Next = (waiting: number) => number;

/** Checks the time limit before each step: with local sources, no timer can interrupt the steps. */
function inTime(timeout: TimeBudget | undefined, what: string, next: Next = () => 0): Next {
  return (waiting) => {
    if (timeout?.isUp() !== true) return next(waiting);
    throw new OutOfTime(timeout.seconds, `${what} to come to rest`);
  };
}

async function initialState(
  before: InitialState | undefined,
  reader: ImageReader,
  { target, timeout }: Pick<SimulateOptions, 'target' | 'timeout'>,
): Promise<ClusterState> {
  if (before === undefined) return EMPTY_CLUSTER;
  if ('dump' in before) return dumpedState(before.dump, target);
  const manifests = renderedManifests(before.lockfile, before.pin, target);
  const userChanges = packagesIn(manifests).map((apply) => ({ apply }));
  const start = { ...EMPTY_CLUSTER, pins: imagePins(manifests, target) };
  const next = inTime(timeout, 'the cluster from before');
  return (await reader.run(reconcileCluster(start, userChanges, { target, next }))).state;
}

/** Returns the manifests of the cluster after applying. The last one with a name wins. */
function manifestsAfter(
  before: InitialState | undefined,
  applied: SimulatedInput,
  target: Target,
): KeptObject[] {
  const [prune, added] =
    'all' in applied
      ? [applied.prune, renderedManifests(applied.all, applied.pin, target)]
      : [false, applied.roots.kept];
  const manifests = [...manifestsBefore(before, prune, target), ...added];
  return [...new Map(manifests.map((each) => [labelOf(each.object), each])).values()];
}

/** Returns the earlier manifests that remain. Pruning removes only rendered objects. */
function manifestsBefore(before: InitialState | undefined, prune: boolean, target: Target) {
  if (before === undefined) return [];
  if ('dump' in before) {
    return before.dump.extraManifests.filter(({ object }) => !prune || !isRenderedPin(object));
  }
  return prune ? [] : renderedManifests(before.lockfile, before.pin, target);
}

function renderedManifests(lockfile: Lockfile, pin: Pin | undefined, target: Target): KeptObject[] {
  const { objects } = bundleOf(lockfile, target, pin ?? 'tag');
  return objects.map((object) => ({ object, origin: { file: 'the bundle' } }));
}

async function changesBy(
  applied: SimulatedInput,
  start: ClusterState,
  reader: ImageReader,
  target: Target,
): Promise<{ readonly acts: readonly UserChange[]; readonly notes: readonly string[] }> {
  if ('roots' in applied) {
    const { roots, locked } = applied;
    const { objects, images, notes } = await reader.run(rootObjects(roots, { target, locked }));
    if (objects.length === 0 && roots.roots.length > 0) throw nothingToApplyError(roots, locked);
    for (const [reference, image] of images) reader.images.set(reference, image);
    return { acts: objects.map((apply) => ({ apply })), notes };
  }
  const objects = packagesIn(renderedManifests(applied.all, applied.pin, target));
  const removed = start.objects.filter(
    (object) => applied.prune && !objects.some((each) => hasSameKey(each, object)),
  );
  const acts = [...objects.map((apply) => ({ apply })), ...removed.map((remove) => ({ remove }))];
  return { acts, notes: [] };
}

/** The error for a request in which every root is a CRD without a locked owner. */
function nothingToApplyError({ roots }: Request, locked: Lockfile | undefined): InputError {
  const why = locked
    ? 'every root asks for a CRD, and no locked package owns one of them'
    : 'every root asks for a CRD, which no object tells a cluster';
  return new InputError(`nothing to apply: ${why}`, {
    origin: roots[0]?.origin,
    hint: 'lock the owners with `xpkg-resolve resolve`; `--locked` then applies them, `--all` everything that is locked',
  });
}

function packagesIn(manifests: readonly KeptObject[]): WantedObject[] {
  return manifests.flatMap(({ object }) => wantedObject(object) ?? []);
}

/** Returns a key that is equal for final states which differ only in the order of Lock rows. */
function endKey({ state, isAtRest }: ReconciledCluster): string {
  const rows = state.rows.map(({ source, version }) => `${source} ${version}`);
  const objects = state.objects.map(({ kind, name, reference, revision }) => {
    const health = state.revisions.find((each) => each.kind === kind && each.name === revision);
    return `${kind} ${name} ${reference} ${health?.health.status ?? ''}`;
  });
  return JSON.stringify([isAtRest, rows.sort(byCodePoint), objects.sort(byCodePoint)]);
}

/** A package with different versions in a cluster and a lockfile. */
export interface VersionDifference {
  readonly repository: Repository;
  /** undefined: the package is not locked. */
  readonly locked: string | undefined;
  /** undefined: the cluster does not have the package. */
  readonly installed: string | undefined;
}

/** Returns the differences between a final state and a lockfile, sorted by repository. */
export function compareWithLockfile(
  { state }: ReconciledCluster,
  { packages }: Pick<Lockfile, 'packages'>,
  target: Target,
): VersionDifference[] {
  const locked = byRepository(packages);
  const installed = new Map(
    state.objects.flatMap(({ reference }) => {
      const split = splitPackageReference(reference, target);
      return split === undefined ? [] : [[split.source, split.version] as const];
    }),
  );
  const repositories = new Set([...locked.keys(), ...installed.keys()]);
  return [...repositories].sort(byCodePoint).flatMap((repository) => {
    const { version, digest } = locked.get(repository) ?? {};
    const found = installed.get(repository);
    const isAsLocked = found !== undefined && (found === version || found === digest);
    return isAsLocked ? [] : { repository, locked: version, installed: found };
  });
}

/** With odd seeds, one in this many events is drawn at random. */
const RANDOM_ONE_IN = 8;

/**
 * Returns a function that draws the index of the next event. Odd seeds mostly draw the newest event,
 * so that other events wait for a long time, like a failed event that a cluster retries.
 */
export function arrivalOrder(seed: number): Draw {
  const draw = seededDraw(seed);
  if (seed % 2 === 0) return draw;
  return (waiting) => (draw(RANDOM_ONE_IN) === 0 ? draw(waiting) : waiting - 1);
}

type ImageReader = ReturnType<typeof imageReader>;

/** Answers the requests of a simulated package manager from a source, and caches images. */
function imageReader(source: PackageSource, target: Target) {
  const reader = SourceReader.of(source);
  /** By reference; undefined: the source does not have it. */
  const images = new Map<string, ClusterImage | undefined>();
  const reply = async (request: RegistryRequest): Promise<RegistryReply> => {
    if (request.ask === 'tags') return reader.tags(request.repository, target);
    const { candidate } = request;
    const key = joinReference(candidate.repository, candidate.version);
    if (!images.has(key)) {
      const fetched = await reader.fetch(candidate, target);
      images.set(key, fetched && clusterImage(fetched.contents, fetched.digest, target));
    }
    return images.get(key);
  };
  const run = async <T>(work: ClusterTask<T>): Promise<T> => {
    let step = work.next();
    while (step.done !== true) step = work.next(await reply(step.value));
    return step.value;
  };
  return { images, run };
}
