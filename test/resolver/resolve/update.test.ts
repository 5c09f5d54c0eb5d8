import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatLockfile } from '../../../src/project/lockfile/format-lockfile.js';
import { InputError } from '../../../src/base/errors.js';
import type { Repository } from '../../../src/crossplane/packages/package.js';
import type { Request } from '../../../src/project/inputs/request.js';
import { resolve, update, type Move } from '../../../src/resolver/resolve/resolve.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { requestFor } from '../../support/requests.js';
import { solved, changeReasons } from '../../support/solved.js';
import { providers, requiring, solvable } from '../../support/universes.js';

const A = 'xpkg.example.org/acme/a';
const B = 'xpkg.example.org/acme/b';
const C = 'xpkg.example.org/acme/c';

function move(repository: Repository, version?: string): Move {
  return { repository, version, origin: { file: 'command line' } };
}

test('update changes the named packages and only necessary others', async () => {
  const old = providers({
    [A]: { 'v1.0.0': requiring({ [B]: '*', [C]: '*' }) },
    [B]: { 'v1.0.0': {} },
    [C]: { 'v1.0.0': {} },
  });
  const request = requestFor({ [A]: '*' });
  const { lockfile } = await solved(old, request);
  const universe = providers({
    [A]: { 'v1.0.0': requiring({ [B]: '*', [C]: '*' }), 'v2.0.0': requiring({ [B]: '*' }) },
    [B]: { 'v1.0.0': {}, 'v1.1.0': {}, 'v2.0.0': requiring({ [C]: '>=v1.1.0' }) },
    [C]: { 'v1.0.0': {}, 'v1.1.0': {}, 'v1.2.0': {} },
  });
  const options = { source: memorySource(universe), crossplane: 'v2.3.4', lockfile };
  const moving = async (...moves: Move[]) => {
    const answer = await update(request, moves, options);
    return answer.status === 'solved' ? changeReasons(answer) : answer.status;
  };
  expect(await moving(move(C))).toEqual({ 'c v1.0.0 → v1.2.0': 'asked for' });
  expect(await moving(move(B, 'v2.0.0'))).toEqual({
    'b v1.0.0 → v2.0.0': 'asked for',
    'c v1.0.0 → v1.2.0': `${B} v2.0.0 requires \`>=v1.1.0\``,
  });
  expect(await moving(move(B, 'v9.0.0'))).toBe('unsolvable');
  expect(await moving()).toMatchObject({ 'a v1.0.0 → v2.0.0': 'asked for' });
});

describe('a package that is named with a version', () => {
  const universe = providers({
    [A]: { 'v1.0.0': requiring({ [B]: '^v1.0.0' }), 'v2.0.0': {}, 'v3.0.0': {} },
    [B]: { 'v1.0.0': {}, 'v1.1.0': {}, 'v2.0.0': {} },
    [C]: { 'v1.0.0': {} },
  });
  const options = { source: memorySource(universe), crossplane: 'v2.3.4' };

  async function updated(roots: Record<string, string>, moves: readonly Move[]) {
    const { lockfile } = await solved(universe, requestFor({ [A]: 'v1.0.0' }), {
      prefer: 'lowest',
    });
    return update(requestFor(roots), moves, { ...options, lockfile });
  }

  test('stays installed although a version of its requirer drops it', async () => {
    const answer = await updated({ [A]: '*' }, [move(A), move(B, 'v1.1.0')]);
    expect(answer.status === 'solved' && changeReasons(answer)).toEqual({
      'b v1.0.0 → v1.1.0': 'asked for',
    });
  });

  test('is refused if only versions that drop the package would admit the version', async () => {
    const answer = await updated({ [A]: '*' }, [move(B, 'v2.0.0')]);
    if (answer.status !== 'unsolvable') throw new Error(answer.status);
    expect(answer.core.map(({ text }) => text)).toContain(
      `${A} v2.0.0 to v3.0.0 do not require ${B}`,
    );
    // No other version of A helps, only an override.
    expect(answer.suggestions.map(({ text }) => text)).toEqual([
      `override ${B} to \`v2.0.0\` (\`spec.overrides\`), against what others ask for`,
    ]);
  });

  test('is an error if the request no longer requires it', async () => {
    await expect(updated({ [C]: '*' }, [move(B, 'v1.1.0')])).rejects.toThrow(
      `command line: nothing requires ${B} any more`,
    );
  });
});

describe('a package that no locked package requires by name', () => {
  const origin = { file: 'xpkg.yaml', line: 9 };
  const local = { kind: 'Configuration', name: 'mine', crossplane: undefined } as const;
  test.each<{ title: string; request: Request }>([
    {
      title: 'a package under development requires it',
      request: requestFor(
        {},
        {
          roots: [
            {
              ...local,
              root: 'local',
              dependsOn: [{ entry: { provider: B, version: '*' }, origin }],
              objects: [],
              origin,
            },
          ],
        },
      ),
    },
    {
      title: 'it replaces a required one',
      request: requestFor({ [A]: '*' }, { replace: [{ repository: C, with: B, origin }] }),
    },
    {
      title: 'an API that it owns is required',
      request: requestFor({}, { roots: [{ root: 'crd', demand: { crd: 'xs.acme.io' }, origin }] }),
    },
  ])('is updated: $title', async ({ request }) => {
    const universe = providers({
      [A]: { 'v1.0.0': requiring({ [C]: '*' }) },
      [B]: { 'v1.0.0': { crds: ['xs.acme.io'] }, 'v1.1.0': { crds: ['xs.acme.io'] } },
    });
    const { lockfile } = await solved(universe, request, { prefer: 'lowest' });
    const options = { source: memorySource(universe), crossplane: 'v2.3.4', lockfile };
    const answer = await update(request, [move(B, 'v1.1.0')], options);
    expect(answer.status === 'solved' && changeReasons(answer)).toEqual({
      'b v1.0.0 → v1.1.0': 'asked for',
    });
  });
});

test('every locked package can be updated to its locked version', async () => {
  let updated = 0;
  await fc.assert(
    fc.asyncProperty(
      solvable({}, { crossplane: 'v2.3.4' }),
      async ({ universe, request, options: given }) => {
        const { prereleases = [], allowCycles } = given;
        const source = memorySource(universe);
        const options = { prereleases, allowCycles, crossplane: 'v2.3.4', source };
        const answer = await resolve(request, options).catch((error: unknown) => {
          expect(error).toBeInstanceOf(InputError);
        });
        fc.pre(answer?.status === 'solved');
        const { lockfile } = answer;
        for (const { repository, version } of lockfile.packages) {
          const again = await update(request, [move(repository, version)], {
            ...options,
            lockfile,
          });
          expect(again).toMatchObject({ status: 'solved', changes: [] });
          updated++;
        }
      },
    ),
    { numRuns: 150 },
  );
  expect(updated).toBeGreaterThan(150);
});

test('resolve keeps the result of update', async () => {
  const universe = providers({
    [A]: { 'v1.0.0': requiring({ [B]: '*' }) },
    [B]: { 'v1.0.0': {}, 'v1.1.0': {} },
  });
  const request = requestFor({ [A]: '*' });
  const { lockfile } = await solved(universe, request, { prefer: 'lowest' });
  const answer = await update(request, [move(B, 'v1.1.0')], {
    source: memorySource(universe),
    crossplane: 'v2.3.4',
    lockfile,
  });
  if (answer.status !== 'solved') throw new Error('the test wants an answer');
  const again = await solved(universe, request, { lockfile: answer.lockfile });
  expect(formatLockfile(again.lockfile)).toBe(formatLockfile(answer.lockfile));
});

test('refuses a pin that an override replaces', async () => {
  const universe = providers({ [A]: { 'v1.0.0': {}, 'v2.0.0': {} } });
  const rule = { repository: A, version: 'v1.0.0', origin: { file: 'xpkg.yaml', line: 9 } };
  const request = requestFor({ [A]: '*' }, { overrides: [rule] });
  const { lockfile } = await solved(universe, request);
  const options = { source: memorySource(universe), crossplane: 'v2.3.4', lockfile };
  await expect(update(request, [move(A, 'v2.0.0')], options)).rejects.toBeInstanceOf(InputError);
});
