import { expect, test } from 'vitest';
import { packageChanges } from '../../../src/features/diff/changes.js';
import { locked, lockfileOf, needs } from '../../support/lockfiles.js';

const app = locked('x.io/p/app:v1.0.0', {
  direct: true,
  requirements: [needs('x.io/p/db >=v1.0.0'), needs('x.io/p/queue >=v2.0.0')],
});
const newer = locked('x.io/p/app:v2.0.0', {
  direct: true,
  requirements: [needs('x.io/p/db >=v1.1.0'), needs('Function x.io/p/fn >=v0.1.0')],
});

const by = (version: string, constraint: string) => ({
  by: 'package',
  repository: 'x.io/p/app',
  version,
  constraint,
});

test('lists added, removed and moved packages with their requirers, but no unchanged ones', () => {
  const stays = locked('x.io/p/stays:v1.0.0', { direct: true });
  const before = lockfileOf([
    app,
    locked('x.io/p/db:v1.0.0'),
    locked('x.io/p/queue:v2.0.0'),
    stays,
  ]);
  const after = lockfileOf([newer, locked('x.io/p/db:v1.1.0'), locked('x.io/p/fn:v0.1.0'), stays]);
  const { added, removed, moved } = packageChanges(before, after);
  expect(added.map(({ repository, wantedBy }) => [repository, wantedBy])).toEqual([
    ['x.io/p/fn', [by('v2.0.0', '>=v0.1.0')]],
  ]);
  expect(removed.map(({ repository, wantedBy }) => [repository, wantedBy])).toEqual([
    ['x.io/p/queue', [by('v1.0.0', '>=v2.0.0')]],
  ]);
  expect(
    moved.map(({ repository, from, to, wantedBy }) => [repository, from, to, wantedBy]),
  ).toEqual([
    ['x.io/p/app', 'v1.0.0', 'v2.0.0', [{ by: 'user' }]],
    ['x.io/p/db', 'v1.0.0', 'v1.1.0', [by('v2.0.0', '>=v1.1.0')]],
  ]);
});

test('a tag with other bytes counts as moved', () => {
  const a = locked('x.io/p/a:v1.0.0');
  const b = { ...a, digest: locked('x.io/p/a:v1.0.1').digest };
  const [moved] = packageChanges(lockfileOf([a]), lockfileOf([b])).moved;
  expect(moved).toMatchObject({ from: 'v1.0.0', to: 'v1.0.0', movedTag: { from: a.digest } });
});
