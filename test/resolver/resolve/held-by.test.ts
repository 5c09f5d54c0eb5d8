import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { IndexFile, IndexVersion } from '../../../src/sources/index/index-file.js';
import type { Candidate } from '../../../src/crossplane/packages/package.js';
import {
  replacedRepository,
  type Request,
  type Root,
} from '../../../src/project/inputs/request.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { exhaustive } from '../../../src/testing/oracles/exhaustive.js';
import { readEntry } from '../../../src/testing/oracles/reading.js';
import { outdated } from '../../../src/features/update/outdated.js';
import { resolve } from '../../../src/resolver/resolve/resolve.js';
import { heldByText, type HeldBy } from '../../../src/resolver/resolve/blocked-by.js';
import { whyNotChosen } from '../../../src/resolver/resolve/why-not.js';
import { requestFor } from '../../support/requests.js';
import { providers, requiring, solvable } from '../../support/universes.js';

const CROSSPLANE = 'v2.3.4';
const TARGET = targetFor(CROSSPLANE)!;
const CHOSEN_FIRST = 'which is chosen first';

type Constraint = HeldBy[number];

interface Given {
  readonly universe: IndexFile;
  readonly request: Request;
}

/** Returns a universe and a request in which `change` changes every requirement of a version. */
function changed(
  { universe, request }: Given,
  change: (stated: {
    source: string;
    version?: string;
    requires: string;
    constraint: string;
  }) => 'keep' | 'lift' | 'drop',
): Given {
  const changedVersion = (source: string, version: string, one: IndexVersion): IndexVersion => {
    const { crossplane, dependsOn = [] } = one;
    const keepsCrossplane =
      crossplane !== undefined &&
      change({ source, version, requires: 'crossplane', constraint: crossplane }) === 'keep';
    return {
      ...one,
      crossplane: keepsCrossplane ? crossplane : undefined,
      dependsOn: dependsOn.flatMap((entry) => {
        const read = readEntry(entry, TARGET);
        if (read === undefined) return [entry];
        const requires = replacedRepository(request, read.repository);
        const { constraint } = read;
        const what = change({ source, version, requires, constraint });
        if (what === 'keep') return [entry];
        return what === 'drop'
          ? []
          : [{ [read.kind.toLowerCase()]: read.repository, version: '*' }];
      }),
    };
  };
  const packages = Object.entries(universe.packages).map(([source, one]) => {
    const versions = Object.entries(one.versions).map(
      ([version, each]) => [version, changedVersion(source, version, each)] as const,
    );
    return [source, { ...one, versions: Object.fromEntries(versions) }] as const;
  });
  const roots = request.roots.flatMap((root): Root[] => {
    if (root.root !== 'package') return [root];
    const requires = replacedRepository(request, root.repository);
    const { version } = root;
    const constraint =
      version.form === 'text'
        ? version.text
        : version.form === 'tag'
          ? version.tag
          : version.digest;
    const source = `${root.origin.file}:${root.origin.line}`;
    const what = change({ source, requires, constraint });
    if (what === 'keep') return [root];
    return what === 'drop' ? [] : [{ ...root, version: { form: 'text' as const, text: '*' } }];
  });
  return { universe: { packages: Object.fromEntries(packages) }, request: { ...request, roots } };
}

function isStated(
  { source, version, versions, requires, constraint }: Constraint,
  stated: { source: string; version?: string; requires: string; constraint: string },
): boolean {
  const isVersion =
    stated.version === undefined || (versions ?? [version]).includes(stated.version);
  const isRoot = stated.version === undefined && stated.source.startsWith(`${source}`);
  return (
    (isRoot || stated.source === source) &&
    isVersion &&
    stated.requires === requires &&
    stated.constraint === constraint
  );
}

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
          const told = heldByText(heldBy);
          if (heldBy.length === 1) {
            const lifted = changed(given, (stated) =>
              isStated(heldBy[0]!, stated) ? 'lift' : 'keep',
            );
            if (hasSetWith(wanted, lifted, options)) {
              expect(lifted, told).not.toEqual(given);
              seen.single++;
              continue;
            }
          }
          if (told.includes(CHOSEN_FIRST)) {
            expect(hasSetWith(wanted, given, options), told).toBe(true);
            continue;
          }
          const only = (some: HeldBy) =>
            changed(given, (stated) =>
              some.some((one) => isStated(one, stated)) ? 'keep' : 'drop',
            );
          expect(hasSetWith(wanted, only(heldBy), options), told).toBe(false);
          // No constraint is to blame for a version that Crossplane refuses by itself.
          if (told.includes('would refuse')) continue;
          for (const one of heldBy) {
            const others = heldBy.filter((other) => other !== one);
            expect(hasSetWith(wanted, only(others), options), `${told} without ${one.text}`).toBe(
              true,
            );
          }
          seen.several++;
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
