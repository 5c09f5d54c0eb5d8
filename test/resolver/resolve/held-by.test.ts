import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Candidate } from '../../../src/crossplane/packages/package.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { exhaustive } from '../../../src/testing/oracles/exhaustive.js';
import { outdated } from '../../../src/features/update/outdated.js';
import { resolve } from '../../../src/resolver/resolve/resolve.js';
import { heldByText } from '../../../src/resolver/resolve/blocked-by.js';
import { whyNotChosen } from '../../../src/resolver/resolve/why-not.js';
import { checkCause, type Given } from '../../support/blocking-constraints.js';
import { requestFor } from '../../support/requests.js';
import { providers, requiring, solvable } from '../../support/universes.js';

const CROSSPLANE = 'v2.3.4';
const TARGET = targetFor(CROSSPLANE)!;

function hasSetWith(wanted: Candidate, { universe, request }: Given, options: object): boolean {
  const root = requestFor({ [wanted.repository]: wanted.version }).roots[0]!;
  const pinned = { ...request, roots: [...request.roots, root] };
  return exhaustive(universe, pinned, { ...options, crossplane: CROSSPLANE }).status === 'solved';
}

/** Returns every constraint that an edit of the universe or the request can lift. */
const LIFTABLE = {
  sharedCrds: 0,
  families: 0,
  aliases: 0,
  missing: 0,
  kindMismatches: 0,
  invalid: 0,
  cycles: 0,
  digests: 0,
  oddTags: 0,
  incompleteTags: 0,
  crdRoots: 0,
  localRoots: 0,
  overrides: 0,
  exclude: 0,
  policies: 0,
  crossplane: 0.1,
};

test('lifting the named constraint admits the newer version, or the named constraints are a minimal conflict', async () => {
  const seen = { single: 0, several: 0 };
  await fc.assert(
    fc.asyncProperty(
      solvable({ ...LIFTABLE, packages: 6 }, { crossplane: CROSSPLANE }),
      async (given) => {
        const { prereleases = [] } = given.options;
        const options = { prereleases };
        const source = memorySource(given.universe);
        const all = { ...options, source, crossplane: CROSSPLANE };
        const answer = await resolve(given.request, all).catch(() => undefined);
        fc.pre(answer?.status === 'solved');
        const { packages } = await outdated(answer.lockfile, given.request, all);
        for (const { repository, newest, heldBy } of packages) {
          if (heldBy === undefined) continue;
          const wanted = { repository, version: newest };
          const kind = await checkCause(heldBy, wanted, given, {
            target: TARGET,
            hasSetWith: (version, changed) => hasSetWith(version, changed, options),
          });
          if (kind === 'single' || kind === 'several') seen[kind]++;
        }
      },
    ),
    { seed: 24, numRuns: 150 },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
});

test('the cause is not a selected package that could move', async () => {
  const [gke, network, compute, database] = ['gke', 'network', 'compute', 'database'].map(
    (name) => `xpkg.example.org/acme/${name}`,
  ) as [string, string, string, string];
  const universe = providers({
    [gke]: {
      'v1.0.0': requiring({ [compute]: '>=v2.0.0', [network]: 'v1.0.0' }),
      'v2.0.0': requiring({ [compute]: '<v3.0.0', [network]: 'v2.0.0' }),
    },
    [network]: { 'v1.0.0': {}, 'v2.0.0': {} },
    [compute]: { 'v2.0.0': {}, 'v3.0.0': {} },
    [database]: { 'v1.0.0': requiring({ [network]: 'v1.0.0' }) },
  });
  const options = { source: memorySource(universe), crossplane: CROSSPLANE, readsForNotes: true };
  const request = requestFor({ [gke]: '*', [database]: '*' });
  const answer = await resolve(request, options);
  if (answer.status !== 'solved') throw new Error(answer.status);
  const text = `${database} v1.0.0, which requires ${network} \`v1.0.0\` (v2.0.0 requires \`v2.0.0\`)`;
  expect(answer.notes).toEqual([`${gke} is held back at v1.0.0 (newest is v2.0.0) by ${text}`]);
  const { packages } = await outdated(answer.lockfile, request, options);
  expect(packages.find(({ repository }) => repository === gke)?.heldBy).toEqual([
    { source: database, version: 'v1.0.0', requires: network, constraint: 'v1.0.0', text },
  ]);
});

test('resolve, outdated and why --not name the same cause', async () => {
  const seen = { notes: 0, outdated: 0 };
  await fc.assert(
    fc.asyncProperty(
      solvable({}, { crossplane: CROSSPLANE }),
      fc.boolean(),
      async (given, readsForNotes) => {
        const { universe, request } = given;
        const { prereleases = [], allowCycles } = given.options;
        const source = memorySource(universe);
        const options = { source, prereleases, allowCycles, crossplane: CROSSPLANE };
        const answer = await resolve(request, { ...options, readsForNotes }).catch(() => undefined);
        fc.pre(answer?.status === 'solved');
        const causeOf = async (wanted: Candidate, more: object = {}) => {
          const found = await whyNotChosen(request, wanted, { ...options, ...more });
          return 'heldBy' in found ? found.heldBy : undefined;
        };
        const { lockfile } = answer;
        const { packages } = await outdated(lockfile, request, options);
        for (const note of answer.notes) {
          const [, repository, version, by] = HELD_BACK.exec(note) ?? [];
          if (repository === undefined) continue;
          const wanted = { repository, version: version! };
          expect(heldByText((await causeOf(wanted))!)).toBe(by);
          expect(heldByText((await causeOf(wanted, { lockfile }))!)).toBe(by);
          const row = packages.find((one) => one.repository === repository);
          if (row !== undefined && row.newest === version) expect(heldByText(row.heldBy!)).toBe(by);
          seen.notes++;
        }
        for (const { repository, newest, heldBy } of packages) {
          const found = await causeOf({ repository, version: newest }, { lockfile });
          if (found === undefined) continue;
          expect(heldBy).toEqual(found);
          seen.outdated++;
        }
      },
    ),
    { seed: 24, numRuns: 100 },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
});

const HELD_BACK = /^(\S+) is held back at \S+ \(newest is (\S+)\) by (.*)$/;
