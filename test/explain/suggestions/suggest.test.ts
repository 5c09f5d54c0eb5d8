import { describe, expect, test } from 'vitest';
import type { IndexFile } from '../../../src/model/index-file.js';
import type { PackageRoot, Request, Root } from '../../../src/model/request.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { resolve } from '../../../src/usecases/resolve/resolve.js';
import { requestFor } from '../../support/requests.js';
import { providers, requiring } from '../../support/universes.js';

/** What would help, as text. */
async function suggestions(universe: IndexFile, request: Request, crossplane = 'v2.0.0') {
  const answer = await resolve(request, { source: memorySource(universe), crossplane });
  if (answer.status !== 'unsolvable') throw new Error('there is an answer');
  return answer.suggestions.map(({ text }) => text);
}

const [A, B] = ['h.io/a/a', 'h.io/a/b'] as const;
const origin = { file: 'xpkg.yaml', line: 9 };

test('another version of what the user asks for; to go without is the last resort', async () => {
  const universe = providers({
    [A]: { 'v1.0.0': requiring({ [B]: '^1.0.0' }) },
    [B]: { 'v1.0.0': {}, 'v2.0.0': {} },
  });
  expect(await suggestions(universe, requestFor({ [A]: '*', [B]: '^2.0.0' }))).toEqual([
    'ask for h.io/a/b `^v1.0.0` instead of `^2.0.0` (xpkg.yaml:2)',
    'override h.io/a/b to `v2.0.0` (`spec.overrides`), against what others ask for',
    'leave out h.io/a/a (xpkg.yaml:1)',
    'leave out h.io/a/b (xpkg.yaml:2)',
  ]);
});

test('one registry for two packages that are one', async () => {
  const universe = providers({
    'h.io/a/p': { 'v1.0.0': { crds: ['things.example.org'] } },
    'i.io/a/p': { 'v1.0.0': { crds: ['things.example.org'] } },
  });
  const request = requestFor({ 'h.io/a/p': '*', 'i.io/a/p': '*' });
  expect(await suggestions(universe, request)).toEqual([
    'take both from one registry: replace h.io/a/p with i.io/a/p (`spec.replace`)',
    'leave out h.io/a/p (xpkg.yaml:1)',
    'leave out i.io/a/p (xpkg.yaml:2)',
  ]);
});

test('different packages are not told to become one', async () => {
  const universe = providers({
    [A]: { 'v1.0.0': { crds: ['things.example.org'] } },
    [B]: { 'v1.0.0': { crds: ['things.example.org'] } },
  });
  expect(await suggestions(universe, requestFor({ [A]: '*', [B]: '*' }))).toEqual([
    'leave out h.io/a/a (xpkg.yaml:1)',
    'leave out h.io/a/b (xpkg.yaml:2)',
  ]);
});

test('another Crossplane', async () => {
  const universe = providers({ [A]: { 'v1.0.0': { crossplane: '>=v2.1.0' } } });
  expect(await suggestions(universe, requestFor({ [A]: '*' }))).toEqual([
    'resolve for Crossplane v2.1.0',
  ]);
});

test('prereleases, where a range has nothing else', async () => {
  const universe = providers({ [A]: { 'v2.0.0-rc.1': {} } });
  expect(await suggestions(universe, requestFor({ [A]: '>=1.0.0' }))).toEqual([
    'admit prereleases of h.io/a/a: `v2.0.0-rc.1` would be taken',
  ]);
});

test('not to exclude what is needed', async () => {
  const universe = providers({ [A]: { 'v1.0.0': {} } });
  const exclude = [{ repository: A, version: '^1.0.0', origin }];
  expect(await suggestions(universe, requestFor({ [A]: '*' }, { exclude }))).toEqual([
    'do not exclude h.io/a/a `^1.0.0` (xpkg.yaml:9)',
  ]);
});

test('an override, where packages do not agree', async () => {
  const universe = providers({
    [A]: { 'v1.0.0': requiring({ 'h.io/a/c': '^1.0.0' }) },
    [B]: { 'v1.0.0': requiring({ 'h.io/a/c': '^2.0.0' }) },
    'h.io/a/c': { 'v1.0.0': {}, 'v2.0.0': {} },
  });
  expect(await suggestions(universe, requestFor({ [A]: '*', [B]: '*' }))).toEqual([
    'override h.io/a/c to `v2.0.0` (`spec.overrides`), against what others ask for',
    'leave out h.io/a/a (xpkg.yaml:1)',
    'leave out h.io/a/b (xpkg.yaml:2)',
  ]);
});

test('to allow a cycle', async () => {
  const universe = providers({
    [A]: { 'v1.0.0': requiring({ [B]: '*' }) },
    [B]: { 'v1.0.0': requiring({ [A]: '*' }) },
  });
  expect(await suggestions(universe, requestFor({ [A]: '*' }))).toEqual([
    'allow the cycle (`--allow-cycles`); the cluster must then skip dependency resolution',
  ]);
});

test('nothing is suggested that was not found to help', async () => {
  const universe = providers({ [A]: { 'v1.0.0': requiring({ [B]: '*' }) } });
  expect(await suggestions(universe, requestFor({ [A]: '*' }))).toEqual([]);
});

test('what asks for the wrong kind asks for the right one', async () => {
  const universe = providers({ [A]: { 'v1.0.0': {} } });
  const request = requestFor({ [A]: '*' });
  const roots = request.roots.map((root): Root => ({ ...root, kind: 'Function' }) as PackageRoot);
  expect(await suggestions(universe, { ...request, roots })).toEqual([
    'ask for h.io/a/a as a Provider, which it is, instead of a Function (xpkg.yaml:1)',
  ]);
});

describe('a name that no source knows', () => {
  const versions = { 'v1.0.0': {} };
  const universe = providers({
    'h.io/acme/provider-helm': versions,
    'i.io/crossplane/provider-helm': versions,
    'h.io/acme/provider-aws': versions,
  });

  test('is taken for a misspelling', async () => {
    expect(
      await suggestions(universe, requestFor({ 'h.io/acme/provider-hlem': '^v1.0.0' })),
    ).toEqual(['ask for h.io/acme/provider-helm instead of h.io/acme/provider-hlem (xpkg.yaml:1)']);
  });

  test('or for one that is kept elsewhere', async () => {
    expect(await suggestions(universe, requestFor({ 'k.io/x/provider-helm': '^v1.0.0' }))).toEqual([
      'ask for h.io/acme/provider-helm instead of k.io/x/provider-helm (xpkg.yaml:1)',
    ]);
  });

  test('but not for one that is another', async () => {
    expect(await suggestions(universe, requestFor({ 'h.io/acme/provider-sql': '*' }))).toEqual([]);
  });
});

test('to undo an override of one’s own comes before another version', async () => {
  const universe = providers({
    [A]: { 'v1.0.0': requiring({ [B]: '*' }), 'v0.9.0': {} },
    [B]: { 'v1.0.0': requiring({ 'h.io/a/gone': '*' }), 'v2.0.0': {} },
  });
  const overrides = [{ repository: B, version: 'v1.0.0', origin }];
  expect(await suggestions(universe, requestFor({ [A]: 'v1.0.0' }, { overrides }))).toEqual([
    'do not override h.io/a/b to `v1.0.0` (xpkg.yaml:9)',
    'ask for h.io/a/a `^v0.9.0` instead of `v1.0.0` (xpkg.yaml:1)',
  ]);
});
