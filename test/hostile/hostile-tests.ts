/**
 * Tests outside test/conformance that try what strangers and accidents may do, and say how often.
 * `npm test` runs them with few inputs, conformance with more, `npm run hostile` with many.
 */
export const HOSTILE_TESTS: readonly string[] = [
  'test/hostile/**/*.test.ts',
  'test/cli/every-change.test.ts',
  'test/cli/hostile-text.test.ts',
  'test/sources/registry/faults.test.ts',
  'test/usecases/verify/edited-lockfile.test.ts',
];

/** Of test/conformance, those that do the same and need other programs. */
export const HOSTILE_COMPARISONS: readonly string[] = [
  'test/conformance/killed-runs.test.ts',
  'test/conformance/layers.test.ts',
  'test/conformance/yaml-streams.test.ts',
  'test/conformance/hostile-memory.test.ts',
  'test/conformance/faults.test.ts',
];
