/** Returns a generator of numbers in [0, 1) from a seed: a 32-bit xorshift. */
export function random(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1) | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
