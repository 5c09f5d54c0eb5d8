import { expect, test } from 'vitest';
import type { Ruling, PolicyRules } from '../../../src/resolver/solver/problem.js';
import { story } from '../../support/story/story.js';

const origin = { file: 'xpkg.yaml', line: 9 };
const registries: Ruling = { by: 'registries', allowed: ['r.io'], origin };
const deny: Ruling = { by: 'deny', reason: undefined, origin };
const young = (from: string): Ruling => ({ by: 'age', minimum: '7d', from, origin });

/** Policies without rules, except for the given ones. */
function rules(given: Partial<PolicyRules>): PolicyRules {
  return { repository: () => undefined, versions: () => [], mustInspect: () => false, ...given };
}

const universe = { 'a 1.0.0': 'b ^1.0.0', 'a 2.0.0': 'b ^2.0.0', 'b 1.0.0': '', 'b 2.0.0': '' };

test('a package that a policy excludes is {b ≠ absent}, and nothing is requested for it', () => {
  const policy = rules({ repository: (name) => (name === 'b' ? registries : undefined) });
  const { told, asked, announced, status } = story(universe, ['a *'], { policy });
  expect(status).toBe('unsolvable');
  expect(told).toContain('{b ∉ absent}');
  expect(told).toContain('{a = 2.0.0, b = absent}');
  expect(asked).toEqual(['tags of a', 'a 2.0.0', 'a 1.0.0']);
  expect(announced.flat()).not.toContain('tags of b');
});

test('versions that a policy denies by name are {b ∈ S}', () => {
  const denied = [{ matches: (version: string) => version === '2.0.0', ruling: deny }];
  const policy = rules({ versions: (name) => (name === 'b' ? denied : []) });
  const { told, selected } = story(universe, ['a *'], { policy });
  expect(told).toContain('{b = 2.0.0}');
  expect(selected).toEqual(['a 1.0.0', 'b 1.0.0']);
});

test('a version is inspected before it is read, and not read if a policy excludes it', () => {
  const policy = rules({ mustInspect: (name) => name === 'b' });
  const rulings = { 'b 2.0.0': young('2026-01-02T00:00:00Z') };
  const { told, asked, selected } = story(universe, ['a *'], { policy, rulings });
  expect(asked).toEqual([
    'tags of a',
    'a 2.0.0',
    'tags of b',
    'whether b 2.0.0 may be',
    'a 1.0.0',
    'whether b 1.0.0 may be',
    'b 1.0.0',
  ]);
  expect(told).toContain('{b = 2.0.0}');
  expect(selected).toEqual(['a 1.0.0', 'b 1.0.0']);
});

test('versions that violate the same rule share one incompatibility, which grows', () => {
  const many = { 'a 1.0.0': '', 'a 1.1.0': '', 'a 1.2.0': '' };
  const rulings = {
    'a 1.1.0': young('2026-01-01T00:00:00Z'),
    'a 1.2.0': young('2026-01-02T00:00:00Z'),
  };
  const told = story(many, ['a *'], { policy: rules({ mustInspect: () => true }), rulings });
  expect(told.told).toContain('{a ∈ 1.1.0, 1.2.0}');
  expect(told.replaced).toEqual(['{a = 1.2.0}']);
  expect(told.selected).toEqual(['a 1.0.0']);
});

test('a tag that the list spells differently is inspected under that spelling', () => {
  const policy = rules({ mustInspect: () => true });
  const rulings = { 'a 1.0.0': young('2026-01-01T00:00:00Z') };
  const { asked, status } = story({ 'a 1.0.0': '' }, ['a v1.0.0'], { policy, rulings });
  expect(status).toBe('unsolvable');
  expect(asked).toEqual([
    'whether a v1.0.0 may be',
    'a v1.0.0',
    'tags of a',
    'whether a 1.0.0 may be',
  ]);
});

test('a waived violation is ignored', () => {
  const policy = rules({
    repository: (name) => (name === 'b' ? deny : undefined),
    waives: ({ by }, repository) => by === 'deny' && repository === 'b',
  });
  expect(story(universe, ['a *'], { policy }).selected).toEqual(['a 2.0.0', 'b 2.0.0']);
});

test('the versions of an API owner that a policy excludes are not requested', () => {
  const owners = { 'a 1.0.0': 'owns things', 'b 1.0.0': 'owns things' };
  const policy = rules({ repository: (name) => (name === 'a' ? registries : undefined) });
  const { asked, selected } = story(owners, ['crd things'], { policy });
  expect(asked).not.toContain('tags of a');
  expect(selected).toEqual(['b 1.0.0']);
});
