import { expect, test } from 'vitest';
import type { Repository } from '../../src/model/package.js';
import type { Request } from '../../src/model/request.js';
import { outdated } from '../../src/usecases/outdated.js';
import { memorySource } from '../../src/sources/memory-source.js';
import { locked, lockfileOf, needs } from '../support/lockfiles.js';
import { requestFor } from '../support/requests.js';
import { providers } from '../support/universes.js';

const A = 'xpkg.example.org/acme/a';
const B = 'xpkg.example.org/acme/b';

const source = memorySource(
  providers({ [A]: { 'v1.0.0': {}, 'v1.1.0': {}, 'v2.0.0': {}, 'v3.0.0-rc.1': {}, v9: {} } }),
);

function report(request: Request, version = 'v1.0.0', prereleases: Repository[] = []) {
  return outdated(lockfileOf([locked(`${A}:${version}`)]), request, { source, prereleases });
}

test.each([
  {
    why: 'all of it fits',
    request: requestFor({ [A]: '*' }),
    want: { fits: 'v2.0.0', newest: 'v2.0.0', heldBy: undefined },
  },
  {
    why: 'the user holds it',
    request: requestFor({ [A]: '^v1.0.0' }),
    want: { fits: 'v1.1.0', newest: 'v2.0.0', heldBy: 'xpkg.yaml:1 asks for `^v1.0.0`' },
  },
  {
    why: 'an override beats what is asked for',
    request: requestFor(
      { [A]: '*' },
      { overrides: [{ repository: A, version: 'v1.0.0', origin: { file: 'xpkg.yaml', line: 9 } }] },
    ),
    want: { fits: undefined, newest: 'v2.0.0', heldBy: 'overridden: `v1.0.0` (xpkg.yaml:9)' },
  },
  {
    why: 'the newest is excluded',
    request: requestFor(
      { [A]: '*' },
      { exclude: [{ repository: A, version: 'v2.0.0', origin: { file: 'xpkg.yaml', line: 9 } }] },
    ),
    want: { fits: 'v1.1.0', newest: 'v2.0.0', heldBy: 'excluded (xpkg.yaml:9)' },
  },
])('$why', async ({ request, want }) => {
  const { packages } = await report(request);
  expect(packages).toEqual([{ repository: A, version: 'v1.0.0', ...want }]);
});

test('a locked package holds another', async () => {
  const lockfile = lockfileOf([
    locked(`${A}:v1.0.0`),
    locked(`${B}:v1.0.0`, { requirements: [needs(`${A} <v1.1.0`)] }),
  ]);
  const { packages, notes } = await outdated(lockfile, requestFor({ [B]: '*' }), { source });
  expect(packages).toEqual([
    {
      repository: A,
      version: 'v1.0.0',
      fits: undefined,
      newest: 'v2.0.0',
      heldBy: `${B} v1.0.0 requires \`<v1.1.0\``,
    },
  ]);
  expect(notes).toHaveLength(1);
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
  const { packages } = await outdated(lockfile, requestFor({ [A]: '*' }), { source });
  expect(packages).toEqual([]);
});
