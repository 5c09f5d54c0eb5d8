import { afterAll, beforeAll, describe, expect, test, type TestContext } from 'vitest';
import { targetFor } from '../../src/model/target/target.js';
import { DockerRegistry } from '../conformance/docker-registry.js';
import type { ObservedEnd } from './observed-end.js';
import { isSaidReason } from './refusal-reasons.js';
import { Rig } from './rig.js';
import { RELEASES } from './rig-releases.js';
import { applyWanted, cleanUp, isAmong, settled, type RigCase } from './rig-run.js';
import {
  answered,
  drawCases,
  refusedCase,
  rootsCase,
  solvedCase,
  type UniverseCase,
} from './universe-cases.js';

/** How many are tried on each release: `XPKG_RIG_SOLVED=200` and so on. */
const asked = (name: string, unless: number) => Number(process.env[`XPKG_RIG_${name}`] ?? unless);
const SOLVED = asked('SOLVED', 30);
const ROOTS = asked('ROOTS', 30);
const REFUSED = asked('REFUSED', 5);
/** So many share a cluster: each has objects of its own, and a Lock that is long is slow. */
const BATCH = asked('BATCH', 40);
const SEED = asked('SEED', 1);

let registry: DockerRegistry;

beforeAll(async () => {
  registry = await DockerRegistry.start();
});

afterAll(() => registry.stop());

/** What became of cases that were applied side by side, a cluster for each batch. */
async function sideBySide(
  release: string,
  cases: readonly UniverseCase[],
): Promise<ReadonlyMap<string, ObservedEnd>> {
  const seen = new Map<string, ObservedEnd>();
  for (let from = 0; from < cases.length; from += BATCH) {
    const batch = cases.slice(from, from + BATCH);
    for (const { scenario } of batch) await scenario.publish(registry);
    const rig = await Rig.up(release);
    try {
      for (const { objects } of batch) await applyWanted(rig.api, objects);
      for (const [id, end] of await settled(rig.api, batch)) seen.set(id, end);
    } finally {
      await rig.down();
    }
  }
  return seen;
}

/** What became of cases that would stop each other: one after the other, in one cluster. */
async function oneByOne(
  release: string,
  cases: readonly UniverseCase[],
): Promise<ReadonlyMap<string, ObservedEnd>> {
  const seen = new Map<string, ObservedEnd>();
  if (cases.length === 0) return seen;
  const rig = await Rig.up(release);
  try {
    for (const each of cases) {
      await each.scenario.publish(registry);
      await applyWanted(rig.api, each.objects);
      for (const [id, end] of await settled(rig.api, [each])) seen.set(id, end);
      await cleanUp(rig.api, each.id);
    }
  } finally {
    await rig.down();
  }
  return seen;
}

/** Cases that ended otherwise than foretold, with what was to come. */
function otherwise(cases: readonly RigCase[], seen: ReadonlyMap<string, ObservedEnd>): object[] {
  return cases
    .filter(({ id, ends }) => !isAmong(ends, seen.get(id)!))
    .map(({ id, ends }) => ({ id, seen: seen.get(id), foretold: ends[0] }));
}

function figure({ task }: TestContext, scenario: string, release: string, seen: string): void {
  task.meta.rigFigure = { scenario, release, seen };
}

describe.each(RELEASES)('Crossplane %s', (release) => {
  const target = targetFor(release)!;
  const draw = { seed: SEED, host: '' };

  test('what is solved and rendered ends healthy, with our Lock', async (context) => {
    const cases = await drawCases(
      SOLVED,
      { ...draw, host: registry.host, tag: 's' },
      (each) => solvedCase(each, target),
      async (drawn) => (await answered(drawn, target))?.status === 'solved',
    );
    figure(context, 'solved and rendered', release, `${cases.length} healthy, with our Lock`);
    expect(otherwise(cases, await sideBySide(release, cases))).toEqual([]);
  });

  test('roots alone end as the model has it', async (context) => {
    const cases = await drawCases(
      ROOTS,
      { ...draw, host: registry.host, tag: 'r' },
      async (each) => rootsCase(each, target),
      async ({ request }) => request.roots.every(({ root }) => root === 'package'),
    );
    const apart = cases.filter(({ stopsOthers }) => stopsOthers);
    const together = cases.filter(({ stopsOthers }) => !stopsOthers);
    const stuck = cases.filter(({ isHealthy }) => !isHealthy).length;
    figure(context, 'roots alone', release, `${cases.length} as simulated, ${stuck} of them stuck`);
    const seen = new Map([
      ...(await sideBySide(release, together)),
      ...(await oneByOne(release, apart)),
    ]);
    expect(otherwise(cases, seen)).toEqual([]);
  });

  test('what is refused fails in the cluster, too', async (context) => {
    const cases = await drawCases(
      REFUSED,
      { ...draw, host: registry.host, tag: 'n' },
      (each) => refusedCase(each, target),
      async (drawn) => (await answered(drawn, target))?.status === 'unsolvable',
    );
    const seen = await oneByOne(release, cases);
    const tolerated = cases.filter(({ id }) => isHealthyEnd(seen.get(id)!));
    const failed = cases.filter((each) => !tolerated.includes(each));
    const same = failed.filter(({ id, reasons }) => isSaidReason(reasons, seen.get(id)!));
    const kinds = new Set(tolerated.flatMap(({ reasons }) => reasons));
    const told = tolerated.length === 0 ? '' : ` (${[...kinds].sort().join(', ')})`;
    figure(
      context,
      'refused, by its roots',
      release,
      `${same.length} fail as refused, ${failed.length - same.length} on another of its packages first, ${tolerated.length} tolerated${told}`,
    );
    expect(otherwise(cases, seen)).toEqual([]);
  });
});

function isHealthyEnd({ packages }: ObservedEnd): boolean {
  return packages.every((line) => line.endsWith('Installed=True Healthy=True'));
}
