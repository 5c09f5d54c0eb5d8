import { expect, test } from 'vitest';
import { resolve } from '../../../src/resolver/resolve/resolve.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { requestFor } from '../../support/requests.js';
import { providers, requiring } from '../../support/universes.js';

const A = 'xpkg.example.org/acme/a';
const B = 'xpkg.example.org/acme/b';

const PLAIN = { 'v1.0.0': {}, 'v2.0.0': {}, 'v3.0.0': {} };

test.each([
  {
    why: 'a package that requires an older one',
    packages: { [A]: PLAIN, [B]: { 'v1.0.0': requiring({ [A]: '<v2.0.0' }) } },
    by: `${B} v1.0.0, which requires \`<v2.0.0\``,
  },
  {
    why: 'a dependency that the newest version excludes',
    packages: {
      [A]: { 'v1.0.0': {}, 'v3.0.0': requiring({ [B]: '>=v2.0.0' }) },
      [B]: { 'v1.0.0': {} },
    },
    by: `${A} v3.0.0, which requires ${B} \`>=v2.0.0\``,
  },
  {
    why: 'Crossplane',
    packages: {
      [A]: { 'v1.0.0': {}, 'v3.0.0': { crossplane: '>=v9.0.0' } },
      [B]: { 'v1.0.0': {} },
    },
    by: 'Crossplane v2.3.4: v3.0.0 needs `>=v9.0.0`',
  },
  {
    why: 'a release that would reject it',
    packages: {
      [A]: { 'v1.0.0': {}, 'v3.0.0': { crossplane: 'nonsense' } },
      [B]: { 'v1.0.0': {} },
    },
    by: 'Crossplane v2.3.4, which would refuse xpkg.example.org/acme/a v3.0.0',
  },
  {
    why: 'the owner of a CRD',
    packages: {
      [A]: { 'v1.0.0': {}, 'v3.0.0': { crds: ['xs.acme.io'] } },
      [B]: { 'v1.0.0': { crds: ['xs.acme.io'] } },
    },
    by: `${B} v1.0.0, which owns CRD xs.acme.io too`,
  },
])('held back by $why', async ({ packages, by }) => {
  const answer = await resolve(requestFor({ [A]: '*', [B]: '*' }), {
    source: memorySource(providers(packages)),
    crossplane: 'v2.3.4',
    readsForNotes: true,
  });
  expect(answer.notes).toHaveLength(1);
  expect(answer.notes[0]).toContain(`${A} is held back at v1.0.0 (newest is v3.0.0) by ${by}`);
});

test.each([
  { why: 'the user does not want a newer one', packages: { [A]: PLAIN }, version: '^v1.0.0' },
  {
    why: 'a prerelease is not reported',
    packages: { [A]: { 'v1.0.0': {}, 'v3.0.0-rc.1': {} } },
    version: '*',
  },
])('prints no note: $why', async ({ packages, version }) => {
  const answer = await resolve(requestFor({ [A]: version }), {
    source: memorySource(providers(packages)),
    crossplane: 'v2.3.4',
    readsForNotes: true,
  });
  expect(answer).toMatchObject({ status: 'solved', notes: [] });
});

test('reports a root that is one patch version behind', async () => {
  const packages = { [A]: { 'v1.0.0': {}, 'v1.0.1': { crossplane: '>=v9.0.0' } } };
  const answer = await resolve(requestFor({ [A]: '*' }), {
    source: memorySource(providers(packages)),
    crossplane: 'v2.3.4',
    readsForNotes: true,
  });
  expect(answer.notes).toEqual([
    `${A} is held back at v1.0.0 (newest is v1.0.1) by Crossplane v2.3.4: v1.0.1 needs \`>=v9.0.0\``,
  ]);
});

test('held back by a package that requires a replaced package', async () => {
  const old = 'xpkg.example.org/acme/old';
  const packages = { [A]: PLAIN, [B]: { 'v1.0.0': requiring({ [old]: '<v2.0.0' }) } };
  const replace = [{ repository: old, with: A, origin: { file: 'xpkg.yaml' } }];
  const answer = await resolve(requestFor({ [A]: '*', [B]: '*' }, { replace }), {
    source: memorySource(providers(packages)),
    crossplane: 'v2.3.4',
    readsForNotes: true,
  });
  expect(answer.notes).toEqual([
    `${A} is held back at v1.0.0 (newest is v3.0.0) by ${B} v1.0.0, which requires \`<v2.0.0\``,
  ]);
});

test('names no cause if it is not known without more reads', async () => {
  const packages = { [A]: PLAIN, [B]: { 'v1.0.0': requiring({ [A]: '<v2.0.0' }) } };
  const answer = await resolve(requestFor({ [A]: '*', [B]: '*' }), {
    source: memorySource(providers(packages)),
    crossplane: 'v2.3.4',
  });
  expect(answer.notes).toEqual([
    `${A} is held back at v1.0.0 (newest is v3.0.0): \`xpkg-resolve why --not ${A}@v3.0.0\` tells why`,
  ]);
});
