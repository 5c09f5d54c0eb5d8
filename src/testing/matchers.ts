import { AssertionError } from 'node:assert';
import type { Solved, Unsolvable } from '../usecases/resolve/answer.js';
import {
  judgeConflictsOn,
  judgeResolves,
  judgeSelects,
  type Judgement,
  type Selection,
  type MatcherSubject,
} from './judgement.js';

export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

/**
 * For `expect.extend(matchers)` of vitest or jest. All are asynchronous:
 * `await expect({ universe, request }).toResolve()`.
 */
export const matchers = {
  toResolve: async (subject: MatcherSubject): Promise<MatcherResult> =>
    matched(await judgeResolves(subject)),
  toConflictOn: async (subject: MatcherSubject, name: string): Promise<MatcherResult> =>
    matched(await judgeConflictsOn(subject, name)),
  toSelect: async (subject: MatcherSubject, wanted: Selection): Promise<MatcherResult> =>
    matched(await judgeSelects(subject, wanted)),
};

function matched({ passed, message }: Judgement): MatcherResult {
  return { pass: passed !== undefined, message: () => message };
}

/** What `matchers` add to `expect(…)`. */
export interface PackageMatchers {
  /** There is a set of versions that satisfies everything. */
  toResolve(): Promise<void>;
  /**
   * There is none, and the reason is about this: an object that two packages would own, or a
   * package that is required, refused or missing.
   */
  toConflictOn(name: string): Promise<void>;
  /** The set has these packages at these versions; undefined: has it not. Others may be there. */
  toSelect(wanted: Selection): Promise<void>;
}

declare global {
  // What vitest and @types/jest both build the type of `expect(…)` on.
  namespace jest {
    interface Matchers<R, T = {}> extends PackageMatchers {}
  }
}

/** As `toResolve`, without a test runner; the answer, for more to be asked of it. */
export async function assertResolves(subject: MatcherSubject): Promise<Solved> {
  return asserted(await judgeResolves(subject));
}

/** As `toConflictOn`, without a test runner. */
export async function assertConflictsOn(
  subject: MatcherSubject,
  name: string,
): Promise<Unsolvable> {
  return asserted(await judgeConflictsOn(subject, name));
}

/** As `toSelect`, without a test runner. */
export async function assertSelects(subject: MatcherSubject, wanted: Selection): Promise<Solved> {
  return asserted(await judgeSelects(subject, wanted));
}

function asserted<A extends Solved | Unsolvable>({ passed, message }: Judgement<A>): A {
  if (passed !== undefined) return passed;
  throw new AssertionError({ message });
}
