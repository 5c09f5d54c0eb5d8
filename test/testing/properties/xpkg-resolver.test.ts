import { expect, test } from 'vitest';
import { laws } from '../../../src/testing/properties/laws.js';
import { xpkgResolver } from '../../../src/testing/properties/xpkg-resolver.js';

test.each(Object.entries(laws))('%s holds for resolve', async (_name, law) => {
  await expect(law(xpkgResolver, { seed: 8, runs: 80 })).resolves.toBeUndefined();
});

test.each(Object.entries(laws))('%s holds for resolve with policies', async (_name, law) => {
  const knobs = { policies: 1, overrides: 0.3, packages: 6 };
  await expect(law(xpkgResolver, { seed: 9, runs: 60, knobs })).resolves.toBeUndefined();
});
