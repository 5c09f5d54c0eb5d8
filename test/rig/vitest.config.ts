import { defineConfig } from 'vitest/config';
import { RigReporter } from './rig-reporter.js';

/** A scenario that takes longer than this hangs. */
const HANGS_AFTER_MS = 40 * 60_000;

export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/rig/**/*.test.ts'],
    testTimeout: HANGS_AFTER_MS,
    hookTimeout: HANGS_AFTER_MS,
    // One cluster at a time: an API server alone keeps a core busy.
    maxWorkers: 1,
    reporters: ['verbose', new RigReporter()],
  },
});
