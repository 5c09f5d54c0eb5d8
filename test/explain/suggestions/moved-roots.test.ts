import { describe, expect, test } from 'vitest';
import type { IndexFile } from '../../../src/model/index-file.js';
import type { PackageRoot, Request } from '../../../src/model/request.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { resolve } from '../../../src/usecases/resolve/resolve.js';
import { requestFor } from '../../support/requests.js';
import { providers, requiring, type Versions } from '../../support/universes.js';

const [A, B, C, D] = ['h.io/a/a', 'h.io/a/b', 'h.io/a/c', 'h.io/a/d'] as const;

/** For each way to move roots: what each of them asks for then. */
async function moves(universe: IndexFile, request: Request): Promise<object[]> {
  const source = memorySource(universe);
  const answer = await resolve(request, { source, crossplane: 'v2.0.0' });
  if (answer.status !== 'unsolvable') throw new Error('there is an answer');
  const versions = answer.suggestions.map(({ edits }) =>
    edits.flatMap((edit) => (edit.edit === 'version' ? [[edit.repository, edit.version]] : [])),
  );
  return versions.filter((each) => each.length > 0).map((each) => Object.fromEntries(each));
}

/** Versions that each require C at the same major. */
const inStep = (...majors: readonly number[]): Versions =>
  Object.fromEntries(majors.map((n) => [`v${n}.0.0`, requiring({ [C]: `^v${n}.0.0` })]));
const shared: Versions = { 'v1.0.0': {}, 'v2.0.0': {}, 'v3.0.0': {}, 'v4.0.0': {} };

test('upwards before downwards, and the nearest of those', async () => {
  const universe = providers({ [A]: inStep(1, 2, 3, 4), [B]: inStep(1, 3, 4), [C]: shared });
  expect(await moves(universe, requestFor({ [A]: 'v2.0.0', [B]: '*' }))).toEqual([
    { [A]: '^v3.0.0' },
  ]);
});

test('downwards, where nothing above will do: the highest', async () => {
  const universe = providers({ [A]: inStep(1, 2, 3, 4), [B]: inStep(1, 2), [C]: shared });
  expect(await moves(universe, requestFor({ [A]: '^v3.0.0', [B]: '*' }))).toEqual([
    { [A]: '^v2.0.0' },
  ]);
});

test('of two roots either may move, the one that moves upwards first', async () => {
  const universe = providers({ [A]: inStep(1, 2), [B]: inStep(1, 2), [C]: shared });
  expect(await moves(universe, requestFor({ [A]: 'v2.0.0', [B]: 'v1.0.0' }))).toEqual([
    { [B]: '^v2.0.0' },
    { [A]: '^v1.0.0' },
  ]);
});

test('two together, where none alone will do', async () => {
  const universe = providers({ [A]: inStep(1, 4), [B]: inStep(2, 4), [D]: inStep(4), [C]: shared });
  const request = requestFor({ [A]: 'v1.0.0', [B]: 'v2.0.0', [D]: 'v4.0.0' });
  expect(await moves(universe, request)).toEqual([{ [A]: '^v4.0.0', [B]: '^v4.0.0' }]);
});

test('the fewest, though more could move upwards', async () => {
  const universe = providers({
    [A]: inStep(1, 4),
    [B]: inStep(1, 4),
    [D]: inStep(1, 4),
    [C]: shared,
  });
  const request = requestFor({ [A]: 'v1.0.0', [B]: 'v1.0.0', [D]: 'v4.0.0' });
  expect(await moves(universe, request)).toEqual([{ [D]: '^v1.0.0' }]);
});

test('none, where no versions of the roots go together', async () => {
  const universe = providers({ [A]: inStep(1, 2), [B]: inStep(3, 4), [C]: shared });
  expect(await moves(universe, requestFor({ [A]: 'v1.0.0', [B]: 'v3.0.0' }))).toEqual([]);
});

test('two conflicts that have nothing to do with each other are both resolved', async () => {
  const universe = providers({
    [A]: inStep(1, 2),
    [B]: inStep(2),
    [C]: shared,
    [D]: { 'v1.0.0': requiring({ 'h.io/a/gone': '*' }), 'v1.0.1': {} },
  });
  const request = requestFor({ [A]: 'v1.0.0', [B]: '*', [D]: 'v1.0.0' });
  expect(await moves(universe, request)).toEqual([{ [A]: '^v2.0.0', [D]: '^v1.0.1' }]);
});

describe('what is written', () => {
  const universe = providers({ [A]: inStep(1, 2), [B]: inStep(2), [C]: shared });

  test('an input object takes a tag', async () => {
    const { roots, ...rest } = requestFor({ [A]: '*', [B]: '*' });
    const [a, b] = roots as PackageRoot[];
    const pinned: PackageRoot = { ...a!, version: { form: 'tag', tag: 'v1.0.0' }, object: {} };
    expect(await moves(universe, { ...rest, roots: [pinned, b!] })).toEqual([{ [A]: 'v2.0.0' }]);
  });

  test('an opaque tag, and a tag that no range admits, give way to a range', async () => {
    const tagged = providers({
      [A]: { ...inStep(2), main: requiring({ [C]: 'v1.0.0' }) },
      [B]: inStep(2),
      [C]: shared,
    });
    expect(await moves(tagged, requestFor({ [A]: 'main', [B]: '*' }))).toEqual([
      { [A]: '^v2.0.0' },
    ]);
  });

  test('a version that does not exist gives way to the nearest that does', async () => {
    expect(await moves(universe, requestFor({ [A]: 'v1.9.0' }))).toEqual([{ [A]: '^v2.0.0' }]);
    expect(await moves(universe, requestFor({ [A]: '>=v9.0.0' }))).toEqual([{ [A]: '^v2.0.0' }]);
  });
});
