import { describe, expect, test } from 'vitest';
import { InputError } from '../../../src/base/errors.js';
import { answerFromLockfile } from '../../../src/resolver/resolve/frozen.js';
import { requestFor } from '../../support/requests.js';
import { solved } from '../../support/solved.js';
import { providers, requiring } from '../../support/universes.js';

const A = 'xpkg.example.org/acme/a';
const B = 'xpkg.example.org/acme/b';
const universe = providers({
  [A]: { 'v1.0.0': requiring({ [B]: '>=v1.0.0' }) },
  [B]: { 'v1.0.0': {}, 'v1.1.0': {} },
});
const request = requestFor({ [A]: '*' });
const { lockfile, requirers } = await solved(universe, request);

test('returns the lockfile as the answer to its own request', () => {
  expect(answerFromLockfile(lockfile, request)).toMatchObject({
    status: 'solved',
    target: { version: 'v2.3.4' },
    lockfile,
    requirers,
    changes: [],
    stats: { listed: 0, fetched: 0 },
  });
});

describe('a lockfile is stale', () => {
  test.each([
    {
      why: 'a root is not locked',
      request: requestFor({ [A]: '*', 'xpkg.example.org/acme/c': '*' }),
      reasons: ['xpkg.example.org/acme/c (xpkg.yaml:2) is not in the lockfile'],
    },
    {
      why: 'a root asks for another version',
      request: requestFor({ [A]: '>=v2.0.0' }),
      reasons: [`${A} is locked at v1.0.0, and xpkg.yaml:1 asks for \`>=v2.0.0\``],
    },
    {
      why: 'it is for another release',
      request,
      crossplane: '<v2.0.0',
      reasons: ['it is for Crossplane v2.3.4, and <v2.0.0 is asked for'],
    },
  ])('$why', ({ request: asked, crossplane, reasons }) => {
    expect(answerFromLockfile(lockfile, asked, { crossplane })).toEqual({
      status: 'stale',
      reasons,
    });
  });
});

test('throws an InputError for an invalid request', () => {
  expect(() => answerFromLockfile(lockfile, requestFor({ [A]: '!!' }))).toThrow(InputError);
});
