import { seeded, type Draw } from '../fuzz/seeded.js';

/** So rarely is another one drawn where what came last is favoured. */
const ONE_IN = 8;

/**
 * Which of those that wait has its turn. With every second seed it is mostly the one that came last, so
 * that something waits for long, as what failed once does in a cluster.
 */
export function arrivalOrder(seed: number): Draw {
  const draw = seeded(seed);
  if (seed % 2 === 0) return draw;
  return (waiting) => (draw(ONE_IN) === 0 ? draw(waiting) : waiting - 1);
}
