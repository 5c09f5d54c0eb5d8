import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { InputError } from '../../../src/base/errors.js';
import { lockTree, type TreeNode } from '../../../src/project/lockfile/lock-graph.js';
import { matrix } from '../../../src/features/matrix/matrix.js';
import { resolve, update } from '../../../src/resolver/resolve/resolve.js';
import { type ResolveOptions } from '../../../src/resolver/resolve/to-problem.js';
import { whyLocked } from '../../../src/features/why/why.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { scenario, type Scenario } from '../../../src/testing/generators/scenario.js';
import { solvable } from '../../support/universes.js';

const RUNS = { seed: 8, numRuns: 20 };

function optionsOf({ universe, options }: Scenario): ResolveOptions {
  const { prefer, prereleases = [], allowCycles } = options;
  return {
    source: memorySource(universe),
    prefer: prefer === 'lowest' ? 'lowest' : 'newest',
    prereleases,
    allowCycles,
  };
}

test('a row of the matrix is correct for its first and its last release', async () => {
  await fc.assert(
    fc.asyncProperty(scenario(), async (given) => {
      const options = optionsOf(given);
      const rows = await matrix(given.request, options).then(
        (found) => found.rows,
        (error: unknown) => {
          expect(error).toBeInstanceOf(InputError);
          return [];
        },
      );
      for (const row of rows) {
        if (row.status === 'unsolvable' && row.core.length === 0) continue;
        for (const crossplane of new Set([row.releases[0]!, row.releases.at(-1)!])) {
          const answer = await resolve(given.request, { ...options, crossplane });
          expect(row.status).toBe(answer.status);
          const isFirst = crossplane === row.releases[0]; // which a reason may name
          if (isFirst && row.status === 'unsolvable' && answer.status === 'unsolvable') {
            const core = answer.core.filter(({ text }) => text !== `Crossplane is ${crossplane}`);
            expect(row.core).toEqual(core);
          }
          if (row.status !== 'solved' || answer.status !== 'solved') continue;
          const chosen = row.packages.map(({ repository, version }) => `${repository} ${version}`);
          const locked = answer.lockfile.packages.map((one) => `${one.repository} ${one.version}`);
          expect(chosen.sort()).toEqual(locked.sort());
        }
      }
    }),
    RUNS,
  );
});

test('a second update changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(solvable({}, { crossplane: 'v2.3.4' }), fc.nat(), async (given, n) => {
      const options = { ...optionsOf(given), crossplane: 'v2.3.4' };
      const first = await resolve(given.request, { ...options, prefer: 'lowest' }).catch(
        () => undefined,
      );
      fc.pre(first?.status === 'solved' && first.lockfile.packages.length > 0);
      const { packages } = first.lockfile;
      const { repository } = packages[n % packages.length]!;
      const moves = [{ repository, version: undefined, origin: { file: 'command line' } }];
      const next = { ...options, prefer: 'newest' as const };
      const moved = await update(given.request, moves, { ...next, lockfile: first.lockfile });
      if (moved.status !== 'solved') throw new Error('what was locked is still an answer');
      const again = await resolve(given.request, { ...next, lockfile: moved.lockfile });
      expect(again).toMatchObject({ status: 'solved', changes: [] });
      for (const { reason } of moved.changes) expect(reason).toBeDefined();
    }),
    RUNS,
  );
});

test('every locked package is in the tree and has a path to it', async () => {
  await fc.assert(
    fc.asyncProperty(solvable({}, { crossplane: 'v2.3.4' }), async (given) => {
      const options = { ...optionsOf(given), crossplane: 'v2.3.4' };
      const answer = await resolve(given.request, options).catch(() => undefined);
      fc.pre(answer?.status === 'solved');
      const { lockfile } = answer;
      const inTree = new Set<string>();
      const visit = ({ locked, requires }: TreeNode): void => {
        inTree.add(locked.repository);
        requires.forEach(visit);
      };
      lockTree(lockfile).forEach(visit);
      expect([...inTree].sort()).toEqual(lockfile.packages.map((one) => one.repository));
      for (const locked of lockfile.packages) {
        expect(whyLocked(lockfile, locked).paths.length).toBeGreaterThan(0);
      }
    }),
    RUNS,
  );
});
