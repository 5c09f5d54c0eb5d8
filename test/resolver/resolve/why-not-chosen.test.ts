import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { InputError } from '../../../src/base/errors.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { scenario } from '../../../src/testing/generators/scenario.js';
import { exhaustive } from '../../../src/testing/oracles/exhaustive.js';
import { whyNotChosen } from '../../../src/resolver/resolve/why-not.js';
import { requestFor } from '../../support/requests.js';
import { providers, requiring } from '../../support/universes.js';

const A = 'xpkg.example.org/acme/a';
const B = 'xpkg.example.org/acme/b';

const universe = providers({
  [A]: { 'v1.0.0': {}, 'v2.0.0': {}, 'v3.0.0': { crossplane: '>=v9.0.0' } },
  [B]: { 'v1.0.0': requiring({ [A]: '<v2.0.0' }) },
});
const options = { source: memorySource(universe), crossplane: 'v2.3.4' };

test('names the package that does not admit the version', async () => {
  const found = await whyNotChosen(
    requestFor({ [A]: '*', [B]: '*' }),
    { repository: A, version: 'v2.0.0' },
    options,
  );
  expect(found).toMatchObject({ status: 'refused' });
  const { refusal } = found as Extract<typeof found, { status: 'refused' }>;
  expect(refusal.explanation).toContain(`${B} v1.0.0 requires`);
  const texts = refusal.suggestions.map(({ text }) => text);
  expect(texts.length).toBeGreaterThan(0);
  expect(texts.join()).not.toContain('--not');
});

test('returns the changes for a version that is possible', async () => {
  const request = requestFor({ [A]: '*' });
  const found = await whyNotChosen(request, { repository: A, version: 'v1.0.0' }, options);
  expect(found).toMatchObject({
    status: 'possible',
    answer: { changes: [{ repository: A, to: 'v1.0.0' }] },
  });
});

test('reports an override', async () => {
  const origin = { file: 'xpkg.yaml', line: 9 };
  const request = requestFor(
    { [A]: '*' },
    { overrides: [{ repository: A, version: 'v1.0.0', origin }] },
  );
  expect(await whyNotChosen(request, { repository: A, version: 'v2.0.0' }, options)).toEqual({
    status: 'overridden',
    place: 'xpkg.yaml:9',
    text: `${A} is overridden to \`v1.0.0\` (xpkg.yaml:9)`,
  });
  expect(await whyNotChosen(request, { repository: A, version: 'v1.0.0' }, options)).toMatchObject({
    status: 'possible',
  });
});

test('reports an override with a range', async () => {
  const origin = { file: 'xpkg.yaml', line: 9 };
  const overrides = [{ repository: A, version: '<v3.0.0', origin }];
  const request = requestFor({ [A]: '*' }, { overrides });
  expect(await whyNotChosen(request, { repository: A, version: 'v1.0.0' }, options)).toMatchObject({
    status: 'overridden',
  });
  expect(await whyNotChosen(request, { repository: A, version: 'v2.0.0' }, options)).toMatchObject({
    status: 'possible',
  });
});

test('refuses exactly the versions for which an exhaustive search finds no set', async () => {
  await fc.assert(
    fc.asyncProperty(scenario(), fc.nat(), async (given, n) => {
      const versions = Object.entries(given.universe.packages).flatMap(([repository, one]) =>
        Object.keys(one.versions).map((version) => ({ repository, version })),
      );
      fc.pre(versions.length > 0);
      const wanted = versions[n % versions.length]!;
      const { request } = given;
      fc.pre(request.overrides.every(({ repository }) => repository !== wanted.repository));
      const { prereleases = [], allowCycles } = given.options;
      const set = { prereleases, allowCycles, crossplane: 'v2.3.4' };
      const source = memorySource(given.universe);
      const found = await whyNotChosen(request, wanted, { ...set, source }).catch(
        (error: unknown) => {
          expect(error).toBeInstanceOf(InputError);
        },
      );
      fc.pre(found !== undefined);
      const root = requestFor({ [wanted.repository]: wanted.version }).roots[0]!;
      const pinned = { ...request, roots: [...request.roots, root] };
      const want = exhaustive(given.universe, pinned, set).status;
      expect(found.status).toBe(want === 'solved' ? 'possible' : 'refused');
    }),
    { seed: 12, numRuns: 60 },
  );
});
