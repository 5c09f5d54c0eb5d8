import { expect, test } from 'vitest';
import { ATTACKS } from '../support/hostile/attacks.js';
import { OUR_EXIT_CODES, runAttack } from '../support/hostile/run-attack.js';

/** test/conformance uses inputs at the size limits and measures memory. */
const SCALE = 1 / 50;

test.each(ATTACKS)('$name, in small, ends with an exit code of ours', async (attack) => {
  const { exitCode, stderr } = await runAttack(attack, SCALE);
  expect(OUR_EXIT_CODES, stderr).toContain(exitCode);
});

test('a layer of a few KB with more documents than the limit ends the run with a message', async () => {
  const attack = ATTACKS.find(({ name }) => name === '60,000 documents')!;
  const { exitCode, stderr } = await runAttack(attack, 0.9);
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining('2 versions')]);
});
