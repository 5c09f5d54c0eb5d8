import { defineConfig } from 'vitest/config';

/** A test that takes longer than this hangs: programs may be built first. */
const HANGS_AFTER_MS = 30 * 60_000;

/** Holds this project to programs that take minutes to install or to build. */
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/peers/**/*.test.ts'],
    setupFiles: ['fixed-seed', 'own-folder', 'closed-files'].map(
      (name) => `test/support/${name}.ts`,
    ),
    testTimeout: HANGS_AFTER_MS,
    hookTimeout: HANGS_AFTER_MS,
    maxWorkers: 2,
    reporters: ['verbose'],
  },
});
