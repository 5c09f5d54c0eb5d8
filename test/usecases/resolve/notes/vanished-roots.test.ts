import { expect, test } from 'vitest';
import { requestFor } from '../../../support/requests.js';
import { solved } from '../../../support/solved.js';
import { providers, requiring } from '../../../support/universes.js';

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
    says: ['nothing is asked for: all 2 packages of the lockfile go'],
  },
  {
    why: 'of one package, in the singular',
    first: { [B]: '*' },
    next: {},
    says: ['nothing is asked for: the one package of the lockfile goes'],
  },
  {
    why: 'a root that vanished',
    first: { [A]: '*', [B]: '*' },
    next: { [B]: '*' },
    says: [`${A} v1.0.0 is no longer asked for, and goes`],
  },
  {
    why: 'a root that is still required',
    first: { [A]: '*', [B]: '*' },
    next: { [A]: '*' },
    says: [`${B} v1.0.0 is no longer asked for, and stays: ${A} v1.0.0 requires \`>=v1.0.0\``],
  },
  {
    why: 'a dependency that goes with it is told as a change',
    first: { [A]: '*' },
    next: { [B]: '*' },
    says: [`${A} v1.0.0 is no longer asked for, and goes`],
  },
  { why: 'nothing vanished', first: { [A]: '*' }, next: { [A]: '*' }, says: [] },
])('$why', async ({ first, next, says }) => {
  expect(await warningsAfter(first, next)).toEqual(says);
});
