import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { InputError } from '../../../src/model/input-error.js';
import { lockTree, type TreeNode } from '../../../src/lock/lock-tree.js';
import { matrix } from '../../../src/usecases/matrix.js';
import { resolve, type ResolveOptions } from '../../../src/usecases/resolve/resolve.js';
import { update } from '../../../src/usecases/update.js';
import { whyLocked } from '../../../src/usecases/why.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { scenario, type Scenario } from '../../../src/testing/generate/scenario.js';

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

test('a row of the matrix holds where it begins and where it ends', async () => {
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

test('what one update locks, the next finds nothing to move in', async () => {
  await fc.assert(
    fc.asyncProperty(scenario(), fc.nat(), async (given, n) => {
      const options = { ...optionsOf(given), crossplane: 'v2.3.4' };
      const first = await resolve(given.request, { ...options, prefer: 'lowest' }).catch(
        () => undefined,
      );
      if (first?.status !== 'solved' || first.lockfile.packages.length === 0) return;
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

test('every locked package is in the tree, and there is a path to it', async () => {
  await fc.assert(
    fc.asyncProperty(scenario(), async (given) => {
      const options = { ...optionsOf(given), crossplane: 'v2.3.4' };
      const answer = await resolve(given.request, options).catch(() => undefined);
      if (answer?.status !== 'solved') return;
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
