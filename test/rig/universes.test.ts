import { afterAll, beforeAll, describe, expect, test, type TestContext } from 'vitest';
import type { IndexPackage } from '../../src/sources/index/index-file.js';
import { targetFor, type Target } from '../../src/crossplane/releases/target.js';
import { isMapping, type JsonValue } from '../../src/base/json.js';
import { DockerRegistry } from '../conformance/docker-registry.js';
import { KIND_KEYS, moveScenario } from './moved-scenario.js';
import { withStatedErrors } from './named-alone.js';
import type { ObservedEnd } from './observed-end.js';
import { isNamedIn, isStatedReason } from './refusal-reasons.js';
import { RigLanes } from './rig-lanes.js';
import { RELEASES } from './rig-releases.js';
import { isAmong, isPartedControl, withoutLock, type RigCase } from './rig-run.js';
import {
  answered,
  drawCases,
  refusedCase,
  rootsCase,
  solvedCase,
  type RefusedCase,
  type RootsCase,
  type UniverseCase,
} from './universe-cases.js';

function asked(name: string, unless: number): number {
  const text = process.env[`XPKG_RIG_${name}`] ?? String(unless);
  if (!/^\d+$/.test(text)) throw new Error(`XPKG_RIG_${name}=${text}: must be a whole number`);
  return Number(text);
}

/**
 * Numbers of cases on a release: `XPKG_RIG_SOLVED=20` and so on. Most clusters run one of the first
 * two releases.
 */
function countsOn(release: string) {
  const isMost = ['v1.20.', 'v2.3.'].some((minor) => release.startsWith(minor));
  return {
    solved: asked('SOLVED', isMost ? 200 : 50),
    roots: asked('ROOTS', 200),
    refused: asked('REFUSED', isMost ? 25 : 10),
  };
}

/** Number of cases that share a Lock: all wait for it, and a long one is slow. */
const BATCH = asked('BATCH', 3);
/** Number of parallel clusters, which mostly wait. */
const LANES = asked('LANES', 5);
const SEED = asked('SEED', 1);

let registry: DockerRegistry;

beforeAll(async () => {
  registry = await DockerRegistry.start();
});

afterAll(() => registry.stop());

/** Groups cases: those that would stop others run alone, all others together. */
function sharesOf(cases: readonly RootsCase[]): UniverseCase[][] {
  const apart = cases.filter(({ stopsOthers }) => stopsOthers);
  const together = cases.filter(({ stopsOthers }) => !stopsOthers);
  return [...apart.map((each) => [each]), ...inBatches(together)];
}

function inBatches(cases: readonly UniverseCase[]): UniverseCase[][] {
  const count = Math.ceil(cases.length / BATCH);
  return Array.from({ length: count }, (_, at) =>
    cases
      .slice(at * BATCH, (at + 1) * BATCH)
      .map((each) => ({ ...each, ends: withoutLock(each.ends) })),
  );
}

/** Returns the cases with another final state than predicted, with both states. */
function otherwise(cases: readonly RigCase[], seen: ReadonlyMap<string, ObservedEnd>): object[] {
  return cases
    .filter(
      ({ id, ends }) => !isAmong(ends, seen.get(id)!) && !isPartedControl(ends, seen.get(id)!),
    )
    .map(({ id, ends }) => ({ id, seen: seen.get(id), foretold: ends }));
}

function figure({ task }: TestContext, scenario: string, release: string, seen: string): void {
  task.meta.rigFigure = { scenario, release, seen };
}

/** Returns the universes to draw and the prefix of their names. */
function draw(tag: string) {
  return { seed: SEED, host: registry.host, tag };
}

describe.each(RELEASES)('Crossplane %s', (release) => {
  const target = targetFor(release)!;
  const counts = countsOn(release);
  let lanes: RigLanes;
  beforeAll(() => {
    lanes = new RigLanes(release, registry, LANES);
  });
  afterAll(() => lanes?.close());

  test.runIf(counts.solved > 0)(
    'what is solved and rendered ends healthy, with our Lock',
    async (context) => {
      const cases = await drawCases(
        counts.solved,
        draw('s'),
        (each) => solvedCase(each, target),
        async (drawn) => (await answered(drawn, target))?.status === 'solved',
      );
      figure(context, 'solved and rendered', release, `${cases.length} healthy, with our Lock`);
      const shares = inBatches(cases);
      expect(otherwise(shares.flat(), await lanes.run(shares))).toEqual([]);
    },
  );

  test.runIf(counts.roots > 0)('applying only the roots ends as in the model', async (context) => {
    const cases = await drawCases(
      counts.roots,
      draw('r'),
      async (each) => rootsCase(each, target),
      async ({ request }) => request.roots.every(({ root }) => root === 'package'),
    );
    const stuck = cases.filter(({ isHealthy }) => !isHealthy).length;
    const shares = sharesOf(cases);
    const seen = await lanes.run(shares);
    const parted = shares.flat().filter(({ id, ends }) => !isAmong(ends, seen.get(id)!)).length;
    const asSimulated = `${cases.length - parted} as simulated, ${stuck} of them stuck`;
    const told = parted === 0 ? asSimulated : `${asSimulated}; ${parted} with control parted`;
    figure(context, 'roots alone', release, told);
    expect(otherwise(shares.flat(), seen)).toEqual([]);
  });

  test.runIf(counts.refused > 0)(
    'sets that this tool refuses fail in the cluster, too',
    async (context) => {
      const cases = await drawCases(
        counts.refused,
        draw('n'),
        (each) => refusedCase(each, target),
        async (drawn) => (await answered(drawn, target))?.status === 'unsolvable',
      );
      const alone = await namedAloneOf(cases);
      const all = [...cases, ...alone.values()];
      const seen = await lanes.run(all.map((each) => [each]));
      const fails = (each: RefusedCase | undefined) =>
        each !== undefined && isStatedReason(each.core, seen.get(each.id)!);
      const same = cases.filter(fails);
      const sameAlone = cases.filter((each) => !fails(each) && fails(alone.get(each)));
      const rest = cases.filter((each) => !same.includes(each) && !sameAlone.includes(each));
      const ruled = await asyncFilter(rest, (each) => isByItsRules(each, target));
      const byChance = rest.filter(
        (each) => !ruled.includes(each) && each.ends.some((end) => isStatedReason(each.core, end)),
      );
      const others = rest.filter((each) => !ruled.includes(each) && !byChance.includes(each));
      const tolerated = others.filter((each) =>
        [each, alone.get(each)].some(
          (tried) => tried !== undefined && seen.get(tried.id)!.failures!.length === 0,
        ),
      );
      figure(
        context,
        'refused, by its roots',
        release,
        [
          `${same.length} fail as refused`,
          `${sameAlone.length} do once faults that the refusal does not name are left out`,
          `${ruled.length} rest on rules of the request`,
          `${byChance.length} fail as refused in another order`,
          `${tolerated.length} tolerated${kindsOf(tolerated)}`,
        ].join(', '),
      );
      expect(otherwise(all, seen)).toEqual([]);
      expect(tolerated.filter((each) => !standsThough(each))).toEqual([]);
      const wrong = others.filter((each) => !tolerated.includes(each));
      expect(wrong.map(({ id, core }) => ({ id, core, seen: seen.get(id) }))).toEqual([]);
    },
  );

  /** For cases that may fail for other reasons, returns only what their refusals state. */
  async function namedAloneOf(
    cases: readonly RefusedCase[],
  ): Promise<ReadonlyMap<RefusedCase, RefusedCase>> {
    const found = new Map<RefusedCase, RefusedCase>();
    for (const each of cases.filter(({ failsOtherwise }) => failsOtherwise)) {
      const { scenario, core, id } = each;
      const moved = await moveScenario(withStatedErrors(scenario, core), `${id}a`, registry.host);
      const alone = await refusedCase(moved, target);
      if (alone !== undefined) found.set(each, alone);
    }
    return found;
  }
});

/**
 * Whether a refusal depends on exclusions, overrides or replacements, which no cluster knows:
 * without them there is an answer or another refusal.
 */
async function isByItsRules({ scenario, core }: RefusedCase, target: Target): Promise<boolean> {
  const request = { ...scenario.request, overrides: [], exclude: [], replace: [] };
  const answer = await answered({ ...scenario, request }, target);
  return answer?.status !== 'unsolvable' || JSON.stringify(answer.core) !== JSON.stringify(core);
}

/**
 * Whether a cluster may accept the refused set for a reason in docs/fidelity.md: an XRD or its
 * claim against a CRD, or a dependency with two kinds.
 */
function standsThough({ core, scenario }: RefusedCase): boolean {
  return core.some(({ kind, text }) => {
    if (kind === 'ownership') return text.includes(' (the one as ');
    return kind === 'kind' && isOfTwoKinds(text, Object.values(scenario.universe.packages));
  });
}

/** Whether a package in a text is required with two kinds. */
function isOfTwoKinds(text: string, packages: readonly IndexPackage[]): boolean {
  const required = packages
    .flatMap(({ versions }) => Object.values(versions))
    .flatMap(({ dependsOn = [] }) => dependsOn)
    .filter(isMapping);
  const named = (name: JsonValue | undefined) => typeof name === 'string' && isNamedIn(text, name);
  return KIND_KEYS.filter((key) => required.some((each) => named(each[key]))).length > 1;
}

async function asyncFilter<T>(
  list: readonly T[],
  holds: (each: T) => Promise<boolean>,
): Promise<T[]> {
  const held = await Promise.all(list.map(holds));
  return list.filter((_, at) => held[at]);
}

/** Returns the kinds of facts in refusals. */
function kindsOf(cases: readonly RefusedCase[]): string {
  const kinds = new Set(cases.flatMap(({ core }) => core.map(({ kind }) => kind)));
  return kinds.size === 0 ? '' : ` (${[...kinds].sort().join(', ')})`;
}
