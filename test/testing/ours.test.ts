import { expect, test } from 'vitest';
import { laws } from '../../src/testing/laws.js';
import { ours } from '../../src/testing/ours.js';

/** `resolve` tells what its explanations name in words only, so one law cannot be tried on it. */
const { explanationSuffices: _, ...judged } = laws;

test.each(Object.entries(judged))('%s holds of resolve', async (_name, law) => {
  await expect(law(ours, { seed: 8, runs: 80 })).resolves.toBeUndefined();
});
