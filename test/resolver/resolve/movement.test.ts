import { expect, test } from 'vitest';
import { requestFor } from '../../support/requests.js';
import { solved, changeReasons } from '../../support/solved.js';
import { providers, requiring } from '../../support/universes.js';

const A = 'xpkg.example.org/acme/a';
const B = 'xpkg.example.org/acme/b';
const C = 'xpkg.example.org/acme/c';

const before = providers({
  [A]: { 'v1.0.0': requiring({ [B]: '>=v1.0.0' }) },
  [B]: { 'v1.0.0': {} },
  [C]: { 'v1.0.0': {} },
});

test.each([
  {
    why: 'the user requires another version',
    request: requestFor({ [A]: '*', [B]: '>=v1.1.0' }),
    after: { [B]: { 'v1.0.0': {}, 'v1.1.0': {} } },
    want: { 'b v1.0.0 → v1.1.0': 'xpkg.yaml:2 asks for `>=v1.1.0`' },
  },
  {
    why: 'another package that had to move requires it',
    request: requestFor({ [A]: '>=v2.0.0' }),
    after: {
      [A]: { 'v2.0.0': requiring({ [B]: '>=v1.1.0' }) },
      [B]: { 'v1.0.0': {}, 'v1.1.0': {} },
    },
    want: {
      'a v1.0.0 → v2.0.0': 'xpkg.yaml:1 asks for `>=v2.0.0`',
      'b v1.0.0 → v1.1.0': `${A} v2.0.0 requires \`>=v1.1.0\``,
    },
  },
  {
    why: 'it is excluded',
    request: requestFor(
      { [A]: '*' },
      { exclude: [{ repository: B, version: 'v1.0.0', origin: { file: 'xpkg.yaml', line: 9 } }] },
    ),
    after: { [B]: { 'v1.0.0': {}, 'v1.1.0': {} } },
    want: { 'b v1.0.0 → v1.1.0': '`v1.0.0` is excluded: `v1.0.0` (xpkg.yaml:9)' },
  },
  {
    why: 'it is overridden',
    request: requestFor(
      { [A]: '*' },
      { overrides: [{ repository: B, version: 'v1.1.0', origin: { file: 'xpkg.yaml', line: 9 } }] },
    ),
    after: { [B]: { 'v1.0.0': {}, 'v1.1.0': {} } },
    want: { 'b v1.0.0 → v1.1.0': 'overridden: `v1.1.0` (xpkg.yaml:9)' },
  },
  {
    why: 'its version is gone',
    request: requestFor({ [A]: '*' }),
    after: { [B]: { 'v1.1.0': {} } },
    want: { 'b v1.0.0 → v1.1.0': '`v1.0.0` no longer fits the rest, or is no longer to be had' },
  },
  {
    why: 'packages are added and removed',
    request: requestFor({ [A]: '>=v2.0.0' }),
    after: { [A]: { 'v2.0.0': requiring({ [C]: '*' }) } },
    want: {
      'a v1.0.0 → v2.0.0': 'xpkg.yaml:1 asks for `>=v2.0.0`',
      'b v1.0.0 → none': 'nothing requires it any more',
      'c none → v1.0.0': `${A} v2.0.0 requires \`*\``,
    },
  },
])('a package moves because $why', async ({ request, after, want }) => {
  const { lockfile } = await solved(before, requestFor({ [A]: '*' }));
  const universe = { packages: { ...before.packages, ...providers(after).packages } };
  expect(changeReasons(await solved(universe, request, { lockfile }))).toEqual(want);
});

test('a package moves because the request changes the Crossplane release', async () => {
  const universe = providers({
    [A]: { 'v1.0.0': { crossplane: '<v2.0.0' }, 'v2.0.0': { crossplane: '>=v2.0.0' } },
  });
  const request = requestFor({ [A]: '*' });
  const { lockfile } = await solved(universe, request, { crossplane: 'v1.20.0' });
  expect(changeReasons(await solved(universe, request, { lockfile }))).toEqual({
    'a v1.0.0 → v2.0.0': 'v1.0.0 needs Crossplane `<v2.0.0`',
  });
});

test('a package moves because a new package owns the same object', async () => {
  const universe = providers({
    [A]: { 'v1.0.0': {}, 'v2.0.0': { crds: ['xs.acme.io'] } },
    [B]: { 'v1.0.0': { crds: ['xs.acme.io'] } },
  });
  const { lockfile } = await solved(universe, requestFor({ [A]: '*' }));
  const request = requestFor({ [B]: '*', [A]: '*' });
  expect(changeReasons(await solved(universe, request, { lockfile }))).toEqual({
    'a v2.0.0 → v1.0.0': `v2.0.0 owns CRD xs.acme.io, as does ${B} v1.0.0`,
    'b none → v1.0.0': 'xpkg.yaml:1 asks for `*`',
  });
});

test('a package is added because the request requires its API', async () => {
  const universe = providers({
    [A]: { 'v1.0.0': {} },
    [B]: { 'v1.0.0': { crds: ['xs.acme.io'] } },
  });
  const request = requestFor({ [A]: '*' });
  const { lockfile } = await solved(universe, request);
  const api = {
    root: 'crd' as const,
    demand: { crd: 'xs.acme.io' },
    origin: { file: 'xpkg.yaml', line: 2 },
  };
  const wider = { ...request, roots: [...request.roots, api] };
  expect(changeReasons(await solved(universe, wider, { lockfile }))).toEqual({
    'b none → v1.0.0': 'xpkg.yaml:2 asks for the API xs.acme.io',
  });
});

test('a package moves because its dependency moved', async () => {
  const universe = providers({
    [A]: { 'v1.0.0': requiring({ [B]: '<v2.0.0' }), 'v1.1.0': requiring({ [B]: '*' }) },
    [B]: { 'v1.0.0': {}, 'v2.0.0': {} },
  });
  const { lockfile } = await solved(universe, requestFor({ [A]: 'v1.0.0' }));
  const request = requestFor({ [B]: '>=v2.0.0', [A]: '*' });
  expect(changeReasons(await solved(universe, request, { lockfile }))).toEqual({
    'a v1.0.0 → v1.1.0': `v1.0.0 requires ${B} \`<v2.0.0\`, which is now at v2.0.0`,
    'b v1.0.0 → v2.0.0': 'xpkg.yaml:1 asks for `>=v2.0.0`',
  });
});
