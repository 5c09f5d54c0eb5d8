import { expect, test } from 'vitest';
import { compareWithUsual } from '../../../src/features/projects/compare-projects.js';

test.each([
  ['v1.0.0', 'v1.0.0', 'usual'],
  ['v1.9.0', 'v1.10.0', 'behind'],
  ['v1.10.0', 'v1.9.0', 'ahead'],
  ['v1.0.0-rc.1', 'v1.0.0', 'behind'],
  [`sha256:${'a'.repeat(64)}`, 'v1.0.0', 'other'],
  ['main', 'v1.0.0', 'other'],
])('%s where most have %s is %s', (version, usual, standing) => {
  expect(compareWithUsual(version, usual)).toBe(standing);
});
