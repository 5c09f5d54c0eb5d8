/** Draws a whole number below the one given; the same draws for the same seed, on every machine. */
export type Draw = (below: number) => number;

/** Mulberry32: small, and good enough to pick test cases with. */
export function seeded(seed: number): Draw {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}
