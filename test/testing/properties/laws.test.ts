import { describe, expect, test } from 'vitest';
import { laws } from '../../../src/testing/properties/laws.js';
import type { Resolver } from '../../../src/testing/resolver.js';
import { BROKEN, exemplary } from '../generators/broken-resolvers.js';

type LawName = keyof typeof laws;

const LAWS = Object.keys(laws) as LawName[];

test.each(LAWS)('%s is true of a resolver that tries everything', async (name) => {
  await expect(laws[name](exemplary, { seed: 5, runs: 50 })).resolves.toBeUndefined();
});

const BREAKS: Readonly<Record<keyof typeof BROKEN, readonly LawName[]>> = {
  greedy: ['sound', 'complete'],
  ownershipBlind: ['sound', 'complete'],
  crossplaneBlind: ['sound', 'complete'],
  policyBlind: ['sound', 'complete'],
  orderDependent: ['deterministic', 'complete'],
  impatient: ['replyOrder'],
  distracted: ['stable'],
  clingy: ['monotone', 'complete'],
  optimist: ['preferenceFree'],
  restless: ['lockIdempotent'],
  nosy: ['lazy'],
  thorough: ['lazy'],
  terse: ['explanationSuffices'],
  longWinded: ['explanationMinimal'],
  hasty: ['acceptable'],
  doublyPinning: ['acceptable'],
  forgetful: ['rangeAsBestRelease', 'matrixAsResolve'],
  oldFashioned: ['rangeAsBestRelease'],
};

describe('a broken resolver is detected', () => {
  const cases = Object.entries(BREAKS).flatMap(([who, broken]) =>
    broken.map((name) => ({ who: who as keyof typeof BROKEN, name })),
  );

  test.each(cases)('$who by $name', async ({ who, name }) => {
    await expect(laws[name](BROKEN[who], { seed: 5, runs: 400 })).rejects.toThrow(/Counterexample/);
  });

  test('every property detects a broken resolver', () => {
    expect([...new Set(Object.values(BREAKS).flat())].sort()).toEqual([...LAWS].sort());
  });
});

const silent: Resolver = async (...given) => {
  const outcome = await exemplary(...given);
  if (outcome.status === 'solved') return { status: 'solved', selected: outcome.selected };
  return outcome.status === 'unsolvable' ? { status: 'unsolvable' } : outcome;
};

test.each([
  'lazy',
  'explanationSuffices',
  'explanationMinimal',
  'acceptable',
  'matrixAsResolve',
] as const)('%s does not pass for a resolver that reports too little', async (name) => {
  await expect(laws[name](silent, { seed: 5 })).rejects.toThrow(/does not tell/);
});
