import { defineConfig } from 'vitest/config';
import { FiguresReporter } from './figures-reporter.js';
import { HOSTILE_COMPARISONS, HOSTILE_TESTS } from './hostile-tests.js';

/** A test that takes longer than this hangs. */
const HANGS_AFTER_MS = 20 * 60_000;
const { XPKG_HOSTILE_INPUTS = '1000', XPKG_HOSTILE_SEED = '1' } = process.env;

export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: [...HOSTILE_TESTS, ...HOSTILE_COMPARISONS],
    env: {
      XPKG_CHANGE_STRIDE: '1',
      XPKG_FAULT_STRIDE: '1',
      XPKG_HOSTILE_INPUTS,
      XPKG_HOSTILE_SEED,
    },
    setupFiles: ['test/support/fixed-seed.ts'],
    testTimeout: HANGS_AFTER_MS,
    hookTimeout: HANGS_AFTER_MS,
    maxWorkers: '100%',
    reporters: ['dot', new FiguresReporter({ full: true })],
  },
});
