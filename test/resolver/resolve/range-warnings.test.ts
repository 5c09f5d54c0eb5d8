import { expect, test } from 'vitest';
import { requestFor } from '../../support/requests.js';
import { solved } from '../../support/solved.js';
import { providers } from '../../support/universes.js';

const A = 'xpkg.example.org/acme/a';
const universe = providers({ [A]: { 'v0.9.0': {}, 'v0.9.4': {}, 'v0.12.0': {} } });
const SAYS = `${A} v0.12.0 (xpkg.yaml:1): \`^v0.9.0\` means \`>=0.9.0, <1.0.0\` on this Crossplane, \`>=0.9.0, <0.10.0\` from v2.3 on`;

test.each([
  { range: '^v0.9.0', crossplane: 'v1.20.0', says: [SAYS], why: 'it reaches v0.12.0' },
  { range: '^v0.9.0', crossplane: 'v2.3.4', says: [], why: 'it stays below v0.10.0' },
  { range: '~v0.9.0', crossplane: 'v1.20.0', says: [], why: 'it means the same on every release' },
  {
    range: '^v0.12.0',
    crossplane: 'v1.20.0',
    says: [],
    why: 'every release admits the same versions',
  },
])('$range on $crossplane: $why', async ({ range, crossplane, says }) => {
  const { warnings } = await solved(universe, requestFor({ [A]: range }), { crossplane });
  expect(warnings).toEqual(says);
});
