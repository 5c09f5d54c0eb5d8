import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Repository } from '../../../src/crossplane/packages/package.js';
import type { Request } from '../../../src/project/inputs/request.js';
import { outdated, type Outdated } from '../../../src/features/update/outdated.js';
import { resolve, update } from '../../../src/resolver/resolve/resolve.js';
import { heldByText } from '../../../src/resolver/resolve/blocked-by.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { locked, lockfileOf } from '../../support/lockfiles.js';
import { requestFor } from '../../support/requests.js';
import { providers, requiring, solvable } from '../../support/universes.js';

const A = 'xpkg.example.org/acme/a';
const B = 'xpkg.example.org/acme/b';

const source = memorySource(
  providers({ [A]: { 'v1.0.0': {}, 'v1.1.0': {}, 'v2.0.0': {}, 'v3.0.0-rc.1': {}, v9: {} } }),
);

function report(request: Request, version = 'v1.0.0', prereleases: Repository[] = []) {
  const lockfile = lockfileOf([locked(`${A}:${version}`)]);
  return outdated(lockfile, request, { source, prereleases, crossplane: 'v2.3.4' });
}

const withText = ({ heldBy, ...rest }: Outdated) => ({
  ...rest,
  advice: undefined,
  heldBy: heldBy && heldByText(heldBy),
});

test.each([
  {
    why: 'every newest version fits',
    request: requestFor({ [A]: '*' }),
    want: { fits: 'v2.0.0', newest: 'v2.0.0', heldBy: undefined },
  },
  {
    why: 'the user limits it',
    request: requestFor({ [A]: '^v1.0.0' }),
    want: {
      fits: 'v1.1.0',
      newest: 'v2.0.0',
      heldBy: 'xpkg.yaml:1, which requires `^v1.0.0`',
    },
  },
  {
    why: 'an override precedes the requested version',
    request: requestFor(
      { [A]: '*' },
      { overrides: [{ repository: A, version: 'v1.0.0', origin: { file: 'xpkg.yaml', line: 9 } }] },
    ),
    want: {
      fits: 'v1.0.0',
      newest: 'v2.0.0',
      heldBy: 'xpkg.yaml:9, which overrides it to `v1.0.0`',
    },
  },
  {
    why: 'the newest version is excluded',
    request: requestFor(
      { [A]: '*' },
      { exclude: [{ repository: A, version: 'v2.0.0', origin: { file: 'xpkg.yaml', line: 9 } }] },
    ),
    want: {
      fits: 'v1.1.0',
      newest: 'v2.0.0',
      heldBy: `xpkg.yaml:9, which excludes ${A} v2.0.0`,
    },
  },
])('$why', async ({ request, want }) => {
  const { packages } = await report(request);
  expect(packages.map(withText)).toEqual([{ repository: A, version: 'v1.0.0', ...want }]);
});

test.each([
  {
    why: 'a locked package limits another, and no published version allows more',
    b: { 'v1.0.0': requiring({ [A]: '<v1.1.0' }) },
    want: { fits: 'v1.0.0', heldBy: `${B} v1.0.0, which requires \`<v1.1.0\`` },
  },
  {
    why: 'a locked package would have to change',
    b: { 'v1.0.0': requiring({ [A]: '<v1.1.0' }), 'v1.1.0': requiring({ [A]: '*' }) },
    want: { fits: 'v1.0.0', heldBy: `${B} v1.0.0, which requires \`<v1.1.0\`` },
  },
  {
    why: 'the newest version conflicts with a package',
    a: { 'v1.0.0': {}, 'v1.1.0': {}, 'v2.0.0': requiring({ [B]: '>=v9.0.0' }) },
    b: { 'v1.0.0': requiring({ [A]: '*' }) },
    want: { fits: 'v1.1.0', heldBy: `${A} v2.0.0, which requires ${B} \`>=v9.0.0\`` },
  },
  {
    why: 'Crossplane',
    a: { 'v1.0.0': {}, 'v2.0.0': { crossplane: '>=v9.0.0' } },
    b: { 'v1.0.0': requiring({ [A]: '*' }) },
    want: { fits: 'v1.0.0', heldBy: 'Crossplane v2.3.4: v2.0.0 needs `>=v9.0.0`' },
  },
  {
    why: 'a CRD that another package owns',
    a: { 'v1.0.0': {}, 'v2.0.0': { crds: ['xs.acme.io'] } },
    b: { 'v1.0.0': { crds: ['xs.acme.io'], ...requiring({ [A]: '*' }) } },
    want: {
      fits: 'v1.0.0',
      heldBy: `${B} v1.0.0, which owns CRD xs.acme.io too`,
    },
  },
])('$why', async ({ a, b, want }) => {
  const universe = providers({ [A]: a ?? { 'v1.0.0': {}, 'v2.0.0': {} }, [B]: b });
  const lockfile = lockfileOf([locked(`${A}:v1.0.0`), locked(`${B}:v1.0.0`)]);
  const { packages } = await outdated(lockfile, requestFor({ [B]: '*' }), {
    source: memorySource(universe),
    crossplane: 'v2.3.4',
    only: new Set([A]),
  });
  expect(packages.map(withText)).toMatchObject([{ repository: A, newest: 'v2.0.0', ...want }]);
});

test('without a solution nothing fits, which is reported once', async () => {
  const { packages, notes } = await report(requestFor({ [A]: '*', [B]: '*' }));
  expect(packages).toMatchObject([
    {
      repository: A,
      fits: undefined,
      heldBy: [{ text: expect.stringContaining('no set at all') }],
    },
  ]);
  expect(notes).toEqual(['what is asked for has no answer: `xpkg-resolve resolve` says why']);
});

test('`fits` is what update locks, and older versions have a reason', async () => {
  await fc.assert(
    fc.asyncProperty(solvable({}, { crossplane: 'v2.3.4' }), async (given) => {
      const { prereleases = [], allowCycles } = given.options;
      const source = memorySource(given.universe);
      const options = { source, prereleases, allowCycles, crossplane: 'v2.3.4' };
      const { request } = given;
      const first = await resolve(request, { ...options, prefer: 'lowest' }).catch(() => undefined);
      fc.pre(first?.status === 'solved');
      const { lockfile } = first;
      const { packages } = await outdated(lockfile, request, options);
      for (const { repository, fits, newest, heldBy } of packages) {
        const answer = await update(request, [{ repository }], { ...options, lockfile });
        const after = answer.status === 'solved' ? answer.lockfile.packages : [];
        expect(fits).toBe(after.find((one) => one.repository === repository)?.version);
        expect(heldBy === undefined).toBe(fits === newest);
      }
    }),
    { seed: 12, numRuns: 40 },
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
    why: 'a locked prerelease counts, too',
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
