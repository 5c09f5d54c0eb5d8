import { describe, expect, test } from 'vitest';
import type { IndexFile, IndexVersion } from '../../../src/model/index-file.js';
import type { Request } from '../../../src/model/request.js';
import { resolve, type ResolveOptions } from '../../../src/usecases/resolve/resolve.js';
import type { Answer } from '../../../src/usecases/resolve/answer.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { requestFor } from '../../support/requests.js';

const A = 'xpkg.example.org/acme/a';
const B = 'xpkg.example.org/acme/b';
const C = 'xpkg.example.org/acme/c';

type Versions = Readonly<Record<string, IndexVersion>>;

/** Providers only: what matters here is who requires whom. */
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

/** What was chosen, or the status where nothing was. */
function selection(given: Answer): Record<string, string> | string {
  if (given.status !== 'solved') return given.status;
  return Object.fromEntries(given.lockfile.packages.map((p) => [p.repository, p.version]));
}

test('parents are all heard: the newest that suits both', async () => {
  const universe = providers({
    [A]: { 'v1.0.0': needs({ [C]: '>=v1.0.0' }) },
    [B]: { 'v1.0.0': needs({ [C]: '<v2.0.0' }) },
    [C]: { 'v1.4.0': {}, 'v1.5.0': {}, 'v2.0.0': {} },
  });
  const given = await answer(universe, requestFor({ [A]: '*', [B]: '*' }));
  expect(selection(given)).toEqual({ [A]: 'v1.0.0', [B]: 'v1.0.0', [C]: 'v1.5.0' });
  expect(given.stats).toMatchObject({ listed: 3, conflicts: 0 });
});

test('an older parent is taken where the newest leads nowhere', async () => {
  const universe = providers({
    [A]: { 'v1.0.0': needs({ [B]: '^v1.0.0' }), 'v2.0.0': needs({ [B]: '^v2.0.0' }) },
    [B]: { 'v1.0.0': {}, 'v1.9.0': {}, 'v2.0.0': {} },
  });
  const given = await answer(universe, requestFor({ [A]: '>=v1.0.0', [B]: '^v1.0.0' }));
  expect(selection(given)).toEqual({ [A]: 'v1.0.0', [B]: 'v1.9.0' });
});

test('a version that needs another Crossplane is passed over', async () => {
  const universe = providers({
    [A]: { 'v1.0.0': { crossplane: '>=v1.14.0' }, 'v2.0.0': { crossplane: '>=v2.0.0' } },
  });
  const request = requestFor({ [A]: '*' });
  expect(selection(await answer(universe, request, { crossplane: 'v1.20.0' }))).toEqual({
    [A]: 'v1.0.0',
  });
  expect(selection(await answer(universe, request))).toEqual({ [A]: 'v2.0.0' });
});

describe('a free Crossplane', () => {
  const universe = providers({ [A]: { 'v1.0.0': { crossplane: '>=v1.18.0, <v2.1.3' } } });

  test('is the newest known release that admits a solution', async () => {
    const given = await answer(universe, requestFor({ [A]: '*' }), { crossplane: '>=v1.14.0' });
    expect(given).toMatchObject({ status: 'solved', target: { version: 'v2.1.2' } });
  });

  test('beyond the known releases can be named', async () => {
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

  test('steers the pick: a version that does not own the CRD is taken', async () => {
    const given = await answer(universe, requestFor({ [A]: '*', [B]: '*' }));
    expect(selection(given)).toEqual({ [A]: 'v1.0.0', [B]: 'v1.0.0' });
  });

  test('refuses where no version frees the CRD, and names it', async () => {
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

  test('are found under another spelling where theirs does not exist', async () => {
    expect(selection(await answer(universe, requestFor({ [C]: 'v1.2.3' })))).toEqual({
      [C]: '1.2.3',
    });
  });

  test('that do not exist are missing', async () => {
    const given = await answer(universe, requestFor({ [B]: 'v9.9.9' }));
    expect(given).toMatchObject({ status: 'unsolvable', core: [{}, { kind: 'missing' }] });
  });
});

describe('a cycle', () => {
  const universe = providers({
    [A]: { 'v1.0.0': needs({ [B]: '*' }) },
    [B]: { 'v1.0.0': {}, 'v2.0.0': needs({ [A]: '*' }) },
  });

  test('is avoided where another version avoids it', async () => {
    expect(selection(await answer(universe, requestFor({ [A]: '*' })))).toEqual({
      [A]: 'v1.0.0',
      [B]: 'v1.0.0',
    });
  });

  test('is accepted on request, and the cluster is told to skip its own check', async () => {
    const given = await answer(universe, requestFor({ [A]: '*' }), { allowCycles: true });
    expect(selection(given)).toEqual({ [A]: 'v1.0.0', [B]: 'v2.0.0' });
    expect(given.status === 'solved' && given.lockfile.skipDependencyResolution).toHaveLength(1);
  });
});

test('suggestions work: each was solved before it was made', async () => {
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

test('what every answer needs is read first, so that no version is tried against it', async () => {
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

describe('worth a second look', () => {
  test('what is read with compat alone is said', async () => {
    const universe = providers({ [A]: { 'v1.0.0': { dependsOn: [{ crd: 'xs.acme.io' }] } } });
    const owner = { kind: 'Provider', versions: { 'v1.0.0': { crds: ['xs.acme.io'] } } };
    const packages = { ...universe.packages, [B]: owner };
    const given = await answer({ packages }, requestFor({ [A]: '*' }), { compat: true });
    expect(selection(given)).toEqual({ [A]: 'v1.0.0', [B]: 'v1.0.0' });
    expect(given.warnings).toEqual([expect.stringContaining(`${A} v1.0.0: `)]);
  });

  test('of several packages that own a CRD, which was taken is said', async () => {
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

  test('an override replaces constraints, and asking for a CRD is none', async () => {
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

  test('admitting prereleases of what is not installed is said', async () => {
    const universe = providers({ [A]: { 'v1.0.0': {} } });
    const given = await answer(universe, requestFor({ [A]: '*' }), { prereleases: [B] });
    expect(given.warnings).toEqual([expect.stringContaining(B)]);
  });
});
