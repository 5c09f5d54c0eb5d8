import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, type TestContext } from 'vitest';
import { bundleOf } from '../../src/bundle/bundle.js';
import { runOn } from '../../src/cluster/cluster-question.js';
import { EMPTY_CLUSTER, type WantedObject } from '../../src/cluster/cluster-state.js';
import { settleCluster } from '../../src/cluster/settle-cluster.js';
import { wantedObject } from '../../src/cluster/wanted-object.js';
import { targetFor, type Target } from '../../src/model/target/target.js';
import { memorySource } from '../../src/sources/memory-source.js';
import { scenario } from '../../src/testing/generate/scenario.js';
import { seeded } from '../../src/usecases/fuzz/seeded.js';
import { resolve } from '../../src/usecases/resolve/resolve.js';
import { endsHealthy } from '../../src/usecases/simulate/simulate.js';
import { rootObjects } from '../../src/usecases/simulate/root-objects.js';
import { DockerRegistry } from '../conformance/docker-registry.js';
import { imagesOf } from '../support/clusters.js';
import type { KubeApi } from './kube-api.js';
import { foretoldEnd, observedEnd, PACKAGE_RESOURCES, type ObservedEnd } from './observed-end.js';
import { publishScenario, type PublishedScenario } from './published-universe.js';
import { Rig } from './rig.js';
import type { RigFigure } from './rig-figure.js';

const RELEASES = (process.env['XPKG_RIG_RELEASES'] ?? 'v1.20.11,v2.3.4').split(',');
/** Generated for each release; some have no answer, and some no roots. */
const UNIVERSES = Number(process.env['XPKG_RIG_UNIVERSES'] ?? '25');
/** Those that are stuck stop the resolver for all, and so have a cluster each. */
const STUCK = Number(process.env['XPKG_RIG_STUCK'] ?? '3');
const SEED = Number(process.env['XPKG_RIG_SEED'] ?? '1');
/** So many orders are thought to show every end there is. */
const ORDERS = 100;
/** v1 tries again after ever longer waits, and a loaded machine takes its time. */
const SECONDS_TO_SETTLE = 900;
/** An end that lasts so long is taken to be one. */
const QUIET_SECONDS = 5;

const KNOBS = {
  freeCrossplane: 0,
  localRoots: 0,
  crdRoots: 0,
  overrides: 0,
  replace: 0,
  exclude: 0,
  locked: 0,
  // One repository under two names is told apart by its path here.
  aliases: 0,
} as const;

let registry: DockerRegistry;
let published: readonly PublishedScenario[];

beforeAll(async () => {
  registry = await DockerRegistry.start();
  const drawn = fc.sample(scenario(KNOBS), { seed: SEED, numRuns: UNIVERSES });
  const all = await Promise.all(
    drawn.map((each, i) => publishScenario(each, `u${SEED}x${i}`, registry)),
  );
  published = all.filter(({ request }) => request.roots.length > 0);
});

afterAll(() => registry.stop());

/** A scenario as it is applied, and every end that the model comes to. */
interface Case {
  readonly id: string;
  readonly objects: readonly WantedObject[];
  readonly ends: readonly ObservedEnd[];
  readonly isHealthy: boolean;
}

function caseOf(
  { id, universe }: PublishedScenario,
  objects: readonly WantedObject[],
  target: Target,
): Case {
  const acts = objects.map((apply) => ({ apply }));
  const draws = Array.from({ length: ORDERS }, (_, seed) => seeded(seed));
  const settled = [undefined, ...draws].map((next) =>
    runOn(settleCluster(EMPTY_CLUSTER, acts, { target, next }), imagesOf(universe, target)),
  );
  const ends = new Map(
    settled.map((each) => foretoldEnd(each, target)).map((end) => [JSON.stringify(end), end]),
  );
  const isHealthy = settled.every((each) => endsHealthy(each, target));
  return { id, objects, ends: [...ends.values()], isHealthy };
}

/** The roots alone; undefined: there is no version of one to apply. */
function rootsCase(scenario: PublishedScenario, target: Target): Case | undefined {
  const work = rootObjects(scenario.request, { target, locked: undefined });
  try {
    const { objects } = runOn(work, imagesOf(scenario.universe, target));
    return caseOf(scenario, objects, target);
  } catch {
    return undefined;
  }
}

/** All that is rendered of the answer; undefined: there is none. */
async function solvedCase(scenario: PublishedScenario, target: Target): Promise<Case | undefined> {
  const source = memorySource(scenario.universe);
  const options = { source, crossplane: target.version };
  const answer = await resolve(scenario.request, options).catch(() => undefined);
  if (answer?.status !== 'solved') return undefined;
  const { objects } = bundleOf(answer.lockfile, target, 'tag');
  const wanted = objects.map(wantedObject).filter((object) => object !== undefined);
  return caseOf(scenario, wanted, target);
}

async function applyAll(api: KubeApi, objects: readonly WantedObject[]): Promise<void> {
  for (const object of objects) {
    const { kind, name, reference, skipDependencyResolution, ignoreCrossplaneConstraints } = object;
    await api.apply(PACKAGE_RESOURCES[kind]!, name, {
      apiVersion: 'pkg.crossplane.io/v1',
      kind,
      metadata: { name },
      spec: { package: reference, skipDependencyResolution, ignoreCrossplaneConstraints },
    });
  }
}

/** What each scenario comes to, once all are as foretold and stay so, or time is up. */
async function ended(api: KubeApi, cases: readonly Case[]): Promise<Map<string, ObservedEnd>> {
  const limit = Date.now() + SECONDS_TO_SETTLE * 1000;
  let since = Date.now();
  for (;;) {
    const seen = new Map<string, ObservedEnd>();
    for (const { id } of cases) seen.set(id, await observedEnd(api, id));
    const isForetold = cases.every(({ id, ends }) => includes(ends, seen.get(id)!));
    if (!isForetold) since = Date.now();
    const isQuiet = Date.now() - since > QUIET_SECONDS * 1000;
    if (isQuiet || Date.now() > limit) return seen;
    await new Promise((next) => setTimeout(next, 1000));
  }
}

function includes(ends: readonly ObservedEnd[], seen: ObservedEnd): boolean {
  return ends.some((end) => JSON.stringify(end) === JSON.stringify(seen));
}

/** Applies scenarios side by side, and expects each to end as the model has it. */
async function hold(
  release: string,
  cases: readonly Case[],
  { task }: TestContext,
  scenarioName: string,
): Promise<void> {
  const tried = (task.meta.rigFigure?.tried ?? 0) + cases.length;
  const figure: RigFigure = { scenario: scenarioName, release, tried };
  task.meta.rigFigure = figure;
  const rig = await Rig.up(release);
  try {
    for (const { objects } of cases) await applyAll(rig.api, objects);
    const seen = await ended(rig.api, cases);
    for (const { id, ends } of cases) {
      const end = seen.get(id)!;
      expect({ id, ...end }).toEqual({ id, ...(includes(ends, end) ? end : ends[0]) });
    }
  } finally {
    await rig.down();
  }
}

describe.each(RELEASES)('Crossplane %s', (release) => {
  const target = targetFor(release)!;

  test('what is solved and rendered ends healthy, with our Lock', async (context) => {
    const found = await Promise.all(published.map((each) => solvedCase(each, target)));
    const cases = found.filter((each) => each !== undefined).filter(({ isHealthy }) => isHealthy);
    expect(cases.length).toBe(found.filter((each) => each !== undefined).length);
    await hold(release, cases, context, 'solved and rendered, side by side');
  });

  test('roots alone that end healthy in every order do so', async (context) => {
    const cases = published.map((each) => rootsCase(each, target));
    const healthy = cases.filter((each) => each?.isHealthy === true).map((each) => each!);
    await hold(release, healthy, context, 'roots alone, side by side');
  });

  test('roots alone that are stuck are stuck as the model has it', async (context) => {
    const cases = published.map((each) => rootsCase(each, target));
    const stuck = cases.filter((each) => each?.isHealthy === false).slice(0, STUCK);
    for (const each of stuck) await hold(release, [each!], context, 'roots alone, stuck');
  });
});
