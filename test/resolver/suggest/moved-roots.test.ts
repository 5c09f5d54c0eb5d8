import { describe, expect, test } from 'vitest';
import type { IndexFile } from '../../../src/sources/index/index-file.js';
import type { PackageRoot, Request } from '../../../src/project/inputs/request.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { resolve } from '../../../src/resolver/resolve/resolve.js';
import { requestFor } from '../../support/requests.js';
import { providers, requiring, type Versions } from '../../support/universes.js';

const [A, B, C, D] = ['h.io/a/a', 'h.io/a/b', 'h.io/a/c', 'h.io/a/d'] as const;

/** Returns the new versions of the roots for each suggestion that moves roots. */
async function moves(universe: IndexFile, request: Request): Promise<object[]> {
  const source = memorySource(universe);
  const answer = await resolve(request, { source, crossplane: 'v2.0.0' });
  if (answer.status !== 'unsolvable') throw new Error('there is an answer');
  const versions = answer.suggestions.map(({ edits }) =>
    edits.flatMap((edit) => (edit.edit === 'version' ? [[edit.repository, edit.version]] : [])),
  );
  return versions.filter((each) => each.length > 0).map((each) => Object.fromEntries(each));
}

/** Returns versions that each require C at the same major version. */
const inStep = (...majors: readonly number[]): Versions =>
  Object.fromEntries(majors.map((n) => [`v${n}.0.0`, requiring({ [C]: `^v${n}.0.0` })]));
const shared: Versions = { 'v1.0.0': {}, 'v2.0.0': {}, 'v3.0.0': {}, 'v4.0.0': {} };

test('prefers upgrades, and the nearest version', async () => {
  const universe = providers({ [A]: inStep(1, 2, 3, 4), [B]: inStep(1, 3, 4), [C]: shared });
  expect(await moves(universe, requestFor({ [A]: 'v2.0.0', [B]: '*' }))).toEqual([
    { [A]: '^v3.0.0' },
  ]);
});

test('suggests the highest lower version if no higher one works', async () => {
  const universe = providers({ [A]: inStep(1, 2, 3, 4), [B]: inStep(1, 2), [C]: shared });
  expect(await moves(universe, requestFor({ [A]: '^v3.0.0', [B]: '*' }))).toEqual([
    { [A]: '^v2.0.0' },
  ]);
});

test('lists an upgrade of one root before a downgrade of another', async () => {
  const universe = providers({ [A]: inStep(1, 2), [B]: inStep(1, 2), [C]: shared });
  expect(await moves(universe, requestFor({ [A]: 'v2.0.0', [B]: 'v1.0.0' }))).toEqual([
    { [B]: '^v2.0.0' },
    { [A]: '^v1.0.0' },
  ]);
});

test('moves two roots if no single root is enough', async () => {
  const universe = providers({ [A]: inStep(1, 4), [B]: inStep(2, 4), [D]: inStep(4), [C]: shared });
  const request = requestFor({ [A]: 'v1.0.0', [B]: 'v2.0.0', [D]: 'v4.0.0' });
  expect(await moves(universe, request)).toEqual([{ [A]: '^v4.0.0', [B]: '^v4.0.0' }]);
});

test('moves the fewest roots, even if more roots could be upgraded', async () => {
  const universe = providers({
    [A]: inStep(1, 4),
    [B]: inStep(1, 4),
    [D]: inStep(1, 4),
    [C]: shared,
  });
  const request = requestFor({ [A]: 'v1.0.0', [B]: 'v1.0.0', [D]: 'v4.0.0' });
  expect(await moves(universe, request)).toEqual([{ [D]: '^v1.0.0' }]);
});

test('suggests no move if no versions of the roots work together', async () => {
  const universe = providers({ [A]: inStep(1, 2), [B]: inStep(3, 4), [C]: shared });
  expect(await moves(universe, requestFor({ [A]: 'v1.0.0', [B]: 'v3.0.0' }))).toEqual([]);
});

test('resolves two independent conflicts', async () => {
  const universe = providers({
    [A]: inStep(1, 2),
    [B]: inStep(2),
    [C]: shared,
    [D]: { 'v1.0.0': requiring({ 'h.io/a/gone': '*' }), 'v1.0.1': {} },
  });
  const request = requestFor({ [A]: 'v1.0.0', [B]: '*', [D]: 'v1.0.0' });
  expect(await moves(universe, request)).toEqual([{ [A]: '^v2.0.0', [D]: '^v1.0.1' }]);
});

describe('the new version of a root', () => {
  const universe = providers({ [A]: inStep(1, 2), [B]: inStep(2), [C]: shared });

  test('is a tag in an input object', async () => {
    const { roots, ...rest } = requestFor({ [A]: '*', [B]: '*' });
    const [a, b] = roots as PackageRoot[];
    const pinned: PackageRoot = { ...a!, version: { form: 'tag', tag: 'v1.0.0' }, object: {} };
    expect(await moves(universe, { ...rest, roots: [pinned, b!] })).toEqual([{ [A]: 'v2.0.0' }]);
  });

  test('is a range instead of an opaque tag, or a tag that no range admits', async () => {
    const tagged = providers({
      [A]: { ...inStep(2), main: requiring({ [C]: 'v1.0.0' }) },
      [B]: inStep(2),
      [C]: shared,
    });
    expect(await moves(tagged, requestFor({ [A]: 'main', [B]: '*' }))).toEqual([
      { [A]: '^v2.0.0' },
    ]);
  });

  test('is nearest to a version that does not exist', async () => {
    expect(await moves(universe, requestFor({ [A]: 'v1.9.0' }))).toEqual([{ [A]: '^v2.0.0' }]);
    expect(await moves(universe, requestFor({ [A]: '>=v9.0.0' }))).toEqual([{ [A]: '^v2.0.0' }]);
  });
});
