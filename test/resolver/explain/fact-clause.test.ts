import { describe, expect, test } from 'vitest';
import { refusalStory } from '../../support/story/refusal-story.js';

test('states what a root and a version require', () => {
  const universe = { 'a 1.0.0': 'b ^1.0.0', 'b 1.0.0': '', 'b 2.0.0': '' };
  expect(refusalStory(universe, ['a *', 'b ^2.0.0']).clauses).toEqual([
    'xpkg.yaml:1 asks for a `*`',
    'xpkg.yaml:2 asks for b `^2.0.0`',
    'a 1.0.0 requires b `^1.0.0`',
  ]);
});

test('names an override that replaces the constraint', () => {
  const overrides = { a: '^2.0.0' };
  expect(refusalStory({ 'a 1.0.0': '' }, ['a *'], { overrides }).clauses).toEqual([
    'xpkg.yaml:1 asks for a `*` (overridden: `^2.0.0`, xpkg.yaml) (no version matches: there is 1.0.0)',
  ]);
});

describe('names the reason if no version is admitted', () => {
  test.each([
    { universe: {}, root: 'a *', why: '(there is no such package)' },
    { universe: { 'a edge': '' }, root: 'a *', why: '(it has no version to install)' },
    { universe: { 'a 1.0.0': '' }, root: 'a ^2.0.0', why: '(no version matches: there is 1.0.0)' },
    {
      universe: { 'a 1.0.0': '', 'a 1.5.0': '' },
      root: 'a ^2.0.0',
      why: '(no version matches: there are 1.0.0 to 1.5.0)',
    },
    {
      universe: { 'a 2.0.0-rc.1': '' },
      root: 'a >=1.0.0',
      why: '(only prereleases are in that range, and it admits none unless it names one: `>=1.0.0-0`)',
    },
  ])('$root: $why', ({ universe, root, why }) => {
    const constraint = root.slice(2);
    expect(refusalStory(universe, [root]).clauses).toEqual([
      `xpkg.yaml:1 asks for a \`${constraint}\` ${why}`,
    ]);
  });

  test('a digest satisfies no range', () => {
    const digest = `sha256:${'0'.repeat(64)}`;
    const universe = { [`a ${digest}`]: '', 'a 1.0.0': '' };
    expect(refusalStory(universe, [`a ${digest}`, 'a *']).clauses).toEqual([
      `xpkg.yaml:1 asks for a \`${digest}\` (what is installed by digest satisfies no range)`,
      'xpkg.yaml:2 asks for a `*`',
    ]);
  });
});

test('names a CRD that a root or a package requires', () => {
  expect(refusalStory({}, ['crd things']).clauses).toEqual([
    'xpkg.yaml:1 asks for the API things',
    'no package in the sources given owns things',
  ]);
  expect(refusalStory({ 'a 1.0.0': 'crd things' }, ['a *']).clauses).toEqual([
    'xpkg.yaml:1 asks for a `*`',
    'a 1.0.0 requires the API things',
    'no package in the sources given owns things',
  ]);
});

test('names the owner of a CRD', () => {
  const universe = { 'a 1.0.0': 'owns things', 'a 2.0.0': '' };
  expect(refusalStory(universe, ['crd things', 'a ^2.0.0']).clauses).toEqual([
    'xpkg.yaml:1 asks for the API things',
    'xpkg.yaml:2 asks for a `^2.0.0`',
    'a 1.0.0 owns things',
  ]);
});

test('states the Crossplane constraint of a version', () => {
  const universe = { 'a 1.0.0': 'crossplane >=v2.1.0' };
  expect(refusalStory(universe, ['a *']).clauses).toEqual([
    'xpkg.yaml:1 asks for a `*`',
    'a 1.0.0 needs Crossplane `>=v2.1.0`',
  ]);
});

test('states the Crossplane constraint of a package under development', () => {
  expect(refusalStory({}, ['crossplane >=v2.1.0']).clauses).toEqual([
    'local (xpkg.yaml:1) needs Crossplane `>=v2.1.0`',
  ]);
});

test('names the objects that two packages would both own', () => {
  const universe = {
    'a 1.0.0': 'owns w; owns x; owns y; owns z',
    'b 1.0.0': 'owns w; owns x; owns y; owns z',
  };
  expect(refusalStory(universe, ['a *', 'b *']).clauses.at(-1)).toBe(
    'a 1.0.0 and b 1.0.0 would both own CRD w, CRD x and 2 more',
  );
});

test('recognizes one repository that is spelled in two ways', () => {
  const universe = { 'docker.io/a/p 1.0.0': 'owns x', 'index.docker.io/a/p 1.0.0': 'owns x' };
  expect(refusalStory(universe, ['docker.io/a/p *', 'index.docker.io/a/p *']).clauses.at(-1)).toBe(
    'docker.io/a/p 1.0.0 and index.docker.io/a/p 1.0.0 would both own CRD x: they are one repository spelled two ways',
  );
});

test('states the kind that a root or a version expects', () => {
  const universe = { 'a 1.0.0': 'b * as Function', 'b 1.0.0': '' };
  expect(refusalStory(universe, ['b * as Function']).clauses.at(-1)).toBe(
    'xpkg.yaml:1 asks for b as a Function, but b 1.0.0 is a Provider',
  );
  expect(refusalStory(universe, ['a *']).clauses.at(-1)).toBe(
    'a 1.0.0 requires b as a Function, but b 1.0.0 is a Provider',
  );
});

test('states that a version does not exist', () => {
  expect(refusalStory({ 'a v1.0.0': '' }, ['a v2.0.0']).clauses).toEqual([
    'xpkg.yaml:1 asks for a `v2.0.0`',
    'there is no a v2.0.0',
  ]);
});

test('states the first error of a rejected version', () => {
  expect(refusalStory({ 'a 1.0.0': 'rejected' }, ['a *']).clauses.at(-1)).toBe(
    'Crossplane would refuse a 1.0.0 (refused)',
  );
});

test('names versions that the user excludes', () => {
  const exclude = { a: '*' };
  expect(refusalStory({ 'a 1.0.0': '' }, ['a *'], { exclude }).clauses.at(-1)).toBe(
    'a 1.0.0 is excluded (xpkg.yaml)',
  );
});

test('describes a cycle, starting at any of its members', () => {
  const universe = { 'a 1.0.0': 'b *', 'b 1.0.0': 'c *', 'c 1.0.0': 'a *' };
  expect(refusalStory(universe, ['a *']).clauses.at(-1)).toBe(
    'c 1.0.0 requires a 1.0.0, which requires b 1.0.0, which requires c: a cycle',
  );
  expect(refusalStory({ 'a 1.0.0': 'a *' }, ['a *']).clauses.at(-1)).toBe(
    'a 1.0.0 requires itself: a cycle',
  );
});
