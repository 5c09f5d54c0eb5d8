import { describe, expect, test } from 'vitest';
import { NounPhrases } from '../../../src/resolver/explain/fact-clause.js';
import { proofText } from '../../../src/resolver/explain/proof-text.js';
import { FIRST, type Incompatibility } from '../../../src/resolver/solver/incompatibility.js';
import { VersionSet } from '../../../src/resolver/solver/version-set.js';
import { refusalStory } from '../../support/story/refusal-story.js';
import { story } from '../../support/story/story.js';

test('prints one reason per line, then the conclusion', () => {
  const universe = { 'a 1.0.0': 'c ^1.0.0', 'b 1.0.0': 'c ^2.0.0', 'c 1.0.0': '', 'c 2.0.0': '' };
  expect(refusalStory(universe, ['a *', 'b *']).lines).toEqual([
    'Because xpkg.yaml:1 asks for a `*`,',
    'and xpkg.yaml:2 asks for b `*`,',
    'and a 1.0.0 requires c `^1.0.0`,',
    'and b 1.0.0 requires c `^2.0.0`,',
    'there is no answer.',
  ]);
});

test('adds the target to the reasons if a Crossplane constraint is one', () => {
  const universe = { 'a 1.0.0': 'crossplane >=v2.1.0' };
  const releases = ['v2.0.0', 'v1.20.0'];
  expect(refusalStory(universe, ['a *'], { releases }).lines).toEqual([
    'Because xpkg.yaml:1 asks for a `*`,',
    'and a 1.0.0 needs Crossplane `>=v2.1.0`,',
    'and the target is Crossplane v1.20.0 to v2.0.0,',
    'there is no answer.',
  ]);
});

test('joins requirements between the same two packages', () => {
  const universe = {
    'a 1.0.0': 'b ^2.0.0',
    'a 1.1.0': 'b ^3.0.0',
    'b 1.0.0': '',
    'b 2.0.0': '',
    'b 3.0.0': '',
  };
  expect(refusalStory(universe, ['a *', 'b ^1.0.0']).lines).toContain(
    'and a requires b: `^3.0.0` in 1.1.0 and `^2.0.0` in 1.0.0,',
  );
});

test('names three of many such requirements and counts the rest', () => {
  const universe: Record<string, string> = { 'b 1.0.0': '' };
  for (const i of [2, 3, 4, 5, 6]) {
    universe[`a ${i}.0.0`] = `b ^${i}.0.0`;
    universe[`b ${i}.0.0`] = '';
  }
  expect(refusalStory(universe, ['a *', 'b ^1.0.0']).lines).toContain(
    'and a requires b: `^6.0.0` in 6.0.0, `^5.0.0` in 5.0.0, `^4.0.0` in 4.0.0 and 2 others in other versions,',
  );
});

test('splits a long argument into numbered steps', () => {
  const universe: Record<string, string> = {};
  for (const name of ['p', 'q', 'r']) {
    for (const i of [1, 2]) universe[`${name} ${i}.0.0`] = `owns thing${i}`;
  }
  expect(refusalStory(universe, ['p *', 'q *', 'r *']).explanation.split('\n')).toEqual([
    'Because p 2.0.0 and r 2.0.0 would both own CRD thing2,',
    'and q 1.0.0 and r 1.0.0 would both own CRD thing1,',
    'and p 2.0.0 and q 2.0.0 would both own CRD thing2,',
    'every version of r, p 2.0.0 and every version of q cannot be installed together. (1)',
    '',
    'Because every version of r, p 2.0.0 and every version of q cannot be installed together (1),',
    'and xpkg.yaml:1 asks for p `*`,',
    'and xpkg.yaml:2 asks for q `*`,',
    'and xpkg.yaml:3 asks for r `*`,',
    'and q 2.0.0 and r 2.0.0 would both own CRD thing2,',
    'and p 1.0.0 and q 1.0.0 would both own CRD thing1,',
    'and p 1.0.0 and r 1.0.0 would both own CRD thing1,',
    'there is no answer.',
  ]);
});

describe('decides which steps get a sentence', () => {
  const tags = Array.from({ length: 12 }, (_, i) => `1.${i}.0`);
  const universe = Object.fromEntries(tags.map((tag) => [`a ${tag}`, '']));
  const { problem, proof } = story(universe, ['a *', 'missing *']);
  const { subjects } = proof!;
  const { variable } = subjects.package('a');

  /** The fact that version 1.i.0 does not exist. */
  function missing(i: number): Incompatibility {
    const of = { variable, values: VersionSet.single(FIRST + i) };
    return { terms: [of], cause: { fact: 'missing', of } };
  }

  /** A conclusion about version 1.i.0 from its parents. */
  function derived(i: number | undefined, ...parents: Incompatibility[]): Incompatibility {
    const terms = i === undefined ? [] : missing(i).terms;
    return { terms, cause: { fact: 'derived', parents } };
  }

  function sentences(because: Incompatibility): string[] {
    return proofText(because, new NounPhrases(problem, subjects)).split('\n\n');
  }

  test('prints a step that two others use once, with a number', () => {
    const shared = derived(9, missing(0), missing(1));
    const last = derived(
      undefined,
      derived(10, shared, missing(2)),
      derived(11, shared, missing(3)),
    );
    expect(sentences(last)).toEqual([
      'Because there is no a 1.0.0,\nand there is no a 1.1.0,\na 1.9.0 cannot be used. (1)',
      [
        'Because a 1.9.0 cannot be used (1),',
        'and there is no a 1.2.0,',
        'and there is no a 1.3.0,',
        'there is no answer.',
      ].join('\n'),
    ]);
  });

  test('allows eight reasons in a sentence', () => {
    const step = derived(9, missing(0), missing(1), missing(2), missing(3));
    const others = [4, 5, 6, 7, 8].map(missing);
    expect(sentences(derived(undefined, step, ...others.slice(1)))).toHaveLength(1);
    expect(sentences(derived(undefined, step, ...others))).toHaveLength(2);
  });
});
