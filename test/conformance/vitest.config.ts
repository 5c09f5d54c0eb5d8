import { defineConfig } from 'vitest/config';
import { FiguresReporter } from '../hostile/figures-reporter.js';
import { HOSTILE_TESTS } from '../hostile/hostile-tests.js';

const setupOf = (...names: readonly string[]) => names.map((name) => `test/support/${name}.ts`);
/** Runs the build scripts for distribution, which write to the folder of the repository. */
const SHIPPING = 'test/conformance/shipping.test.ts';

export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    // A failure at every change, every edit of a lockfile and more inputs; `npm test` tests a
    // sample.
    env: { XPKG_CHANGE_STRIDE: '1', XPKG_HOSTILE_INPUTS: '100' },
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // Registries listen on their own ports, and memory is measured by process.
    maxWorkers: 2,
    reporters: ['verbose', new FiguresReporter({ full: false })],
    projects: [
      {
        extends: true,
        test: {
          name: 'conformance',
          include: ['test/conformance/**/*.test.ts', ...HOSTILE_TESTS],
          exclude: [SHIPPING],
          setupFiles: setupOf('fixed-seed', 'own-folder', 'closed-files'),
        },
      },
      {
        extends: true,
        test: { name: 'shipping', include: [SHIPPING], setupFiles: setupOf('fixed-seed') },
      },
    ],
  },
});
