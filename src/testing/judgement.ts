import type { IndexFile } from '../model/index-file.js';
import type { PackageSource } from '../model/package-source.js';
import type { Request } from '../model/request.js';
import type { NamedFact } from '../explain/named-fact.js';
import type { Answer, Solved, Unsolvable } from '../usecases/resolve/answer.js';
import { memorySource } from '../sources/memory-source.js';
import { answerTo } from './laws/xpkg-resolver.js';
import type { ResolverOptions } from './laws/resolver.js';

/** What can be judged: an answer of `resolve`, or what there is to resolve. */
export type MatcherSubject = Answer | PromiseLike<Answer> | Situation;

/** A request, and where its packages are: a `Scenario` is one. */
export type Situation = {
  readonly request: Request;
  readonly options?: ResolverOptions | undefined;
} & (
  | { readonly universe: IndexFile; readonly source?: undefined }
  | { readonly source: PackageSource; readonly universe?: undefined }
);

/** Whether something holds of an answer; the message says why, or why not. */
export interface Judgement<A extends Answer = Answer> {
  readonly answer: Answer;
  /** The answer, if it is as expected. */
  readonly passed: A | undefined;
  readonly message: string;
}

/** The versions expected of some packages; undefined: the package is not to be there. */
export type Selection = Readonly<Record<string, string | undefined>>;

async function answerOf(subject: MatcherSubject): Promise<Answer> {
  if (!('request' in subject)) return subject;
  const { request, options = {}, universe } = subject;
  const source = subject.source ?? memorySource(subject.universe);
  return answerTo(source, request, { options, universe });
}

export async function judgeResolves(subject: MatcherSubject): Promise<Judgement<Solved>> {
  const answer = await answerOf(subject);
  const message = inWords(answer);
  return { answer, passed: answer.status === 'solved' ? answer : undefined, message };
}

export async function judgeConflictsOn(
  subject: MatcherSubject,
  name: string,
): Promise<Judgement<Unsolvable>> {
  const answer = await answerOf(subject);
  if (answer.status !== 'unsolvable')
    return {
      answer,
      passed: undefined,
      message: `expected a conflict on \`${name}\`, but ${inWords(answer)}`,
    };
  const names = conflictsIn(answer.facts);
  if (names.has(name))
    return {
      answer,
      passed: answer,
      message: `there is a conflict on \`${name}\`: ${inWords(answer)}`,
    };
  const found = [...names].map((one) => `\`${one}\``).join(', ');
  const message = `expected a conflict on \`${name}\`, and it is on ${found || 'nothing named'}: ${inWords(answer)}`;
  return { answer, passed: undefined, message };
}

export async function judgeSelects(
  subject: MatcherSubject,
  wanted: Selection,
): Promise<Judgement<Solved>> {
  const answer = await answerOf(subject);
  if (answer.status !== 'solved') return { answer, passed: undefined, message: inWords(answer) };
  const selected = new Map<string, string>(
    answer.lockfile.packages.map(({ repository, version }) => [repository, version]),
  );
  const wrong = Object.entries(wanted).flatMap(([repository, version]) => {
    const got = selected.get(repository);
    if (got === version) return [];
    return [`${repository}: expected ${version ?? 'nothing'}, selected ${got ?? 'nothing'}`];
  });
  return {
    answer,
    passed: wrong.length === 0 ? answer : undefined,
    message: [...(wrong.length === 0 ? ['as expected'] : wrong), '', inWords(answer)].join('\n'),
  };
}

/**
 * What a conflict is about: objects that two would own, and packages that are required, refused,
 * missing, or require each other.
 */
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

function inWords(answer: Answer): string {
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
