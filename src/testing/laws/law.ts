import * as fc from 'fast-check';
import type { Knobs } from '../generate/knobs.js';
import { scenario, type Scenario } from '../generate/scenario.js';
import type { Outcome, Resolver } from './resolver.js';

export interface LawOptions {
  /** What universes and requests are made of. */
  readonly knobs?: Partial<Knobs> | undefined;
  /** Scenarios to try; 100 unless told. */
  readonly runs?: number | undefined;
  /** With the seed and the path of a failure, that failure is tried again. */
  readonly seed?: number | undefined;
  readonly path?: string | undefined;
}

/** Tries a law on many scenarios; rejects with the smallest that breaks it. */
export type Law = (resolver: Resolver, options?: LawOptions) => Promise<void>;

/** A law about a scenario; the claim rejects where it is broken. */
export function law(claim: (resolver: Resolver, given: Scenario) => Promise<void>): Law {
  return varying(fc.constant(undefined), claim);
}

/** A law that varies something beside the scenario; drawn with it, so that it shrinks with it. */
export function varying<T>(
  draws: fc.Arbitrary<T>,
  claim: (resolver: Resolver, given: Scenario, drawn: T) => Promise<void>,
): Law {
  return async (resolver, options = {}) => {
    const { knobs = {}, runs = 100, seed, path } = options;
    const property = fc.asyncProperty(scenario(knobs), draws, (given, drawn) =>
      claim(resolver, given, drawn),
    );
    const details = await fc.check(property, {
      numRuns: runs,
      includeErrorInReport: true,
      ...(seed === undefined ? {} : { seed }),
      ...(path === undefined ? {} : { path }),
    });
    if (!details.failed) return;
    const report = await fc.asyncDefaultReportMessage(details);
    throw new Error(report, { cause: details.errorInstance });
  };
}

/** A law cannot be tried: the resolver does not tell what the law is about. */
export class Untold extends Error {}

/** Breaks the law unless something holds. */
export function check(holds: boolean, message: () => string): void {
  if (!holds) throw new Error(message());
}

/** Breaks the law unless both outcomes are the same, to the byte where bytes are told. */
export function checkSame(got: Outcome, want: Outcome, otherwise: string): void {
  const [gotWords, wantWords] = [outcomeText(got), outcomeText(want)];
  check(gotWords === wantWords, () => `${otherwise}\n got: ${gotWords}\nwant: ${wantWords}`);
  if (got.status !== 'solved' || want.status !== 'solved') return;
  if (got.written !== undefined && want.written !== undefined)
    check(got.written === want.written, () => `${otherwise}: the same selection, other bytes`);
}

function outcomeText(outcome: Outcome): string {
  if (outcome.status !== 'solved') return outcome.status;
  return [...outcome.selected]
    .map(([repository, version]) => `${repository} ${version}`)
    .sort()
    .join(', ');
}

/** What an optional field of an outcome tells; without it, the law cannot be tried. */
export function told<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Untold(`the resolver does not tell ${what}`);
  return value;
}
