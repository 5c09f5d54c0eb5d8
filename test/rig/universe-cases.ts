import * as fc from 'fast-check';
import { runOn } from '../../src/cluster/cluster-question.js';
import { EMPTY_CLUSTER, type WantedObject } from '../../src/cluster/cluster-state.js';
import { cyclicSource, dependencyGraph } from '../../src/cluster/reconcile/dependency-graph.js';
import { settleCluster, type Settled } from '../../src/cluster/settle-cluster.js';
import { wantedObject } from '../../src/cluster/wanted-object.js';
import type { CoreEntry } from '../../src/explain/core-entries.js';
import type { IndexPackage } from '../../src/model/index-file.js';
import type { Target } from '../../src/model/target/target.js';
import { compareVersions, parseVersion } from '../../src/semver/version.js';
import { memorySource } from '../../src/sources/memory-source.js';
import { scenario, type Scenario } from '../../src/testing/generate/scenario.js';
import { answerTo } from '../../src/testing/laws/xpkg-resolver.js';
import { render } from '../../src/usecases/render.js';
import type { Answer } from '../../src/usecases/resolve/answer.js';
import { arrivalOrder } from '../../src/usecases/simulate/arrival-order.js';
import { rootObjects } from '../../src/usecases/simulate/root-objects.js';
import { endsHealthy } from '../../src/usecases/simulate/simulate.js';
import { imagesOf } from '../support/clusters.js';
import { moveScenario, type MovedScenario } from './moved-scenario.js';
import { foretoldEnd, renderedEnd } from './observed-end.js';
import { isSaidReason } from './refusal-reasons.js';
import type { RigCase } from './rig-run.js';

/** So many orders are thought to show every end there is. */
const ORDERS = 100;
/** Drawn at once; more are drawn until enough of them will do. */
const DRAWN = 50;

/** All that the test kit draws; a release is tried by itself, and knows of no policy. */
const KNOBS = { freeCrossplane: 0, policies: 0 } as const;

export interface UniverseCase extends RigCase {
  readonly scenario: MovedScenario;
}

export interface RootsCase extends UniverseCase {
  /** In every order that was tried. */
  readonly isHealthy: boolean;
  /** In some order, the resolver stops for all packages of the cluster. */
  readonly stopsOthers: boolean;
}

export interface RefusedCase extends RootsCase {
  /** Why there is no answer. */
  readonly core: readonly CoreEntry[];
  /** In some order it ends in no failure that the refusal tells. */
  readonly failsOtherwise: boolean;
}

/** Scenarios that are turned into cases until there are enough; the same ones for the same seed. */
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
      // Names are made new only of what will probably do: that takes longer than an answer.
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
  const answer = answerTo(memorySource(universe), request, { options: asked, universe });
  // A request that is refused as it stands is no case.
  return answer.catch(() => undefined);
}

/** All that is rendered of the answer; undefined: there is none, or nothing to install. */
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
 * The roots alone; undefined: a cluster knows no such root, or there is no version of one, or which
 * version it picks is chance.
 */
export function rootsCase(scenario: MovedScenario, target: Target): RootsCase | undefined {
  const { universe, request, id } = scenario;
  if (request.roots.some(({ root }) => root !== 'package')) return undefined;
  if (Object.values(universe.packages).some((each) => hasTwins(each, target))) return undefined;
  let objects: readonly WantedObject[];
  try {
    const work = rootObjects(request, { target, locked: undefined });
    ({ objects } = runOn(work, imagesOf(universe, target)));
  } catch {
    return undefined;
  }
  const acts = objects.map((apply) => ({ apply }));
  const draws = Array.from({ length: ORDERS }, (_, seed) => arrivalOrder(seed));
  const settled = [undefined, ...draws].map((next) =>
    runOn(settleCluster(EMPTY_CLUSTER, acts, { target, next }), imagesOf(universe, target)),
  );
  const ends = new Map(
    settled.map((each) => foretoldEnd(each, target)).map((end) => [JSON.stringify(end), end]),
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

/** Whether two tags are the same version: a resolver takes the one that its registry lists last. */
function hasTwins({ versions }: IndexPackage, { rules }: Target): boolean {
  const parsed = Object.keys(versions)
    .map((tag) => parseVersion(tag, rules.dialect))
    .filter((version) => version !== undefined);
  return parsed.some((a, at) => parsed.slice(at + 1).some((b) => compareVersions(a, b) === 0));
}

/** What is refused, installed by its roots. */
export async function refusedCase(
  scenario: MovedScenario,
  target: Target,
): Promise<RefusedCase | undefined> {
  const answer = await answered(scenario, target);
  if (answer?.status !== 'unsolvable') return undefined;
  const { core } = answer;
  const found = rootsCase(scenario, target);
  if (found === undefined) return undefined;
  return { ...found, core, failsOtherwise: !found.ends.every((end) => isSaidReason(core, end)) };
}

/** A resolver looks at the first thing that is missing, and at no other until that is there. */
function failsForAll({ state, steps, isAtRest }: Settled): boolean {
  const graph = dependencyGraph(state.rows);
  const isStopped =
    typeof graph === 'string' || graph.missing.length > 0 || cyclicSource(graph) !== undefined;
  const failed = steps.some(
    ({ did, implied, source }) => did === 'fail' && (implied !== undefined || source === undefined),
  );
  return isStopped || failed || !isAtRest;
}
