import { describe, expect, test } from 'vitest';
import type { IndexFile } from '../../../src/sources/index/index-file.js';
import type { PackageRoot, Request, Root } from '../../../src/project/inputs/request.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { resolve } from '../../../src/resolver/resolve/resolve.js';
import { requestFor } from '../../support/requests.js';
import { providers, requiring } from '../../support/universes.js';

/** Returns the suggestions as text. */
async function suggestions(universe: IndexFile, request: Request, crossplane = 'v2.0.0') {
  const answer = await resolve(request, { source: memorySource(universe), crossplane });
  if (answer.status !== 'unsolvable') throw new Error('there is an answer');
  return answer.suggestions.map(({ text }) => text);
}

const [A, B] = ['h.io/a/a', 'h.io/a/b'] as const;
const origin = { file: 'xpkg.yaml', line: 9 };

test('suggests another version of a root first, and to remove a root last', async () => {
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

describe('with a lockfile', () => {
  const universe = providers({
    [A]: { 'v1.0.0': requiring({ [B]: '^1.0.0' }), 'v2.0.0': requiring({ [B]: '^2.0.0' }) },
    [B]: { 'v1.0.0': {}, 'v2.0.0': {} },
  });
  const options = { source: memorySource(universe), crossplane: 'v2.0.0' };

  async function refused(roots: Record<string, string>) {
    const before = await resolve(requestFor({ [A]: '^2.0.0' }), options);
    if (before.status !== 'solved') throw new Error(before.status);
    const { lockfile } = before;
    const answer = await resolve(requestFor(roots), { ...options, lockfile });
    if (answer.status !== 'unsolvable') throw new Error(answer.status);
    return answer.suggestions;
  }

  test('a suggestion states its effect, and a major downgrade of a root comes late', async () => {
    const found = await refused({ [A]: '^2.0.0', [B]: '^1.0.0' });
    const none = { up: 0, down: 0, added: 0, removed: 0, notes: [] };
    const isRemoved = ['one root is not installed'];
    expect(found.map(({ text, effect }) => [text, effect])).toEqual([
      ['ask for h.io/a/b `^v2.0.0` instead of `^1.0.0` (xpkg.yaml:2)', none],
      // Only the root required another version: the cluster finds nothing wrong.
      ['override h.io/a/b to `v2.0.0` (`spec.overrides`), against what others ask for', none],
      [
        'ask for h.io/a/a `^v1.0.0` instead of `^2.0.0` (xpkg.yaml:1)',
        {
          ...none,
          down: 2,
          notes: [
            'the root h.io/a/a is downgraded from v2.0.0 to v1.0.0',
            'the root h.io/a/b is downgraded from v2.0.0 to v1.0.0',
          ],
        },
      ],
      [
        'leave out h.io/a/a (xpkg.yaml:1)',
        {
          ...none,
          down: 1,
          removed: 1,
          notes: ['the root h.io/a/b is downgraded from v2.0.0 to v1.0.0', ...isRemoved],
        },
      ],
    ]);
  });
});

test('suggests one registry for the same package from two registries', async () => {
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

test('does not suggest to replace a package with a different one', async () => {
  const universe = providers({
    [A]: { 'v1.0.0': { crds: ['things.example.org'] } },
    [B]: { 'v1.0.0': { crds: ['things.example.org'] } },
  });
  expect(await suggestions(universe, requestFor({ [A]: '*', [B]: '*' }))).toEqual([
    'leave out h.io/a/a (xpkg.yaml:1)',
    'leave out h.io/a/b (xpkg.yaml:2)',
  ]);
});

test('suggests another Crossplane release', async () => {
  const universe = providers({ [A]: { 'v1.0.0': { crossplane: '>=v2.1.0' } } });
  expect(await suggestions(universe, requestFor({ [A]: '*' }))).toEqual([
    'resolve for Crossplane v2.1.0',
  ]);
});

test('suggests prereleases if a range has nothing else', async () => {
  const universe = providers({ [A]: { 'v2.0.0-rc.1': {} } });
  expect(await suggestions(universe, requestFor({ [A]: '>=1.0.0' }))).toEqual([
    'admit prereleases of h.io/a/a: `v2.0.0-rc.1` would be taken',
  ]);
});

test('suggests to remove an exclusion', async () => {
  const universe = providers({ [A]: { 'v1.0.0': {} } });
  const exclude = [{ repository: A, version: '^1.0.0', origin }];
  expect(await suggestions(universe, requestFor({ [A]: '*' }, { exclude }))).toEqual([
    'do not exclude h.io/a/a `^1.0.0` (xpkg.yaml:9)',
  ]);
});

test('suggests an override of a package in conflict', async () => {
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

test('suggests to allow a cycle', async () => {
  const universe = providers({
    [A]: { 'v1.0.0': requiring({ [B]: '*' }) },
    [B]: { 'v1.0.0': requiring({ [A]: '*' }) },
  });
  expect(await suggestions(universe, requestFor({ [A]: '*' }))).toEqual([
    'allow the cycle (`--allow-cycles`)',
  ]);
});

test('suggests nothing if no change helps', async () => {
  const universe = providers({ [A]: { 'v1.0.0': requiring({ [B]: '*' }) } });
  expect(await suggestions(universe, requestFor({ [A]: '*' }))).toEqual([]);
});

test('corrects the kind of a root', async () => {
  const universe = providers({ [A]: { 'v1.0.0': {} } });
  const request = requestFor({ [A]: '*' });
  const roots = request.roots.map((root): Root => ({ ...root, kind: 'Function' }) as PackageRoot);
  expect(await suggestions(universe, { ...request, roots })).toEqual([
    'ask for h.io/a/a as a Provider, which it is, instead of a Function (xpkg.yaml:1)',
  ]);
});

describe('a name that no source has', () => {
  const versions = { 'v1.0.0': {} };
  const universe = providers({
    'h.io/acme/provider-helm': versions,
    'i.io/crossplane/provider-helm': versions,
    'h.io/acme/provider-aws': versions,
  });

  test('is corrected if it is misspelled', async () => {
    expect(
      await suggestions(universe, requestFor({ 'h.io/acme/provider-hlem': '^v1.0.0' })),
    ).toEqual(['ask for h.io/acme/provider-helm instead of h.io/acme/provider-hlem (xpkg.yaml:1)']);
  });

  test('is replaced by the same name in another place', async () => {
    expect(await suggestions(universe, requestFor({ 'k.io/x/provider-helm': '^v1.0.0' }))).toEqual([
      'ask for h.io/acme/provider-helm instead of k.io/x/provider-helm (xpkg.yaml:1)',
    ]);
  });

  test('a misspelled host is corrected for every root on it', async () => {
    const request = requestFor({ 'i.io/acme/provider-helm': '*', 'i.io/acme/provider-aws': '*' });
    const places = { 'ih.io/acme/provider-helm': versions, 'ih.io/acme/provider-aws': versions };
    expect(await suggestions(providers(places), request)).toEqual([
      'ask for ih.io/acme/provider-helm instead of i.io/acme/provider-helm (xpkg.yaml:1), and for ih.io/acme/provider-aws instead of i.io/acme/provider-aws (xpkg.yaml:2)',
    ]);
  });

  test('is not replaced by an unrelated name if the similar one is a root', async () => {
    const sets = { 'h.io/acme/aws-s3': versions, 'h.io/acme/aws-ce': versions };
    const request = requestFor({ 'h.io/acme/aws-s3': '*', 'h.io/acme/aws-s4': '*' });
    const source = memorySource(providers(sets));
    const answer = await resolve(request, { source, crossplane: 'v2.0.0' });
    if (answer.status !== 'unsolvable') throw new Error(answer.status);
    // Neither another name nor a removal is suggested. The note names the similar root.
    expect(answer.suggestions).toEqual([]);
    expect(answer.notes).toContain(
      'did you mean h.io/acme/aws-s3? xpkg.yaml:1 already requires it',
    );
  });

  test('is not replaced by a different name', async () => {
    expect(await suggestions(universe, requestFor({ 'h.io/acme/provider-sql': '*' }))).toEqual([]);
  });
});

test('suggests to remove an override before another version', async () => {
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
