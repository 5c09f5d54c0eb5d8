import { expect, test } from 'vitest';
import { requestFor } from '../../support/requests.js';
import { solved } from '../../support/solved.js';
import { providers, requiring } from '../../support/universes.js';

const A = 'xpkg.example.org/acme/a';
const B = 'xpkg.example.org/acme/b';
const universe = providers({
  [A]: { 'v1.0.0': requiring({ [B]: '>=v1.0.0' }) },
  [B]: { 'v1.0.0': {} },
});

async function warningsAfter(first: Record<string, string>, next: Record<string, string>) {
  const { lockfile } = await solved(universe, requestFor(first));
  return (await solved(universe, requestFor(next), { lockfile })).warnings;
}

test.each([
  {
    why: 'an empty set empties the lockfile',
    first: { [A]: '*' },
    next: {},
    says: ['no input requires any of the 2 packages of the lockfile any more'],
  },
  {
    why: 'the singular for one package',
    first: { [B]: '*' },
    next: {},
    says: ['no input requires the one package of the lockfile any more'],
  },
  {
    why: 'a removed root',
    first: { [A]: '*', [B]: '*' },
    next: { [B]: '*' },
    says: [`no input requires ${A} v1.0.0 any more`],
  },
  {
    why: 'a root that is still required',
    first: { [A]: '*', [B]: '*' },
    next: { [A]: '*' },
    says: [
      `no input requires ${B} v1.0.0 any more; it is still a dependency: ${A} v1.0.0 requires \`>=v1.0.0\``,
    ],
  },
  {
    why: 'a dependency that is removed with its root is only a change',
    first: { [A]: '*' },
    next: { [B]: '*' },
    says: [`no input requires ${A} v1.0.0 any more`],
  },
  { why: 'no root is removed', first: { [A]: '*' }, next: { [A]: '*' }, says: [] },
])('$why', async ({ first, next, says }) => {
  expect(await warningsAfter(first, next)).toEqual(says);
});
