import type { Driver } from '../driver/driver.js';
import { InputError } from '../model/input-error.js';
import type { Target } from '../model/target/target.js';
import type { Problem } from '../solver/problem.js';
import type { Proof } from '../solver/search-result.js';
import { minimalProof } from './minimal-proof.js';
import { refusalOf, type Refusal } from './refusal.js';
import { suggest } from './suggestions/suggest.js';

/** What it takes to explain why there is no answer. */
export interface Refused {
  readonly problem: Problem;
  readonly targets: readonly Target[];
  readonly proof: Proof;
  readonly driver: Driver;
  /** The request as a problem for other releases; throws where it makes no sense for them. */
  readonly problemFor: (targets: readonly Target[]) => Problem;
}

/**
 * Explains why there is no answer, in four steps:
 *
 * 1. `minimalProof` drops every fact that the proof does not need;
 * 2. `inTellingOrder` puts what is left in the order in which one would tell it;
 * 3. `refusalOf` puts it in words: `summaryOf` and, step by step, `proofText` for people, `coreEntries`
 *    and `namedFacts` for programs;
 * 4. `suggest` looks for changes that would help, by solving with them made.
 */
export async function explainRefusal(refused: Refused): Promise<Refusal> {
  const { problem, targets, driver } = refused;
  const smaller = minimalProof(problem, refused.proof);
  const proof = await driver.driveFromMemory(smaller, targets[0]!);
  const problemFor = (others: readonly Target[]) => {
    try {
      return refused.problemFor(others);
    } catch (error) {
      // What makes no sense for that release is no way out; anything else is a bug.
      if (error instanceof InputError) return undefined;
      throw error;
    }
  };
  const repositories = await driver.repositories();
  const stuck = { problem, targets, proof, problemFor, repositories };
  const suggestions = await suggest(stuck, driver);
  return { ...refusalOf(problem, proof), suggestions };
}
