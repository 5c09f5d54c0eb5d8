import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/conformance/**/*.test.ts', 'test/cli/every-change.test.ts'],
    // An accident at every single change, where `npm test` has one at some of them.
    env: { XPKG_CHANGE_STRIDE: '1' },
    testTimeout: 600_000,
    hookTimeout: 600_000,
    fileParallelism: false,
    reporters: ['verbose'],
  },
});
