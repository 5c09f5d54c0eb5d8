import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/shipping/**/*.test.ts'],
    testTimeout: 3_600_000,
    hookTimeout: 3_600_000,
    reporters: ['verbose'],
  },
});
