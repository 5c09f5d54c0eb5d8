import { expect, test } from 'vitest';
import { laws } from '../../src/testing/laws.js';
import { ours } from '../../src/testing/ours.js';

/** `resolve` tells what its explanations name in words only, so one law cannot be tried on it. */
const { explanationSuffices: _, ...judged } = laws;

/**
 * Roots that ask for a CRD are left to `fixtures/cases`: `resolve` takes a CRD that a function
 * holds for installed on every target, and knows only listed tags of a package that owns one.
 */
const KNOBS = { crdRoots: 0 };

test.each(Object.entries(judged))('%s holds of resolve', async (_name, law) => {
  await expect(law(ours, { knobs: KNOBS, seed: 8, runs: 80 })).resolves.toBeUndefined();
});
