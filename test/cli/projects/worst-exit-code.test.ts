import { expect, test } from 'vitest';
import { worstExitCode } from '../../../src/cli/projects/project-results.js';
import { EXIT, type ExitCode } from '../../../src/cli/kit/command.js';

test('without projects there is no failure', () => {
  expect(worstExitCode([])).toBe(EXIT.done);
});

test('the more severe of two codes is used, in either order', () => {
  const order: readonly ExitCode[] = [0, 6, 4, 3, 7, 5, 2, 1];
  expect(new Set(order)).toEqual(new Set(Object.values(EXIT)));
  for (const [place, worse] of order.entries()) {
    for (const milder of order.slice(0, place + 1)) {
      expect(worstExitCode([milder, worse])).toBe(worse);
      expect(worstExitCode([worse, milder])).toBe(worse);
    }
  }
});
