import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const ROOT = join(import.meta.dirname, '..');

/**
 * A bound for tests that hang, not for slow ones: many start processes, which take as long as the
 * load of the machine makes them take.
 */
const HANGS_AFTER_MS = 10 * 60_000;

/** A mock takes the place of a module only in a process that has not loaded the real one. */
const mocking = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .filter((file) => readFileSync(join(import.meta.dirname, file), 'utf8').includes('\nvi.mock('))
  .map((file) => join('test', file));

export default defineConfig({
  test: {
    root: ROOT,
    testTimeout: HANGS_AFTER_MS,
    hookTimeout: HANGS_AFTER_MS,
    maxWorkers: '100%',
    setupFiles: ['fixed-seed', 'own-folder', 'closed-files'].map(
      (name) => `test/support/${name}.ts`,
    ),
    projects: [
      {
        // Files share the modules of their worker: to load all of src for each of them took a
        // third of the time.
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [
            'test/conformance/**',
            'test/rig/**',
            'test/peers/**',
            'test/shipping/**',
            ...mocking,
          ],
          isolate: false,
        },
      },
      {
        // After the others (`groupOrder`), since a worker in use ends where an isolated file is next.
        extends: true,
        test: { name: 'mocking', include: mocking, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
