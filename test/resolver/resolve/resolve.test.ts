import { describe, expect, test } from 'vitest';
import type { IndexFile, IndexVersion } from '../../../src/sources/index/index-file.js';
import type { Request } from '../../../src/project/inputs/request.js';
import { resolve } from '../../../src/resolver/resolve/resolve.js';
import { type ResolveOptions } from '../../../src/resolver/resolve/to-problem.js';
import type { Answer } from '../../../src/resolver/resolve/answer.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { requestFor } from '../../support/requests.js';

const A = 'xpkg.example.org/acme/a';
const B = 'xpkg.example.org/acme/b';
const C = 'xpkg.example.org/acme/c';

type Versions = Readonly<Record<string, IndexVersion>>;

/** A universe of providers, for tests of requirements. */
function providers(packages: Readonly<Record<string, Versions>>): IndexFile {
  const entries = Object.entries(packages).map(
    ([repository, versions]) => [repository, { kind: 'Provider', versions }] as const,
  );
  return { packages: Object.fromEntries(entries) };
}

function needs(requirements: Readonly<Record<string, string>>): IndexVersion {
  const dependsOn = Object.entries(requirements).map(([provider, version]) => ({
    provider,
    version,
  }));
  return { dependsOn };
}

function answer(
  universe: IndexFile,
  request: Request,
  options: Partial<ResolveOptions> = {},
): Promise<Answer> {
  return resolve(request, { source: memorySource(universe), crossplane: 'v2.3.4', ...options });
}

/** Returns the selected versions, or the status if there is no solution. */
function selection(given: Answer): Record<string, string> | string {
  if (given.status !== 'solved') return given.status;
  return Object.fromEntries(given.lockfile.packages.map((p) => [p.repository, p.version]));
}

test('selects the newest version that satisfies both requirers', async () => {
  const universe = providers({
    [A]: { 'v1.0.0': needs({ [C]: '>=v1.0.0' }) },
    [B]: { 'v1.0.0': needs({ [C]: '<v2.0.0' }) },
    [C]: { 'v1.4.0': {}, 'v1.5.0': {}, 'v2.0.0': {} },
  });
  const given = await answer(universe, requestFor({ [A]: '*', [B]: '*' }));
  expect(selection(given)).toEqual({ [A]: 'v1.0.0', [B]: 'v1.0.0', [C]: 'v1.5.0' });
  expect(given.stats).toMatchObject({ listed: 3, conflicts: 0 });
});

test('selects an older requirer if the newest has no solution', async () => {
  const universe = providers({
    [A]: { 'v1.0.0': needs({ [B]: '^v1.0.0' }), 'v2.0.0': needs({ [B]: '^v2.0.0' }) },
    [B]: { 'v1.0.0': {}, 'v1.9.0': {}, 'v2.0.0': {} },
  });
  const given = await answer(universe, requestFor({ [A]: '>=v1.0.0', [B]: '^v1.0.0' }));
  expect(selection(given)).toEqual({ [A]: 'v1.0.0', [B]: 'v1.9.0' });
});

test('skips a version that needs another Crossplane', async () => {
  const universe = providers({
    [A]: { 'v1.0.0': { crossplane: '>=v1.14.0' }, 'v2.0.0': { crossplane: '>=v2.0.0' } },
  });
  const request = requestFor({ [A]: '*' });
  expect(selection(await answer(universe, request, { crossplane: 'v1.20.0' }))).toEqual({
    [A]: 'v1.0.0',
  });
  expect(selection(await answer(universe, request))).toEqual({ [A]: 'v2.0.0' });
});

describe('a Crossplane range', () => {
  const universe = providers({ [A]: { 'v1.0.0': { crossplane: '>=v1.18.0, <v2.1.3' } } });

  test('selects the newest known release with a solution', async () => {
    const given = await answer(universe, requestFor({ [A]: '*' }), { crossplane: '>=v1.14.0' });
    expect(given).toMatchObject({ status: 'solved', target: { version: 'v2.1.2' } });
  });

  test('accepts releases in addition to the known ones', async () => {
    const open = providers({ [A]: { 'v1.0.0': { crossplane: '>=v2.9.0' } } });
    const given = await answer(open, requestFor({ [A]: '*' }), {
      crossplane: '>=v1.14.0',
      crossplaneVersions: ['v2.9.0', 'v2.8.0'],
    });
    expect(given).toMatchObject({ status: 'solved', target: { version: 'v2.9.0' } });
  });
});

describe('ownership', () => {
  const universe = providers({
    [A]: { 'v1.0.0': { crds: ['xs.acme.io'] } },
    [B]: { 'v1.0.0': {}, 'v2.0.0': { crds: ['xs.acme.io'] } },
  });

  test('selects a version that does not own the CRD', async () => {
    const given = await answer(universe, requestFor({ [A]: '*', [B]: '*' }));
    expect(selection(given)).toEqual({ [A]: 'v1.0.0', [B]: 'v1.0.0' });
  });

  test('names the CRD if every version owns it', async () => {
    const given = await answer(universe, requestFor({ [A]: '*', [B]: 'v2.0.0' }));
    expect(given.status === 'unsolvable' && given.core.map(({ kind }) => kind)).toContain(
      'ownership',
    );
    expect(given.status === 'unsolvable' && given.explanation).toContain('xs.acme.io');
  });
});

describe('exact tags', () => {
  const universe = providers({
    [A]: { 'v1.0.0': needs({ [B]: 'v1.2.3' }) },
    [B]: { 'v1.2.3': {}, 'v1.3.0': {} },
    [C]: { '1.2.3': {}, 'v1.3.0': {} },
  });

  test('need no tag list', async () => {
    const given = await answer(universe, requestFor({ [A]: 'v1.0.0' }));
    expect(selection(given)).toEqual({ [A]: 'v1.0.0', [B]: 'v1.2.3' });
    expect(given.stats).toMatchObject({ listed: 0, fetched: 2 });
  });

  test('match another spelling if the exact tag does not exist', async () => {
    expect(selection(await answer(universe, requestFor({ [C]: 'v1.2.3' })))).toEqual({
      [C]: '1.2.3',
    });
  });

  test('are reported as missing if they do not exist', async () => {
    const given = await answer(universe, requestFor({ [B]: 'v9.9.9' }));
    expect(given).toMatchObject({ status: 'unsolvable', core: [{}, { kind: 'missing' }] });
  });
});

describe('a cycle', () => {
  const universe = providers({
    [A]: { 'v1.0.0': needs({ [B]: '*' }) },
    [B]: { 'v1.0.0': {}, 'v2.0.0': needs({ [A]: '*' }) },
  });

  test('is avoided if another version has none', async () => {
    expect(selection(await answer(universe, requestFor({ [A]: '*' })))).toEqual({
      [A]: 'v1.0.0',
      [B]: 'v1.0.0',
    });
  });

  test('is accepted on request, and objects skip dependency resolution', async () => {
    const given = await answer(universe, requestFor({ [A]: '*' }), { allowCycles: true });
    expect(selection(given)).toEqual({ [A]: 'v1.0.0', [B]: 'v2.0.0' });
    expect(given.status === 'solved' && given.lockfile.skipDependencyResolution).toHaveLength(1);
  });
});

test('every suggestion leads to a solution', async () => {
  const universe = providers({
    [A]: { 'v1.0.0': needs({ [C]: 'v1.0.0' }), 'v2.0.0': needs({ [C]: 'v2.0.0' }) },
    [B]: { 'v1.0.0': needs({ [C]: 'v1.0.0' }) },
    [C]: { 'v1.0.0': {}, 'v2.0.0': {} },
  });
  const given = await answer(universe, requestFor({ [A]: 'v2.0.0', [B]: '*' }));
  expect(given.status === 'unsolvable' && given.suggestions[0]?.text).toContain(
    `ask for ${A} \`^v1.0.0\``,
  );
});

test('reads forced packages first, so that no version conflicts with them', async () => {
  const newer = Array.from({ length: 30 }, (_, i) => [`v1.${i}.0`, needs({ [B]: `v1.${i}.0` })]);
  const universe = providers({
    [A]: Object.fromEntries(newer) as Versions,
    [B]: Object.fromEntries(newer.map(([tag]) => [tag, {}])) as Versions,
    [C]: { 'v1.0.0': needs({ [A]: '<=v1.3.0' }) },
  });
  const given = await answer(universe, requestFor({ [A]: '*', [C]: 'v1.0.0' }));
  expect(selection(given)).toEqual({ [A]: 'v1.3.0', [B]: 'v1.3.0', [C]: 'v1.0.0' });
  expect(given.stats).toMatchObject({ fetched: 3, conflicts: 0 });
});

describe('warnings and notes', () => {
  test('warns about content that only `compat` reads', async () => {
    const universe = providers({ [A]: { 'v1.0.0': { dependsOn: [{ crd: 'xs.acme.io' }] } } });
    const owner = { kind: 'Provider', versions: { 'v1.0.0': { crds: ['xs.acme.io'] } } };
    const packages = { ...universe.packages, [B]: owner };
    const given = await answer({ packages }, requestFor({ [A]: '*' }), { compat: true });
    expect(selection(given)).toEqual({ [A]: 'v1.0.0', [B]: 'v1.0.0' });
    expect(given.warnings).toEqual([expect.stringContaining(`${A} v1.0.0: `)]);
  });

  test('notes which of several owners of a CRD was chosen', async () => {
    const owner = { 'v1.0.0': { crds: ['xs.acme.io'] } };
    const universe = providers({ [B]: owner, [A]: owner });
    const request = requestFor(
      {},
      { roots: [{ root: 'crd', demand: { crd: 'xs.acme.io' }, origin: { file: 'xpkg.yaml' } }] },
    );
    const given = await answer(universe, request);
    expect(selection(given)).toEqual({ [A]: 'v1.0.0' });
    expect(given.notes).toEqual([expect.stringMatching(`given by \`${A}\`; \`${B}\``)]);
  });

  test('an override replaces constraints, but not a required CRD', async () => {
    const owns = { crds: ['xs.acme.io'] };
    const universe = providers({ [A]: { 'v1.0.0': owns, 'v1.1.0': owns } });
    const origin = { file: 'xpkg.yaml' };
    const request = requestFor(
      {},
      {
        roots: [{ root: 'crd', demand: { crd: 'xs.acme.io' }, origin }],
        overrides: [{ repository: A, version: 'v1.0.0', origin }],
      },
    );
    expect(selection(await answer(universe, request))).toEqual({ [A]: 'v1.1.0' });
  });

  test('warns about prereleases of a package that is not installed', async () => {
    const universe = providers({ [A]: { 'v1.0.0': {} } });
    const given = await answer(universe, requestFor({ [A]: '*' }), { prereleases: [B] });
    expect(given.warnings).toEqual([expect.stringContaining(B)]);
  });
});
