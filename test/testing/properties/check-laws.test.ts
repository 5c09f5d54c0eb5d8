import { expect, test } from 'vitest';
import { checkLaws, laws } from '../../../src/testing/properties/laws.js';
import type { Resolver } from '../../../src/testing/resolver.js';
import { BROKEN, exemplary } from '../generators/broken-resolvers.js';

test('one call tests all properties', async () => {
  const results = await checkLaws(exemplary, { seed: 5, runs: 20 });
  expect(results).toEqual(Object.keys(laws).map((law) => ({ law, status: 'holds' })));
});

test('a failed property does not stop the others, and reports the smallest scenario', async () => {
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

test('a property that cannot be tested is neither true nor broken', async () => {
  const results = await checkLaws(silent, {
    seed: 5,
    runs: 50,
    laws: ['complete', 'explanationMinimal', 'acceptable'],
  });
  expect(results.map(({ status }) => status)).toEqual(['holds', 'untold', 'untold']);
});

const failing: Resolver = () => Promise.reject(new Error('out of order'));

test('a resolver that throws fails every property', async () => {
  const [result] = await checkLaws(failing, { seed: 5, runs: 5, laws: ['sound'] });
  expect(result).toMatchObject({
    status: 'broken',
    report: expect.stringContaining('out of order') as string,
  });
});
