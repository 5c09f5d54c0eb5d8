import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { bundleOf } from '../../src/bundle/bundle.js';
import { lockedImages } from '../../src/cluster/locked-images.js';
import { runOn } from '../../src/cluster/cluster-question.js';
import { EMPTY_CLUSTER } from '../../src/cluster/cluster-state.js';
import { packageConditions } from '../../src/cluster/package-conditions.js';
import { settleCluster, type UserAct } from '../../src/cluster/settle-cluster.js';
import { wantedObject } from '../../src/cluster/wanted-object.js';
import { lockManifest } from '../../src/lock/lock-manifest.js';
import { lockRowManifest } from '../../src/lock/lock-row.js';
import type { Lockfile } from '../../src/lock/lockfile.js';
import { memorySource } from '../../src/sources/memory-source.js';
import { scenario } from '../../src/testing/generate/scenario.js';
import { answerTo } from '../../src/testing/laws/xpkg-resolver.js';
import type { Target } from '../../src/model/target/target.js';
import { arrivalOrder } from '../../src/usecases/simulate/arrival-order.js';
import { imagesOf } from '../support/clusters.js';

/** What is rendered of a lockfile, as acts of a user. */
function acts(lockfile: Lockfile, target: Target): UserAct[] {
  return bundleOf(lockfile, target, 'tag')
    .objects.map(wantedObject)
    .filter((object) => object !== undefined)
    .map((apply) => ({ apply }));
}

const bySource = (a: { source?: unknown }, b: { source?: unknown }) =>
  String(a.source) < String(b.source) ? -1 : 1;

const RELEASES = [
  'v1.14.0',
  'v1.18.5',
  'v1.19.3',
  'v1.20.11',
  'v2.0.0',
  'v2.1.8',
  'v2.2.4',
  'v2.3.4',
];
/** An order other than the one applied in, for each of these seeds. */
const SEEDS = [1, 2, 3];

test('what is solved and rendered ends healthy, with the Lock that was foretold, in any order', async () => {
  let ended = 0;
  const property = fc.asyncProperty(
    scenario({ freeCrossplane: 0 }),
    fc.constantFrom(...RELEASES),
    async ({ universe, request, options }, crossplane) => {
      const asked = { options: { ...options, crossplane }, universe };
      const answer = await answerTo(memorySource(universe), request, asked).catch(() => undefined);
      if (answer?.status !== 'solved') return;
      const { lockfile, target } = answer;
      const bundle = bundleOf(lockfile, target, 'tag');
      const foretold = lockManifest(lockfile, target, ({ version }) => version)['packages'];
      // Told to the user: an object whose name is not Crossplane's own may be installed twice.
      const isRace = bundle.warnings.some((text) => text.includes('installs it again'));
      for (const seed of isRace ? [] : SEEDS) {
        const next = seed === 1 ? undefined : arrivalOrder(seed);
        const work = settleCluster(EMPTY_CLUSTER, acts(lockfile, target), { target, next });
        const { state, isAtRest } = runOn(work, imagesOf(universe, target));
        const conditions = packageConditions(state, target);
        expect(conditions.map(({ healthy }) => healthy)).toEqual(
          conditions.map(() => ({ status: 'True', message: undefined })),
        );
        expect(isAtRest).toBe(true);
        expect(conditions).toHaveLength(lockfile.packages.length);
        const rows = state.rows.map((row) => lockRowManifest(row, target.rules));
        const want = bundle.skips.length > 0 ? [] : (foretold as typeof rows);
        expect(rows.toSorted(bySource)).toEqual(want.toSorted(bySource));
        ended++;
      }
    },
  );
  await fc.assert(property, { numRuns: 80 });
  expect(ended).toBeGreaterThan(30);
});

test('a lockfile alone is all the registry that its bundle needs', async () => {
  const property = fc.asyncProperty(
    scenario({ aliases: 0 }),
    async ({ universe, request, options }) => {
      const answer = await answerTo(memorySource(universe), request, { options, universe }).catch(
        () => undefined,
      );
      if (answer?.status !== 'solved') return;
      const { lockfile, target } = answer;
      const work = () => settleCluster(EMPTY_CLUSTER, acts(lockfile, target), { target });
      expect(runOn(work(), lockedImages([lockfile])).state).toEqual(
        runOn(work(), imagesOf(universe, target)).state,
      );
    },
  );
  await fc.assert(property, { numRuns: 30 });
});
