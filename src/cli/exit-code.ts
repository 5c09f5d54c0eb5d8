/** Exit codes of the process; scripts rely on these. */
export const EXIT = {
  done: 0,
  bug: 1,
  badInput: 2,
  unsolvable: 3,
  lockMismatch: 4,
  sourceFailed: 5,
  findings: 6,
  gaveUp: 7,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
