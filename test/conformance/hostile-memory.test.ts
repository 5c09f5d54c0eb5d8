import { expect, test } from 'vitest';
import { recordFigure } from '../support/figures.js';
import { ATTACKS } from '../support/hostile/attacks.js';
import { OUR_EXIT_CODES, runAttack } from '../support/hostile/run-attack.js';

/** The memory limit of a run for any input. */
const MOST_BYTES = 512 * 2 ** 20;

test.each(ATTACKS)('$name', async (attack) => {
  const { exitCode, peakBytes, stderr } = await runAttack(attack);
  recordFigure('attacks on the memory of a run', { tried: 1, peakBytes: peakBytes ?? 0 });
  expect(OUR_EXIT_CODES, stderr).toContain(exitCode);
  expect(peakBytes).toBeLessThan(MOST_BYTES);
});
