import { defineConfig } from 'vitest/config';
import { RigReporter } from './rig-reporter.js';

/** A scenario that takes longer than this hangs. */
const HANGS_AFTER_MS = 120 * 60_000;

export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/rig/**/*.test.ts'],
    testTimeout: HANGS_AFTER_MS,
    hookTimeout: HANGS_AFTER_MS,
    // One file at a time: what works side by side, in several clusters, is for each to say.
    maxWorkers: 1,
    reporters: ['verbose', new RigReporter()],
  },
});
