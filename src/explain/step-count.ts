import type { Effort } from '../solver/search-result.js';

/** What one conflict costs, in steps; a decision costs one. */
export const STEPS_PER_CONFLICT = 20;

/** How much a search did, in steps of about equal length on any machine. */
export function stepCount({ decisions, conflicts }: Effort): number {
  return decisions + conflicts * STEPS_PER_CONFLICT;
}
