import type { Candidate } from '../../../src/crossplane/packages/package.js';
import type { Ruling, Problem } from '../../../src/resolver/solver/problem.js';
import type { Effort, Proof, SearchResult } from '../../../src/resolver/solver/search-result.js';
import type { Term } from '../../../src/resolver/solver/incompatibility.js';
import type {
  Question,
  Reply,
  Solving,
  UpcomingRequests,
} from '../../../src/resolver/solver/question.js';
import { initialState, runSearch } from '../../../src/resolver/solver/solve.js';
import { problemOf, type Asked } from './problem.js';
import { RecordedSearch, type Step } from './recorded-search.js';
import { StoryText } from './story-text.js';
import { metaOf, ownersOf, tagsOf, type Universe } from './universe.js';

export interface StoryOptions extends Asked {
  /** Keys of the removable facts to use. */
  readonly only?: ReadonlySet<string>;
  /** The policy violations of versions, by package and version. */
  readonly rulings?: Readonly<Record<string, Ruling>>;
  /** Whether a long search may continue. */
  readonly goOn?: boolean;
  /** Whether prefetches are ignored, as by a source that answers at once. */
  readonly ignoresPrefetches?: boolean;
}

/** Solves a small problem and records the search. */
export function story(
  universe: Universe,
  roots: readonly string[],
  options: StoryOptions = {},
): Story {
  return new Story(universe, roots, options);
}

/**
 * A search as text, to be compared with the expected steps.
 *
 * Parts about the Crossplane release are omitted unless the story names releases, although the
 * release is the first decision.
 */
class Story {
  readonly problem: Problem;
  /** The requests in order: `tags of a`, `a 1.0.0`, `owners of things`. */
  readonly asked: string[] = [];
  /** The prefetched requests, by announcement. */
  readonly announced: string[][] = [];
  readonly #result: SearchResult;
  readonly #search = new RecordedSearch();
  readonly #text: StoryText;
  readonly #isTold: (terms: readonly Term[]) => boolean;

  constructor(universe: Universe, roots: readonly string[], options: StoryOptions) {
    const {
      only,
      goOn = true,
      ignoresPrefetches: ignoresAnnouncements = false,
      rulings = {},
      ...asked
    } = options;
    this.problem = problemOf(roots, asked);
    const state = initialState(this.problem, only, this.#search);
    this.#result = answered(runSearch(state), (question) => {
      this.asked.push(...questionText(question));
      if (question.ask === 'prefetch' && ignoresAnnouncements) return false;
      if (question.ask === 'prefetch') this.#note(question.next());
      if (question.ask === 'ruling') return rulings[candidateText(question)];
      return question.ask === 'go-on' ? goOn : replyTo(question, universe);
    });
    this.#text = new StoryText(this.problem, state.subjects);
    this.#isTold = (terms) =>
      options.releases !== undefined ||
      terms.length === 0 ||
      terms.some(({ variable }) => variable !== state.subjects.crossplane);
  }

  get status(): SearchResult['status'] {
    return this.#result.status;
  }

  get effort(): Effort {
    return this.#result.effort;
  }

  /** The selected versions in order of decision: `a 1.0.0`. */
  get selected(): string[] {
    const selected = this.#result.status === 'solved' ? this.#result.selected : [];
    return selected.map(({ repository, version }) => `${repository} ${version}`);
  }

  /** undefined: the problem is solvable, or the search stopped. */
  get proof(): Proof | undefined {
    return this.#result.status === 'unsolvable' ? this.#result : undefined;
  }

  /** The incompatibilities of the facts that were added, in order. */
  get told(): string[] {
    const facts = this.#search.told.filter(({ terms }) => this.#isTold(terms));
    return facts.map((fact) => this.#text.incompatibility(fact));
  }

  /** The added incompatibilities that a wider one has replaced. */
  get replaced(): string[] {
    const replaced = this.#search.told.filter(({ superseded }) => superseded === true);
    return replaced.map((fact) => this.#text.incompatibility(fact));
  }

  /** Decisions, derivations, conflicts and learned clauses, in order. */
  get steps(): string[] {
    const steps = this.#search.steps.filter(
      (step) => !('term' in step) || this.#isTold([step.term]),
    );
    return steps.flatMap((step) => stepText(step, this.#text));
  }

  /** Decisions in order, including reverted ones: `a = 1.0.0`. */
  get decided(): string[] {
    return this.#after('decide ');
  }

  get learned(): string[] {
    return this.#after('learn ');
  }

  #after(word: string): string[] {
    return this.steps.filter((step) => step.startsWith(word)).map((s) => s.slice(word.length));
  }

  #note({ lists = [], packages = [] }: UpcomingRequests): void {
    const said = [
      ...lists.map((repository) => `tags of ${repository}`),
      ...packages.map(({ repository, version }) => `${repository} ${version}`),
    ];
    if (said.length > 0) this.announced.push(said);
  }
}

/** Runs a search to its end. */
export function answered<T>(solving: Solving<T>, reply: (question: Question) => Reply): T {
  let step = solving.next();
  while (step.done !== true) step = solving.next(reply(step.value));
  return step.value;
}

/** Returns the answer of a universe. */
export function replyTo(question: Question, universe: Universe): Reply {
  switch (question.ask) {
    case 'versions':
      return tagsOf(universe, question.repository);
    case 'meta':
      return metaOf(universe, candidateText(question));
    case 'ruling':
      return undefined;
    case 'owners':
      return 'crd' in question.crdRef ? ownersOf(universe, question.crdRef.crd) : [];
    case 'prefetch':
      return true;
    case 'go-on':
      return true;
  }
}

function questionText(question: Question): string[] {
  switch (question.ask) {
    case 'versions':
      return [`tags of ${question.repository}`];
    case 'meta':
      return [candidateText(question)];
    case 'ruling':
      return [`whether ${candidateText(question)} may be`];
    case 'owners':
      return 'crd' in question.crdRef ? [`owners of ${question.crdRef.crd}`] : [];
    case 'prefetch':
      return [];
    case 'go-on':
      return ['whether to go on'];
  }
}

function candidateText({
  candidate,
}: Extract<Question, { readonly candidate: Candidate }>): string {
  return `${candidate.repository} ${candidate.version}`;
}

function stepText(step: Step, text: StoryText): string[] {
  switch (step.did) {
    case 'decide':
      return [`decide ${text.term(step.term)}`];
    case 'conclude':
      return [`so ${text.term(step.term)}, by ${text.incompatibility(step.because)}`];
    case 'meet':
      return [`conflict ${text.incompatibility(step.conflict)}`];
    case 'learn':
      return [`learn ${text.incompatibility(step.learned)}`];
    case 'jump':
      return step.from === step.to ? [] : [`back from level ${step.from} to ${step.to}`];
  }
}
