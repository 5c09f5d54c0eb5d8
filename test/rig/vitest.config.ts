import { defineConfig } from 'vitest/config';
import { RigReporter } from './rig-reporter.js';

/** A longer scenario has stopped responding. */
const HANGS_AFTER_MS = 120 * 60_000;

export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/rig/**/*.test.ts'],
    testTimeout: HANGS_AFTER_MS,
    hookTimeout: HANGS_AFTER_MS,
    // One file at a time: each file decides what it runs in parallel, in several clusters.
    maxWorkers: 1,
    reporters: ['verbose', new RigReporter()],
  },
});
