import { expect, test } from 'vitest';
import { laws } from '../../../src/testing/laws/laws.js';
import { ours } from '../../../src/testing/laws/xpkg-resolver.js';

test.each(Object.entries(laws))('%s holds of resolve', async (_name, law) => {
  await expect(law(ours, { seed: 8, runs: 80 })).resolves.toBeUndefined();
});
