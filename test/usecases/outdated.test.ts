import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Repository } from '../../src/model/package.js';
import type { Request } from '../../src/model/request.js';
import { outdated } from '../../src/usecases/outdated.js';
import { resolve } from '../../src/usecases/resolve/resolve.js';
import { update } from '../../src/usecases/update.js';
import { scenario } from '../../src/testing/generate/scenario.js';
import { memorySource } from '../../src/sources/memory-source.js';
import { locked, lockfileOf } from '../support/lockfiles.js';
import { requestFor } from '../support/requests.js';
import { providers, requiring } from '../support/universes.js';

const A = 'xpkg.example.org/acme/a';
const B = 'xpkg.example.org/acme/b';

const source = memorySource(
  providers({ [A]: { 'v1.0.0': {}, 'v1.1.0': {}, 'v2.0.0': {}, 'v3.0.0-rc.1': {}, v9: {} } }),
);

function report(request: Request, version = 'v1.0.0', prereleases: Repository[] = []) {
  const lockfile = lockfileOf([locked(`${A}:${version}`)]);
  return outdated(lockfile, request, { source, prereleases, crossplane: 'v2.3.4' });
}

test.each([
  {
    why: 'all of it fits',
    request: requestFor({ [A]: '*' }),
    want: { fits: 'v2.0.0', newest: 'v2.0.0', heldBy: undefined, takes: undefined },
  },
  {
    why: 'the user holds it',
    request: requestFor({ [A]: '^v1.0.0' }),
    want: {
      fits: 'v1.1.0',
      newest: 'v2.0.0',
      heldBy: 'xpkg.yaml:1 asks for `^v1.0.0`',
      takes: 'change xpkg.yaml:1',
    },
  },
  {
    why: 'an override beats what is asked for',
    request: requestFor(
      { [A]: '*' },
      { overrides: [{ repository: A, version: 'v1.0.0', origin: { file: 'xpkg.yaml', line: 9 } }] },
    ),
    want: {
      fits: 'v1.0.0',
      newest: 'v2.0.0',
      heldBy: 'overridden: `v1.0.0` (xpkg.yaml:9)',
      takes: 'change xpkg.yaml:9',
    },
  },
  {
    why: 'the newest is excluded',
    request: requestFor(
      { [A]: '*' },
      { exclude: [{ repository: A, version: 'v2.0.0', origin: { file: 'xpkg.yaml', line: 9 } }] },
    ),
    want: {
      fits: 'v1.1.0',
      newest: 'v2.0.0',
      heldBy: 'excluded (xpkg.yaml:9)',
      takes: 'change xpkg.yaml:9',
    },
  },
])('$why', async ({ request, want }) => {
  const { packages } = await report(request);
  expect(packages).toEqual([{ repository: A, version: 'v1.0.0', ...want }]);
});

test.each([
  {
    why: 'a locked package holds another, and nothing published admits more',
    b: { 'v1.0.0': requiring({ [A]: '<v1.1.0' }) },
    want: { fits: 'v1.0.0', heldBy: `${B} v1.0.0 requires \`<v1.1.0\`` },
    takes: `override ${A} to \`v2.0.0\``,
  },
  {
    why: 'a locked package would have to move',
    b: { 'v1.0.0': requiring({ [A]: '<v1.1.0' }), 'v1.1.0': requiring({ [A]: '*' }) },
    want: { fits: 'v1.0.0', heldBy: `${B} v1.0.0 requires \`<v1.1.0\`` },
    takes: `${B} moves v1.0.0 → v1.1.0`,
  },
  {
    why: 'a package that the newest does not get along with',
    a: { 'v1.0.0': {}, 'v1.1.0': {}, 'v2.0.0': requiring({ [B]: '>=v9.0.0' }) },
    b: { 'v1.0.0': requiring({ [A]: '*' }) },
    want: { fits: 'v1.1.0', heldBy: expect.stringContaining(`requires ${B} \`>=v9.0.0\``) },
    takes: undefined,
  },
  {
    why: 'Crossplane',
    a: { 'v1.0.0': {}, 'v2.0.0': { crossplane: '>=v9.0.0' } },
    b: { 'v1.0.0': requiring({ [A]: '*' }) },
    want: { fits: 'v1.0.0', heldBy: `${A} v2.0.0 needs Crossplane \`>=v9.0.0\`` },
    takes: undefined,
  },
  {
    why: 'a CRD that another package owns',
    a: { 'v1.0.0': {}, 'v2.0.0': { crds: ['xs.acme.io'] } },
    b: { 'v1.0.0': { crds: ['xs.acme.io'], ...requiring({ [A]: '*' }) } },
    want: {
      fits: 'v1.0.0',
      heldBy: `${A} v2.0.0 and ${B} v1.0.0 would both own CRD xs.acme.io`,
    },
    takes: undefined,
  },
])('$why', async ({ a, b, want, takes }) => {
  const universe = providers({ [A]: a ?? { 'v1.0.0': {}, 'v2.0.0': {} }, [B]: b });
  const lockfile = lockfileOf([locked(`${A}:v1.0.0`), locked(`${B}:v1.0.0`)]);
  const { packages } = await outdated(lockfile, requestFor({ [B]: '*' }), {
    source: memorySource(universe),
    crossplane: 'v2.3.4',
    only: new Set([A]),
  });
  expect(packages).toMatchObject([{ repository: A, newest: 'v2.0.0', ...want }]);
  if (takes === undefined) return;
  expect(packages[0]!.takes).toContain(takes);
});

test('of what moving would take, roots are told before what moves with them', async () => {
  const [root, ...between] = ['z', 'b', 'c', 'd'].map((name) => `xpkg.example.org/acme/${name}`);
  const versions = (version: string) => Object.fromEntries(between.map((one) => [one, version]));
  const universe = providers({
    [A]: { 'v1.0.0': {}, 'v2.0.0': {} },
    ...Object.fromEntries(between.map((one) => [one, { 'v1.0.0': {}, 'v2.0.0': {} }])),
    [root!]: {
      'v1.0.0': requiring({ [A]: 'v2.0.0', ...versions('v1.0.0') }),
      'v2.0.0': requiring({ [A]: 'v1.0.0', ...versions('v2.0.0') }),
    },
  });
  const options = { source: memorySource(universe), crossplane: 'v2.3.4' };
  const request = requestFor({ [root!]: '*' });
  const answer = await resolve(request, options);
  if (answer.status !== 'solved') throw new Error(answer.status);
  const { packages } = await outdated(answer.lockfile, request, options);
  expect(packages).toMatchObject([
    { repository: A, fits: 'v1.0.0', heldBy: `${root} v2.0.0 requires \`v1.0.0\`` },
  ]);
  expect(packages[0]!.takes).toMatch(new RegExp(`^${root} moves .*; .*; 2 more change$`));
});

test('where nothing answers what is asked for, nothing fits, and that is said once', async () => {
  const { packages, notes } = await report(requestFor({ [A]: '*', [B]: '*' }));
  expect(packages).toMatchObject([
    { repository: A, fits: undefined, heldBy: 'what is asked for, which has no answer at all' },
  ]);
  expect(notes).toEqual(['what is asked for has no answer: `xpkg-resolve resolve` says why']);
});

test('what fits is what update locks, and what is not the newest says why', async () => {
  await fc.assert(
    fc.asyncProperty(scenario(), async (given) => {
      const { prereleases = [], allowCycles } = given.options;
      const source = memorySource(given.universe);
      const options = { source, prereleases, allowCycles, crossplane: 'v2.3.4' };
      const { request } = given;
      const first = await resolve(request, { ...options, prefer: 'lowest' }).catch(() => undefined);
      if (first?.status !== 'solved') return;
      const { lockfile } = first;
      const { packages } = await outdated(lockfile, request, options);
      for (const { repository, fits, newest, heldBy } of packages) {
        const answer = await update(request, [{ repository }], { ...options, lockfile });
        const after = answer.status === 'solved' ? answer.lockfile.packages : [];
        expect(fits).toBe(after.find((one) => one.repository === repository)?.version);
        expect(heldBy === undefined).toBe(fits === newest);
      }
    }),
    { seed: 12, numRuns: 60 },
  );
});

test.each([
  { why: 'it is the newest', version: 'v2.0.0', prereleases: [], newest: [] },
  {
    why: 'prereleases count on request',
    version: 'v2.0.0',
    prereleases: [A],
    newest: ['v3.0.0-rc.1'],
  },
  {
    why: 'from a prerelease, too',
    version: 'v3.0.0-rc.0',
    prereleases: [],
    newest: ['v3.0.0-rc.1'],
  },
])('at $version: $why', async ({ version, prereleases, newest }) => {
  const { packages } = await report(requestFor({ [A]: '*' }), version, prereleases);
  expect(packages.map((each) => each.newest)).toEqual(newest);
});

test('a digest is neither older nor newer', async () => {
  const lockfile = lockfileOf([locked(`${A}@sha256:${'a'.repeat(64)}`)]);
  const options = { source, crossplane: 'v2.3.4' };
  const { packages } = await outdated(lockfile, requestFor({ [A]: '*' }), options);
  expect(packages).toEqual([]);
});
