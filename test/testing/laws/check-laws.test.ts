import { expect, test } from 'vitest';
import { checkLaws } from '../../../src/testing/laws/check-laws.js';
import { laws } from '../../../src/testing/laws/laws.js';
import type { Resolver } from '../../../src/testing/laws/resolver.js';
import { BROKEN, exemplary } from '../broken-resolvers.js';

test('one call tries every law there is', async () => {
  const results = await checkLaws(exemplary, { seed: 5, runs: 20 });
  expect(results).toEqual(Object.keys(laws).map((law) => ({ law, status: 'holds' })));
});

test('a law that is broken stops no other, and tells the smallest scenario', async () => {
  const results = await checkLaws(BROKEN.ownershipBlind, {
    seed: 5,
    runs: 200,
    laws: ['sound', 'replyOrder'],
  });
  expect(results).toEqual([
    { law: 'sound', status: 'broken', report: expect.stringContaining('universe.yaml') as string },
    { law: 'replyOrder', status: 'holds' },
  ]);
});

const silent: Resolver = async (...given) => {
  const outcome = await exemplary(...given);
  return outcome.status === 'solved'
    ? { status: 'solved', selected: outcome.selected }
    : { status: outcome.status };
};

test('a law that cannot be judged is neither kept nor broken', async () => {
  const results = await checkLaws(silent, {
    seed: 5,
    runs: 50,
    laws: ['complete', 'explanationMinimal', 'acceptable'],
  });
  expect(results.map(({ status }) => status)).toEqual(['holds', 'untold', 'untold']);
});

const failing: Resolver = () => Promise.reject(new Error('out of order'));

test('a resolver that fails breaks every law', async () => {
  const [result] = await checkLaws(failing, { seed: 5, runs: 5, laws: ['sound'] });
  expect(result).toMatchObject({
    status: 'broken',
    report: expect.stringContaining('out of order') as string,
  });
});
