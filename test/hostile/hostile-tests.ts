/**
 * Tests outside test/conformance that try attacks and accidents and record how often. `npm test`
 * runs them with few inputs, conformance with more, `npm run hostile` with many.
 */
export const HOSTILE_TESTS: readonly string[] = [
  'test/hostile/**/*.test.ts',
  'test/cli/every-change.test.ts',
  'test/cli/hostile-text.test.ts',
  'test/sources/images/faults.test.ts',
  'test/features/verify/edited-lockfile.test.ts',
];

/** Tests in test/conformance that do the same and need other programs. */
export const HOSTILE_COMPARISONS: readonly string[] = [
  'test/conformance/killed-runs.test.ts',
  'test/conformance/layers.test.ts',
  'test/conformance/manifests.test.ts',
  'test/conformance/yaml-streams.test.ts',
  'test/conformance/hostile-memory.test.ts',
  'test/conformance/faults.test.ts',
];
