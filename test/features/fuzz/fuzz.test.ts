import { expect, test } from 'vitest';
import { InputError } from '../../../src/base/errors.js';
import type { IndexFile, IndexVersion } from '../../../src/sources/index/index-file.js';
import type { Policy } from '../../../src/project/inputs/policy.js';
import type { LocalRoot, Request, VersionRule } from '../../../src/project/inputs/request.js';
import { fuzz, type FuzzOptions, type FuzzReport } from '../../../src/features/fuzz/fuzz.js';
import { seededDraw } from '../../../src/base/collections.js';
import { rootName } from '../../../src/features/fuzz/variations.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { requestFor } from '../../support/requests.js';

const A = 'xpkg.example.org/acme/a';
const B = 'xpkg.example.org/acme/b';
const C = 'xpkg.example.org/acme/c';

function providers(
  packages: Readonly<Record<string, Readonly<Record<string, IndexVersion>>>>,
): IndexFile {
  const entries = Object.entries(packages).map(
    ([repository, versions]) => [repository, { kind: 'Provider', versions }] as const,
  );
  return { packages: Object.fromEntries(entries) };
}

function needs(repository: string, version: string): IndexVersion {
  return { dependsOn: [{ provider: repository, version }] };
}

function run(
  universe: IndexFile,
  request: Request,
  options: Partial<FuzzOptions> = {},
): Promise<FuzzReport> {
  const source = memorySource(universe);
  return fuzz(request, { source, crossplane: 'v2.3.4', seed: 1, runs: 60, ...options });
}

/** Returns the roots of each example, with the version of those at a drawn version. */
function broken({ breakages }: FuzzReport): string[][] {
  return breakages.map(({ example }) =>
    example.choices.map((wish) => [rootName(wish), wish.tag].filter(Boolean).join(' ')),
  );
}

const MIXED = providers({
  [A]: { 'v1.0.0': needs(C, '<v2.0.0'), 'v2.0.0': needs(C, '>=v2.0.0') },
  [B]: { 'v1.0.0': needs(C, '<v2.0.0'), 'v2.0.0': needs(C, '>=v2.0.0') },
  [C]: { 'v1.0.0': {}, 'v2.0.0': {} },
});

test('two roots that are compatible only at some versions', async () => {
  const report = await run(MIXED, requestFor({ [A]: '*', [B]: '*' }));
  expect(report.breakages).toHaveLength(1);
  const [{ example, others, refusal }] = report.breakages as [FuzzReport['breakages'][number]];
  const pairs = [example, ...others].map(({ choices }) =>
    choices.map(({ tag }) => tag).join(' + '),
  );
  expect(new Set(pairs)).toEqual(new Set(['v1.0.0 + v2.0.0', 'v2.0.0 + v1.0.0']));
  expect(refusal.core.map(({ kind }) => kind)).toContain('requirement');
});

test.each([
  {
    why: 'nothing breaks if all versions are compatible',
    universe: providers({ [A]: { 'v1.0.0': {}, 'v1.1.0': {} }, [B]: { 'v1.0.0': {} } }),
    roots: { [A]: '*', [B]: '*' },
    want: [],
  },
  {
    why: 'a version that breaks alone is reported without other roots',
    universe: providers({
      [A]: { 'v1.0.0': needs(C, '>=v1.0.0'), 'v1.1.0': {} },
      [B]: { 'v1.0.0': {} },
    }),
    roots: { [B]: '*', [A]: '*' },
    want: [[`${A} v1.0.0`]],
  },
  {
    why: 'if a root breaks another at every version, the example leaves the other root unchanged',
    universe: providers({
      [A]: { 'v1.0.0': needs(C, '<v2.0.0'), 'v2.0.0': needs(C, '>=v2.0.0') },
      [B]: { 'v1.0.0': needs(C, '<v2.0.0'), 'v1.1.0': needs(C, '^v1.0.0') },
      [C]: { 'v1.0.0': {}, 'v2.0.0': {} },
    }),
    roots: { [A]: '*', [B]: '*' },
    want: [[`${A} v2.0.0`, B]],
  },
  {
    why: 'versions stay within a constraint',
    universe: MIXED,
    roots: { [A]: '<v2.0.0', [B]: '~v1.0.0' },
    want: [],
  },
  {
    why: 'a root at one version is tried at all other versions',
    universe: providers({ [A]: { 'v1.0.0': {}, 'v1.1.0': needs(C, '*') } }),
    roots: { [A]: 'v1.0.0' },
    want: [[`${A} v1.1.0`]],
  },
  {
    why: 'a request that is unsolvable without variation',
    universe: providers({ [A]: { 'v1.0.0': needs(C, '*') }, [B]: { 'v1.0.0': {} } }),
    roots: { [A]: '*', [B]: '*' },
    want: [[A]],
  },
])('$why', async ({ universe, roots, want }) => {
  expect(broken(await run(universe, requestFor(roots)))).toEqual(want);
});

test('a package that two versions require in conflict breaks through ownership', async () => {
  const crds = ['buckets.s3.example.org'];
  const universe = providers({
    [A]: { 'v1.0.0': { crds }, 'v1.1.0': {} },
    [B]: { 'v1.0.0': { crds } },
  });
  const report = await run(universe, requestFor({ [A]: '*', [B]: '*' }));
  expect(broken(report)).toEqual([[`${A} v1.0.0`, B]]);
  expect(report.breakages[0]!.refusal.core.map(({ kind }) => kind)).toContain('ownership');
});

test('reports only the releases that break', async () => {
  const universe = providers({
    [A]: { 'v1.0.0': { crossplane: '>=v1.20.0, <v2.2.1' }, 'v1.1.0': {} },
  });
  const crossplane = '>=v2.2.0, <v2.3.1';
  const report = await run(universe, requestFor({ [A]: '*' }), { crossplane });
  expect(report.releases).toEqual(['v2.3.0', 'v2.2.4', 'v2.2.3', 'v2.2.2', 'v2.2.1', 'v2.2.0']);
  expect(report.breakages.map(({ brokenOn }) => brokenOn)).toEqual([
    ['v2.3.0', 'v2.2.4', 'v2.2.3', 'v2.2.2', 'v2.2.1'],
  ]);
});

test('varies requirements of a local package within their constraint', async () => {
  const local: LocalRoot = {
    root: 'local',
    kind: 'Configuration',
    name: 'mine',
    crossplane: undefined,
    dependsOn: [
      { entry: { provider: A, version: '>=v1.1.0' }, origin: { file: 'crossplane.yaml', line: 8 } },
    ],
    objects: [],
    origin: { file: 'crossplane.yaml', line: 1 },
  };
  const universe = providers({
    [A]: { 'v1.0.0': needs(C, '*'), 'v1.1.0': needs(C, '*'), 'v1.2.0': {} },
  });
  const report = await run(universe, requestFor({}, { roots: [local] }));
  expect(report.varied).toEqual([{ repository: A, versions: 2 }]);
  expect(broken(report)).toEqual([[`${A} v1.1.0`]]);
});

function rule(repository: string, version: string): VersionRule {
  return { repository, version, origin: { file: 'xpkg.yaml' } };
}

test('does not vary overridden packages or try excluded versions', async () => {
  const universe = providers({
    [A]: { 'v1.0.0': {}, 'v1.1.0': {} },
    [B]: { 'v1.0.0': needs(C, '*'), 'v1.1.0': {} },
  });
  const request = requestFor(
    { [A]: '*', [B]: '*' },
    { overrides: [rule(A, 'v1.0.0')], exclude: [rule(B, '<v1.1.0')] },
  );
  const report = await run(universe, request);
  expect(report.varied).toEqual([{ repository: B, versions: 1 }]);
  expect(report.breakages).toEqual([]);
});

test('versions that a policy excludes are no breakage; other breakages are reported', async () => {
  const old = { created: '2026-01-01T00:00:00Z' };
  const universe = providers({
    [A]: { 'v1.0.0': old, 'v1.1.0': old, 'v1.2.0': { created: '2026-11-15T00:00:00Z' } },
    [B]: { 'v1.0.0': { ...needs(C, '*'), ...old }, 'v1.1.0': old },
  });
  const origin = { file: 'xpkg.yaml' };
  const week = { text: '7d', milliseconds: 7 * 86_400_000, except: [], origin };
  const policy: Policy = {
    deny: [{ packages: A, version: 'v1.1.0', origin }],
    minimumAge: { ...week, unknown: 'refuse' },
  };
  const request = requestFor({ [A]: '*', [B]: '*' }, { policies: [policy] });
  const report = await run(universe, request, { now: Date.UTC(2026, 10, 18) });
  expect(report.varied).toEqual([
    { repository: A, versions: 2 },
    { repository: B, versions: 2 },
  ]);
  expect(broken(report)).toEqual([[`${B} v1.0.0`]]);
});

test('the same seed gives the same report; another seed gives other variations', async () => {
  const versions = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [`v1.${n}.0`, n % 3 === 0 ? needs(C, '*') : {}]),
  );
  const universe = providers({ [A]: versions, [B]: { 'v1.0.0': {} } });
  const request = requestFor({ [A]: '*', [B]: '*' });
  const first = await run(universe, request, { runs: 20 });
  expect(await run(universe, request, { runs: 20 })).toEqual(first);
  expect(await run(universe, request, { runs: 20, seed: 2 })).not.toEqual({ ...first, seed: 2 });
});

test('stops when `goOn` returns false', async () => {
  let left = 5;
  const report = await run(MIXED, requestFor({ [A]: '*' }), { goOn: () => left-- > 0 });
  expect(report.runs).toBeLessThanOrEqual(5);
});

test('a request that is invalid for all releases is an error; for some releases it is a finding', async () => {
  const universe = providers({ [A]: { 'v1.0.0': {} }, 'acme/bare': { 'v1.0.0': {} } });
  await expect(run(universe, requestFor({ 'acme/bare': '*' }))).rejects.toThrow(InputError);
  const crossplane = '>=v1.20.11, <v2.0.1';
  const report = await run(universe, requestFor({ 'acme/bare': '*' }), { crossplane });
  expect(report.breakages.map(({ brokenOn }) => brokenOn)).toEqual([['v2.0.0']]);
});

test('draws cover exactly the requested range', () => {
  const draw = seededDraw(7);
  const drawn = new Set(Array.from({ length: 200 }, () => draw(5)));
  expect(drawn).toEqual(new Set([0, 1, 2, 3, 4]));
});
