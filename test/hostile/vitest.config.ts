import { defineConfig } from 'vitest/config';
import { FiguresReporter } from './figures-reporter.js';
import { HOSTILE_COMPARISONS, HOSTILE_TESTS } from './hostile-tests.js';

/** A longer test has stopped responding. */
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
    setupFiles: ['fixed-seed', 'own-folder', 'closed-files'].map(
      (name) => `test/support/${name}.ts`,
    ),
    testTimeout: HANGS_AFTER_MS,
    hookTimeout: HANGS_AFTER_MS,
    maxWorkers: '100%',
    reporters: ['dot', new FiguresReporter({ full: true })],
  },
});
