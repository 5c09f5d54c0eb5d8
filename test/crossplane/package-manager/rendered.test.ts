import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { bundleOf } from '../../../src/project/manifests/bundle.js';
import { lockedImages } from '../../support/locked-images.js';
import { runWith } from '../../support/known-images.js';
import {
  EMPTY_CLUSTER,
  packageConditions,
  wantedObject,
} from '../../../src/crossplane/package-manager/cluster-state.js';
import {
  reconcileCluster,
  type UserChange,
} from '../../../src/crossplane/package-manager/reconcile-cluster.js';
import { lockManifest } from '../../../src/project/lockfile/lock-graph.js';
import { lockRowManifest } from '../../../src/crossplane/package-manager/dependency-graph.js';
import type { Lockfile } from '../../../src/project/lockfile/lockfile.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { solvable } from '../../support/universes.js';
import { resolveWithOptions } from '../../../src/testing/properties/xpkg-resolver.js';
import type { Target } from '../../../src/crossplane/releases/target.js';
import { arrivalOrder } from '../../../src/features/simulate/simulate.js';
import { imagesOf } from '../../support/clusters.js';

/** Returns the rendered manifests of a lockfile, as changes of a user. */
function acts(lockfile: Lockfile, target: Target): UserChange[] {
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
  'v2.4.0',
];
/** For each of these seeds, a random order of changes. */
const SEEDS = [1, 2, 3];

test('a rendered solution becomes healthy with the predicted Lock, in any order', async () => {
  const property = fc.asyncProperty(
    fc
      .constantFrom(...RELEASES)
      .chain((crossplane) =>
        fc.tuple(solvable({ freeCrossplane: 0 }, { crossplane }), fc.constant(crossplane)),
      ),
    async ([{ universe, request, options }, crossplane]) => {
      const asked = { options: { ...options, crossplane }, universe };
      const answer = await resolveWithOptions(memorySource(universe), request, asked).catch(
        () => undefined,
      );
      fc.pre(answer?.status === 'solved');
      const { lockfile, target } = answer;
      const bundle = bundleOf(lockfile, target, 'tag');
      const foretold = lockManifest(lockfile, target, ({ version }) => version)['packages'];
      // The user gets a warning: an object with a name other than Crossplane's may be installed
      // twice.
      const isRace = bundle.warnings.some((text) => text.includes('installs it again'));
      fc.pre(!isRace);
      for (const seed of SEEDS) {
        const next = seed === 1 ? undefined : arrivalOrder(seed);
        const work = reconcileCluster(EMPTY_CLUSTER, acts(lockfile, target), { target, next });
        const { state, isAtRest } = runWith(work, imagesOf(universe, target));
        const conditions = packageConditions(state, target);
        expect(conditions.map(({ healthy }) => healthy)).toEqual(
          conditions.map(() => ({ status: 'True', message: undefined })),
        );
        expect(isAtRest).toBe(true);
        expect(conditions).toHaveLength(lockfile.packages.length);
        const rows = state.rows.map((row) => lockRowManifest(row, target.rules));
        const want = bundle.skips.length > 0 ? [] : (foretold as typeof rows);
        expect(rows.toSorted(bySource)).toEqual(want.toSorted(bySource));
      }
    },
  );
  await fc.assert(property, { numRuns: 40 });
});

test('a lockfile answers all registry requests of its rendered manifests', async () => {
  const property = fc.asyncProperty(
    solvable({ aliases: 0 }),
    async ({ universe, request, options }) => {
      const answer = await resolveWithOptions(memorySource(universe), request, {
        options,
        universe,
      }).catch(() => undefined);
      fc.pre(answer?.status === 'solved');
      const { lockfile, target } = answer;
      const work = () => reconcileCluster(EMPTY_CLUSTER, acts(lockfile, target), { target });
      expect(runWith(work(), lockedImages([lockfile])).state).toEqual(
        runWith(work(), imagesOf(universe, target)).state,
      );
    },
  );
  await fc.assert(property, { numRuns: 20 });
});
