import { describe, expect, test } from 'vitest';
import type { IndexFile, IndexPackage, IndexVersion } from '../../src/sources/index/index-file.js';
import { render } from '../../src/project/manifests/render.js';
import { resolve } from '../../src/resolver/resolve/resolve.js';
import type { Answer } from '../../src/resolver/resolve/answer.js';
import { memorySource } from '../../src/sources/memory-source.js';
import { requestFor } from '../support/requests.js';

const P = 'xpkg.io/acme/p';
const A = 'xpkg.io/acme/a';
const B = 'xpkg.io/acme/b';
const C = 'xpkg.io/acme/c';
const F = 'xpkg.io/acme/f';
const DIGEST = `sha256:${'d'.repeat(64)}`;

type Packages = Readonly<Record<string, IndexPackage>>;

function provider(versions: Readonly<Record<string, IndexVersion>>): IndexPackage {
  return { kind: 'Provider', versions };
}

function tags(...names: string[]): IndexPackage {
  return provider(Object.fromEntries(names.map((name) => [name, {}])));
}

function requires(repository: string, version: string): IndexVersion {
  return { dependsOn: [{ provider: repository, version }] };
}

function resolved(
  packages: Packages,
  roots: Readonly<Record<string, string>>,
  crossplane: string,
): Promise<Answer> {
  const universe: IndexFile = { packages };
  return resolve(requestFor(roots), { source: memorySource(universe), crossplane });
}

/** The selected version of a repository, or the status if there is none. */
async function picked(
  packages: Packages,
  roots: Readonly<Record<string, string>>,
  { of, on }: { of: string; on: string },
): Promise<string | undefined> {
  const answer = await resolved(packages, roots, on);
  if (answer.status !== 'solved') return answer.status;
  return answer.lockfile.packages.find(({ repository }) => repository === of)?.version;
}

test.each([
  { constraint: '^0.2.3', names: ['0.2.9', '0.9.0'], on: 'v1.20.0', want: '0.9.0' },
  { constraint: '^0.2.3', names: ['0.2.9', '0.9.0'], on: 'v2.3.0', want: '0.2.9' },
  { constraint: '<2', names: ['1.9.0', '2.5.0'], on: 'v1.20.0', want: '2.5.0' },
  { constraint: '<2', names: ['1.9.0', '2.5.0'], on: 'v2.3.0', want: '1.9.0' },
  { constraint: '1.2', names: ['1.2.5'], on: 'v1.20.0', want: 'unsolvable' },
  { constraint: '1.2', names: ['1.2.5'], on: 'v2.3.0', want: '1.2.5' },
  {
    constraint: '>=1.0.0-0, <2.0.0',
    names: ['2.0.0-rc.1'],
    on: 'v1.20.0',
    want: 'unsolvable',
  },
  {
    constraint: '>=1.0.0-0, <2.0.0',
    names: ['2.0.0-rc.1'],
    on: 'v2.3.0',
    want: '2.0.0-rc.1',
  },
  { constraint: '*', names: ['1.0.0-rc.1'], on: 'v2.3.0', want: 'unsolvable' },
  { constraint: '>=v0.5.0', names: ['v1', 'v0.9.0'], on: 'v1.20.0', want: 'v1' },
  { constraint: '>=v0.5.0', names: ['v1', 'v0.9.0'], on: 'v2.1.0', want: 'v0.9.0' },
])('$constraint of $names on $on is $want', async ({ constraint, names, on, want }) => {
  const packages = { [P]: tags(...names) };
  expect(await picked(packages, { [P]: constraint }, { of: P, on })).toBe(want);
});

test('a space between comparators makes a package invalid before v2.3', async () => {
  const packages = {
    [A]: provider({ 'v1.0.0': requires(P, '>=1.0.0 <2.0.0') }),
    [P]: tags('v1.5.0'),
  };
  expect(await picked(packages, { [A]: '*' }, { of: P, on: 'v2.2.4' })).toBe('unsolvable');
  expect(await picked(packages, { [A]: '*' }, { of: P, on: 'v2.3.0' })).toBe('v1.5.0');
});

test.each([
  { constraint: '>=v1.14.0', on: 'v1.20.0-up.1', want: 'unsolvable' },
  { constraint: '>=v1.14.0-0', on: 'v1.20.0-up.1', want: 'v1.0.0' },
  { constraint: '>=v1.14.0', on: 'v1.20.0+up.1', want: 'v1.0.0' },
])('Crossplane $constraint on $on: $want', async ({ constraint, on, want }) => {
  const packages = { [P]: provider({ 'v1.0.0': { crossplane: constraint } }) };
  expect(await picked(packages, { [P]: '*' }, { of: P, on })).toBe(want);
});

describe('a digest satisfies no range, and a tag no digest', () => {
  const packages = {
    [A]: provider({ 'v1.0.0': requires(F, DIGEST) }),
    [B]: provider({ 'v1.0.0': requires(F, '>=v1.0.0') }),
    [F]: provider({ 'v1.3.0': { digest: DIGEST } }),
  };

  test('one parent by digest and one by range cannot both be satisfied', async () => {
    const answer = await resolved(packages, { [A]: '*', [B]: '*' }, 'v2.3.4');
    expect(answer.status === 'unsolvable' && answer.core.map(({ kind }) => kind)).toContain(
      'digest',
    );
  });

  test('the digest alone is installed as the digest', async () => {
    expect(await picked(packages, { [A]: '*' }, { of: F, on: 'v2.3.4' })).toBe(DIGEST);
  });

  test('before v1.18 no dependency may be a digest', async () => {
    expect(await picked(packages, { [A]: '*' }, { of: F, on: 'v1.17.0' })).toBe('unsolvable');
  });
});

test('two functions with one CRD conflict only up to v2.1', async () => {
  const held = { kind: 'Function', versions: { 'v1.0.0': { crds: ['inputs.fn.io'] } } };
  const packages = { [A]: held, [B]: held };
  const roots = { [A]: '*', [B]: '*' };
  expect(await picked(packages, roots, { of: A, on: 'v2.1.0' })).toBe('unsolvable');
  expect(await picked(packages, roots, { of: A, on: 'v2.2.0' })).toBe('v1.0.0');
});

test('the claim of an XRD conflicts with a CRD of the same name', async () => {
  const xrd = { name: 'xdbs.acme.io', claim: 'dbs.acme.io' };
  const packages = {
    [A]: { kind: 'Configuration', versions: { 'v1.0.0': { xrds: [xrd] } } },
    [P]: provider({ 'v1.0.0': { crds: ['dbs.acme.io'] } }),
  };
  const answer = await resolved(packages, { [A]: '*', [P]: '*' }, 'v2.3.4');
  expect(answer.status === 'unsolvable' && answer.explanation).toContain('dbs.acme.io');
});

test('the constraints of all parents count, and the selected version is locked', async () => {
  const packages = {
    [A]: provider({ 'v1.0.0': { ...requires(C, '>=v1.0.0'), digest: DIGEST } }),
    [B]: provider({ 'v1.0.0': { ...requires(C, '<v2.0.0'), digest: DIGEST } }),
    [C]: provider({ 'v1.5.0': { digest: DIGEST }, 'v2.0.0': { digest: DIGEST } }),
  };
  const answer = await resolved(packages, { [A]: '*', [B]: '*' }, 'v2.3.4');
  const objects = answer.status === 'solved' ? render(answer.lockfile).bundle.objects : [];
  expect(objects).toContainEqual(
    expect.objectContaining({
      metadata: { name: 'acme-c' },
      spec: { package: `${C}:v1.5.0` },
    }),
  );
});

describe('unsatisfied dependencies', () => {
  test.each(['', 'latest', 'main'])(
    'a dependency at `%s` makes its package no candidate',
    async (version) => {
      const packages = {
        [A]: provider({ 'v1.0.0': requires(P, '*'), 'v2.0.0': requires(P, version) }),
        [P]: tags('v1.0.0', 'latest', 'main'),
      };
      expect(await picked(packages, { [A]: '*' }, { of: A, on: 'v2.3.4' })).toBe('v1.0.0');
    },
  );

  test('a key of the wrong kind is not corrected', async () => {
    const packages = {
      [A]: provider({ 'v1.0.0': requires(F, '*') }),
      [F]: { kind: 'Function', versions: { 'v1.0.0': {} } },
    };
    const answer = await resolved(packages, { [A]: '*' }, 'v2.3.4');
    expect(answer.status === 'unsolvable' && answer.core.map(({ kind }) => kind)).toContain('kind');
  });

  test('a plain range does not select prereleases', async () => {
    const packages = { [P]: tags('v0.1.0-rc.1') };
    expect(await picked(packages, { [P]: '>=v0.0.0' }, { of: P, on: 'v1.20.0' })).toBe(
      'unsolvable',
    );
  });
});
