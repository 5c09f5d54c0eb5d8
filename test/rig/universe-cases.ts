import * as fc from 'fast-check';
import { runWith } from '../support/known-images.js';
import {
  EMPTY_CLUSTER,
  type WantedObject,
  wantedObject,
} from '../../src/crossplane/package-manager/cluster-state.js';
import {
  findCycle,
  dependencyGraph,
} from '../../src/crossplane/package-manager/dependency-graph.js';
import {
  reconcileCluster,
  type ReconciledCluster,
} from '../../src/crossplane/package-manager/reconcile-cluster.js';
import type { CoreEntry } from '../../src/resolver/explain/refusal.js';
import type { IndexPackage } from '../../src/sources/index/index-file.js';
import type { Target } from '../../src/crossplane/releases/target.js';
import { compareVersions, parseVersion } from '../../src/crossplane/constraints/version.js';
import { memorySource } from '../../src/sources/memory-source.js';
import { scenario, type Scenario } from '../../src/testing/generators/scenario.js';
import { resolveWithOptions } from '../../src/testing/properties/xpkg-resolver.js';
import { render } from '../../src/project/manifests/render.js';
import type { Answer } from '../../src/resolver/resolve/answer.js';
import { arrivalOrder, endsHealthy } from '../../src/features/simulate/simulate.js';
import { rootObjects } from '../../src/features/simulate/root-objects.js';
import { imagesOf } from '../support/clusters.js';
import { moveScenario, type MovedScenario } from './moved-scenario.js';
import { predictedEnd, renderedEnd } from './observed-end.js';
import { isStatedReason } from './refusal-reasons.js';
import type { RigCase } from './rig-run.js';

/** The number of orders that is assumed to reach all final states. */
const ORDERS = 100;
/** The number of scenarios drawn at a time, until enough are suitable. */
const DRAWN = 50;

/**
 * All features of the test kit, except that each release is tested separately and without policies.
 */
const KNOBS = { freeCrossplane: 0, policies: 0 } as const;

export interface UniverseCase extends RigCase {
  readonly scenario: MovedScenario;
}

export interface RootsCase extends UniverseCase {
  /** Whether it is healthy in every order. */
  readonly isHealthy: boolean;
  /** Whether in some order the resolver stops for all packages of the cluster. */
  readonly stopsOthers: boolean;
}

export interface RefusedCase extends RootsCase {
  /** The facts of the refusal. */
  readonly core: readonly CoreEntry[];
  /** Whether in some order it fails without a failure that the refusal states. */
  readonly failsOtherwise: boolean;
}

/** Draws scenarios until enough of them are suitable; the same seed gives the same cases. */
export async function drawCases<T>(
  count: number,
  { seed, host, tag }: { readonly seed: number; readonly host: string; readonly tag: string },
  toCase: (scenario: MovedScenario) => Promise<T | undefined>,
  isLikely: (drawn: Scenario) => Promise<boolean>,
): Promise<T[]> {
  const cases: T[] = [];
  for (let n = 0; cases.length < count; n++) {
    const drawn = fc.sample(scenario(KNOBS), { seed: seed * 1000 + n, numRuns: DRAWN });
    for (const [i, each] of drawn.entries()) {
      if (cases.length === count) break;
      // Renames only scenarios that are probably suitable: renaming takes longer than solving.
      if (!(await isLikely(each))) continue;
      const found = await toCase(await moveScenario(each, `${tag}${seed}x${n}x${i}`, host));
      if (found !== undefined) cases.push(found);
    }
  }
  return cases;
}

export function answered(
  { universe, request, options }: Scenario,
  { version }: Target,
): Promise<Answer | undefined> {
  const asked = { ...options, crossplane: version };
  const answer = resolveWithOptions(memorySource(universe), request, { options: asked, universe });
  // A request that is invalid on its own is not a case.
  return answer.catch(() => undefined);
}

/**
 * Returns the complete rendering of the answer; undefined: there is none, or nothing to install.
 */
export async function solvedCase(
  scenario: MovedScenario,
  target: Target,
): Promise<UniverseCase | undefined> {
  const answer = await answered(scenario, target);
  if (answer?.status !== 'solved' || answer.lockfile.packages.length === 0) return undefined;
  const rendering = render(answer.lockfile);
  const objects = rendering.bundle.objects
    .map(wantedObject)
    .filter((object) => object !== undefined);
  return { id: scenario.id, scenario, objects, ends: [renderedEnd(rendering)] };
}

/**
 * Returns the roots alone; undefined: a cluster does not know a root, a root has no version, or its
 * version depends on chance.
 */
export function rootsCase(scenario: MovedScenario, target: Target): RootsCase | undefined {
  const { universe, request, id } = scenario;
  if (request.roots.some(({ root }) => root !== 'package')) return undefined;
  if (Object.values(universe.packages).some((each) => hasTwins(each, target))) return undefined;
  let objects: readonly WantedObject[];
  try {
    const work = rootObjects(request, { target, locked: undefined });
    ({ objects } = runWith(work, imagesOf(universe, target)));
  } catch {
    return undefined;
  }
  const acts = objects.map((apply) => ({ apply }));
  const draws = Array.from({ length: ORDERS }, (_, seed) => arrivalOrder(seed));
  const settled = [undefined, ...draws].map((next) =>
    runWith(reconcileCluster(EMPTY_CLUSTER, acts, { target, next }), imagesOf(universe, target)),
  );
  const ends = new Map(
    settled.map((each) => predictedEnd(each, target)).map((end) => [JSON.stringify(end), end]),
  );
  return {
    id,
    scenario,
    objects,
    ends: [...ends.values()],
    isHealthy: settled.every((each) => endsHealthy(each, target)),
    stopsOthers: settled.some(failsForAll),
  };
}

/** Whether two tags are the same version: a resolver uses the last one in the tag list. */
function hasTwins({ versions }: IndexPackage, { rules }: Target): boolean {
  const parsed = Object.keys(versions)
    .map((tag) => parseVersion(tag, rules.dialect))
    .filter((version) => version !== undefined);
  return parsed.some((a, at) => parsed.slice(at + 1).some((b) => compareVersions(a, b) === 0));
}

/** Returns a refused request, installed by its roots. */
export async function refusedCase(
  scenario: MovedScenario,
  target: Target,
): Promise<RefusedCase | undefined> {
  const answer = await answered(scenario, target);
  if (answer?.status !== 'unsolvable') return undefined;
  const { core } = answer;
  const found = rootsCase(scenario, target);
  if (found === undefined) return undefined;
  return { ...found, core, failsOtherwise: !found.ends.every((end) => isStatedReason(core, end)) };
}

/** A resolver handles only the first missing dependency. */
function failsForAll({ state, steps, isAtRest }: ReconciledCluster): boolean {
  const graph = dependencyGraph(state.rows);
  const isStopped =
    typeof graph === 'string' || graph.missing.length > 0 || findCycle(graph) !== undefined;
  const failed = steps.some(
    ({ did, implied, source }) => did === 'fail' && (implied !== undefined || source === undefined),
  );
  return isStopped || failed || !isAtRest;
}
