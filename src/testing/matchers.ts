import { AssertionError } from 'node:assert';
import { resolveWithOptions } from './properties/xpkg-resolver.js';
import type { ResolverOptions } from './resolver.js';
import type { Request } from '../project/inputs/request.js';
import type { NamedFact } from '../resolver/explain/refusal.js';
import type { Answer, Solved, Unsolvable } from '../resolver/resolve/answer.js';
import type { IndexFile } from '../sources/index/index-file.js';
import { memorySource } from '../sources/memory-source.js';
import type { PackageSource } from '../sources/package-source.js';

export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

/** Asynchronous matchers for `expect.extend(matchers)` in vitest or jest. */
export const matchers = {
  toResolve: async (subject: MatcherSubject): Promise<MatcherResult> =>
    matcherResult(await checkResolves(subject)),
  toConflictOn: async (subject: MatcherSubject, name: string): Promise<MatcherResult> =>
    matcherResult(await checkConflictsOn(subject, name)),
  toSelect: async (subject: MatcherSubject, wanted: Selection): Promise<MatcherResult> =>
    matcherResult(await checkSelects(subject, wanted)),
};

function matcherResult({ passed, message }: CheckResult): MatcherResult {
  return { pass: passed !== undefined, message: () => message };
}

/** Methods that `matchers` adds to `expect(…)`. */
export interface PackageMatchers {
  /** Passes if a set of versions satisfies everything. */
  toResolve(): Promise<void>;
  /**
   * Passes if there is none and the conflict is about `name`: an object that two packages own, or a
   * package that is required, rejected or missing.
   */
  toConflictOn(name: string): Promise<void>;
  /** Passes if these packages have these versions; undefined for one that must be absent. */
  toSelect(wanted: Selection): Promise<void>;
}

declare global {
  // vitest and @types/jest both derive the type of `expect(…)` from this namespace.
  namespace jest {
    interface Matchers<R, T = {}> extends PackageMatchers {}
  }
}

/** Like `toResolve`, without a test runner. Returns the answer. */
export async function assertResolves(subject: MatcherSubject): Promise<Solved> {
  return assertPassed(await checkResolves(subject));
}

/** Like `toConflictOn`, without a test runner. Returns the answer. */
export async function assertConflictsOn(
  subject: MatcherSubject,
  name: string,
): Promise<Unsolvable> {
  return assertPassed(await checkConflictsOn(subject, name));
}

/** Like `toSelect`, without a test runner. Returns the answer. */
export async function assertSelects(subject: MatcherSubject, wanted: Selection): Promise<Solved> {
  return assertPassed(await checkSelects(subject, wanted));
}

function assertPassed<A extends Solved | Unsolvable>({ passed, message }: CheckResult<A>): A {
  if (passed !== undefined) return passed;
  throw new AssertionError({ message });
}

/** An answer of `resolve`, or its input. */
export type MatcherSubject = Answer | PromiseLike<Answer> | Situation;

/** A request and its packages. A `Scenario` is one. */
export type Situation = {
  readonly request: Request;
  readonly options?: ResolverOptions | undefined;
} & (
  | { readonly universe: IndexFile; readonly source?: undefined }
  | { readonly source: PackageSource; readonly universe?: undefined }
);

/** The result of a check. The message explains a pass and a failure. */
interface CheckResult<A extends Answer = Answer> {
  /** The answer if the check passed; undefined otherwise. */
  readonly passed: A | undefined;
  readonly message: string;
}

/** Expected versions by package; undefined for a package that must be absent. */
export type Selection = Readonly<Record<string, string | undefined>>;

async function answerOf(subject: MatcherSubject): Promise<Answer> {
  if (!('request' in subject)) return subject;
  const { request, options = {}, universe } = subject;
  const source = subject.source ?? memorySource(subject.universe);
  return resolveWithOptions(source, request, { options, universe });
}

async function checkResolves(subject: MatcherSubject): Promise<CheckResult<Solved>> {
  const answer = await answerOf(subject);
  return { passed: answer.status === 'solved' ? answer : undefined, message: answerText(answer) };
}

async function checkConflictsOn(
  subject: MatcherSubject,
  name: string,
): Promise<CheckResult<Unsolvable>> {
  const answer = await answerOf(subject);
  const words = answerText(answer);
  const expected = `expected a conflict on \`${name}\``;
  if (answer.status !== 'unsolvable')
    return { passed: undefined, message: `${expected}, but ${words}` };
  const names = conflictsIn(answer.facts);
  if (names.has(name))
    return { passed: answer, message: `there is a conflict on \`${name}\`: ${words}` };
  const found = [...names].map((one) => `\`${one}\``).join(', ') || 'nothing named';
  return { passed: undefined, message: `${expected}, and it is on ${found}: ${words}` };
}

async function checkSelects(
  subject: MatcherSubject,
  wanted: Selection,
): Promise<CheckResult<Solved>> {
  const answer = await answerOf(subject);
  if (answer.status !== 'solved') return { passed: undefined, message: answerText(answer) };
  const selected = new Map<string, string>(
    answer.lockfile.packages.map(({ repository, version }) => [repository, version]),
  );
  const wrong = Object.entries(wanted).flatMap(([repository, version]) => {
    const got = selected.get(repository);
    if (got === version) return [];
    return [`${repository}: expected ${version ?? 'nothing'}, selected ${got ?? 'nothing'}`];
  });
  return {
    passed: wrong.length === 0 ? answer : undefined,
    message: [...(wrong.length === 0 ? ['as expected'] : wrong), '', answerText(answer)].join('\n'),
  };
}

/** Returns the names in a conflict: objects with two owners, and packages involved. */
function conflictsIn(facts: readonly NamedFact[]): Set<string> {
  const names = facts.flatMap((fact): readonly string[] => {
    switch (fact.fact) {
      case 'owns':
        return fact.objects.map((key) => key.slice(key.indexOf(':') + 1));
      case 'root':
      case 'requires':
        return [fact.on];
      case 'provides':
        return [fact.api];
      case 'crossplane':
        return 'repository' in fact.by ? [fact.by.repository] : [];
      case 'kind':
        return [fact.on.repository];
      case 'missing':
      case 'rejected':
      case 'excluded':
      case 'ruled-out':
        return [fact.of.repository];
      case 'cycle':
        return fact.members.map(({ repository }) => repository);
      case 'no-others':
        return [];
    }
  });
  return new Set(names);
}

function answerText(answer: Answer): string {
  switch (answer.status) {
    case 'solved': {
      const packages = answer.lockfile.packages.map((p) => `  ${p.repository} ${p.version}`);
      return [`it resolves on Crossplane ${answer.target.version} to`, ...packages].join('\n');
    }
    case 'unsolvable': {
      const ways = answer.suggestions.map(({ text }) => `  - ${text}`);
      return [
        `there is no set of versions on Crossplane ${answer.target.version}`,
        '',
        answer.explanation,
        ...(ways.length === 0 ? [] : ['', 'each of these alone makes it solvable', ...ways]),
      ].join('\n');
    }
    case 'gave-up':
      return `the search was given up after ${answer.stats.conflicts} conflicts`;
  }
}
