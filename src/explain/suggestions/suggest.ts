import type { Driver } from '../../driver/driver.js';
import type { Suggestion } from '../refusal.js';
import { overrides, replacements } from './added-rules.js';
import { admittedPrereleases, allowedCycles } from './exceptions.js';
import { leftOut } from './left-out.js';
import { mendedRoots } from './mended-roots.js';
import { MovedRoots } from './moved-roots.js';
import { otherCrossplane } from './other-crossplane.js';
import type { Proposal, Stuck } from './proposal.js';
import { Trials } from './trials.js';
import { policyExceptions } from './policy-exceptions.js';
import { undoneRules } from './undone-rules.js';

/** How many suggestions are worth reading. */
const MAX_SUGGESTIONS = 4;

/**
 * Step 4 of an explanation: changes to what the user wrote that make the set solvable, the smallest
 * for a person first. Each was made, and solved. If any versions of all roots go together, one
 * suggestion says which.
 */
export async function suggest(stuck: Stuck, driver: Driver): Promise<readonly Suggestion[]> {
  const trials = new Trials(driver);
  const working = (proposals: Iterable<Proposal>, limit: number) =>
    thatWork(proposals, limit, trials);
  const moves = await new MovedRoots(stuck, trials, driver).find();
  const isOneRoot = moves[0]?.edits.length === 1;
  const mended = await working(mendedRoots(stuck), MAX_SUGGESTIONS - 1);
  const rules = chain(undoneRules(stuck), policyExceptions(stuck));
  const undone = await working(rules, MAX_SUGGESTIONS - 1 - mended.length);
  const small = [...mended, ...undone, ...(isOneRoot ? moves : [])];
  const kept = isOneRoot ? [] : moves;
  const raised = await working(
    chain(admittedPrereleases(stuck), otherCrossplane(stuck), replacements(stuck)),
    MAX_SUGGESTIONS - small.length - kept.length,
  );
  const before = [...small, ...raised, ...kept];
  const rest = chain(overrides(stuck), allowedCycles(stuck), leftOut(stuck));
  return [...before, ...(await working(rest, MAX_SUGGESTIONS - before.length))].slice(
    0,
    MAX_SUGGESTIONS,
  );
}

function* chain<T>(...parts: readonly Iterable<T>[]): Generator<T> {
  for (const part of parts) yield* part;
}

/** The first proposals that have been solved. */
async function thatWork(
  proposals: Iterable<Proposal>,
  limit: number,
  trials: Trials,
): Promise<Suggestion[]> {
  const found: Suggestion[] = [];
  const ends = new Set<string>();
  if (limit <= 0) return found;
  for (const proposal of proposals) {
    const { end, problem, targets } = proposal;
    if (ends.has(end)) continue;
    const result = await trials.attempt(problem, targets);
    if (result?.status !== 'solved') continue;
    const { text, edits, problem: written } = proposal.put(result);
    const proof = written && (await trials.attempt(written, targets));
    if (written !== undefined && proof?.status !== 'solved') continue;
    ends.add(end);
    found.push({ text, edits });
    if (found.length === limit) break;
  }
  return found;
}
