import { defineConfig } from 'vitest/config';
import { FiguresReporter } from '../hostile/figures-reporter.js';
import { HOSTILE_TESTS } from '../hostile/hostile-tests.js';

export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/conformance/**/*.test.ts', ...HOSTILE_TESTS],
    // An accident at every change, every edit of a lockfile and more inputs, where `npm test` tries
    // some of them.
    env: { XPKG_CHANGE_STRIDE: '1', XPKG_HOSTILE_INPUTS: '100' },
    setupFiles: ['test/support/fixed-seed.ts'],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // Registries listen on ports of their own, and memory is measured by process.
    maxWorkers: 2,
    reporters: ['verbose', new FiguresReporter({ full: false })],
  },
});
