import type { Driver } from '../driver/driver.js';
import { solve } from '../solver/solve.js';
import { edits, type Stuck } from './edits.js';
import type { Suggestion } from './refusal.js';
import { stepCount } from './step-count.js';

/** How many suggestions are worth reading. */
const MAX_SUGGESTIONS = 4;
/** How many package versions may be read to check one of them. */
const MAX_VERSIONS_READ = 200;
/** How many conflicts the search that checks one of them may meet. */
const MAX_CONFLICTS = 2_000;
/** How many steps may be taken to check all of them together: about a second. */
const MAX_STEPS = 25_000;

/**
 * Step 4 of an explanation: changes to what the user wrote that make the set solvable, cheapest
 * first. Each was made, and solved.
 */
export async function suggest(stuck: Stuck, driver: Driver): Promise<Suggestion[]> {
  const suggestions: Suggestion[] = [];
  const ends = new Set<string>();
  let stepsLeft = MAX_STEPS;
  for (const edit of edits(stuck)) {
    if (suggestions.length === MAX_SUGGESTIONS || stepsLeft <= 0) break;
    if (ends.has(edit.end)) continue;
    const search = solve({ ...edit.problem, maxConflicts: MAX_CONFLICTS });
    const result = await driver.driveBriefly(search, edit.targets[0]!, MAX_VERSIONS_READ);
    stepsLeft -= result === undefined ? MAX_VERSIONS_READ : stepCount(result.effort);
    if (result?.status !== 'solved') continue;
    ends.add(edit.end);
    suggestions.push({ text: edit.say(result) });
  }
  return suggestions;
}
