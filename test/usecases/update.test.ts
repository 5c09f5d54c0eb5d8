import { expect, test } from 'vitest';
import { formatLockfile } from '../../src/lock/format-lockfile.js';
import { InputError } from '../../src/model/input-error.js';
import type { Repository } from '../../src/model/package.js';
import { update, type Move } from '../../src/usecases/update.js';
import { memorySource } from '../../src/sources/memory-source.js';
import { requestFor } from '../support/requests.js';
import { solved, told } from '../support/solved.js';
import { providers, requiring } from '../support/universes.js';

const A = 'xpkg.example.org/acme/a';
const B = 'xpkg.example.org/acme/b';
const C = 'xpkg.example.org/acme/c';

function move(repository: Repository, version?: string): Move {
  return { repository, version, origin: { file: 'command line' } };
}

test('update moves what is named, and only what must follow', async () => {
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
    return answer.status === 'solved' ? told(answer) : answer.status;
  };
  expect(await moving(move(C))).toEqual({ 'c v1.0.0 → v1.2.0': 'asked for' });
  expect(await moving(move(B, 'v2.0.0'))).toEqual({
    'b v1.0.0 → v2.0.0': 'asked for',
    'c v1.0.0 → v1.2.0': `${B} v2.0.0 requires \`>=v1.1.0\``,
  });
  expect(await moving(move(B, 'v9.0.0'))).toBe('unsolvable');
  // v2.0.0 of A does not need C any more, and only the pin on C asks for it.
  expect(await moving(move(A, 'v2.0.0'), move(C, 'v1.1.0'))).toEqual({
    'a v1.0.0 → v2.0.0': 'asked for',
    'c v1.0.0 → none': 'nothing requires it any more',
  });
  expect(await moving()).toMatchObject({ 'a v1.0.0 → v2.0.0': 'asked for' });
});

test('what update leaves behind is what resolve would keep', async () => {
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

test('a pin on what the user overrides would be in vain, and is refused', async () => {
  const universe = providers({ [A]: { 'v1.0.0': {}, 'v2.0.0': {} } });
  const rule = { repository: A, version: 'v1.0.0', origin: { file: 'xpkg.yaml', line: 9 } };
  const request = requestFor({ [A]: '*' }, { overrides: [rule] });
  const { lockfile } = await solved(universe, request);
  const options = { source: memorySource(universe), crossplane: 'v2.3.4', lockfile };
  await expect(update(request, [move(A, 'v2.0.0')], options)).rejects.toBeInstanceOf(InputError);
});
