import type { Candidate } from '../../../src/model/package.js';
import type { Ruling } from '../../../src/model/policy/ruling.js';
import type { Effort, Proof, SearchResult } from '../../../src/solver/search-result.js';
import type { Term } from '../../../src/solver/incompatibility.js';
import type { Problem } from '../../../src/solver/problem.js';
import type { Question, Reply, Solving, Upcoming } from '../../../src/solver/question.js';
import { startOf } from '../../../src/solver/solver-state.js';
import { searchFrom } from '../../../src/solver/solve.js';
import { problemOf, type Asked } from './problem.js';
import { RecordedSearch, type Step } from './recorded-search.js';
import { StoryText } from './story-text.js';
import { metaOf, ownersOf, tagsOf, type Universe } from './universe.js';

export interface StoryOptions extends Asked {
  /** Keys of the debatable facts to admit. */
  readonly only?: ReadonlySet<string>;
  /** What a look at versions tells, by package and version. */
  readonly rulings?: Readonly<Record<string, Ruling>>;
  /** Whether a long search is to go on. */
  readonly goOn?: boolean;
  /** What is announced is not looked at, as by a source that answers at once. */
  readonly ignoresAnnouncements?: boolean;
}

/** Solves a small problem, and tells how. */
export function story(
  universe: Universe,
  roots: readonly string[],
  options: StoryOptions = {},
): Story {
  return new Story(universe, roots, options);
}

/**
 * One search as text, to be compared with what a reader would expect of it.
 *
 * What concerns the Crossplane release alone is left out, unless the story names releases; it is
 * the first decision all the same.
 */
class Story {
  readonly problem: Problem;
  /** What was asked, in order: `tags of a`, `a 1.0.0`, `owners of things`. */
  readonly asked: string[] = [];
  /** What was said to be asked next, each time something was. */
  readonly announced: string[][] = [];
  readonly #result: SearchResult;
  readonly #search = new RecordedSearch();
  readonly #text: StoryText;
  readonly #isTold: (terms: readonly Term[]) => boolean;

  constructor(universe: Universe, roots: readonly string[], options: StoryOptions) {
    const { only, goOn = true, ignoresAnnouncements = false, rulings = {}, ...asked } = options;
    this.problem = problemOf(roots, asked);
    const state = startOf(this.problem, only, this.#search);
    this.#result = answered(searchFrom(state), (question) => {
      this.asked.push(...questionText(question));
      if (question.ask === 'expect' && ignoresAnnouncements) return false;
      if (question.ask === 'expect') this.#note(question.next());
      if (question.ask === 'ruling') return rulings[candidateText(question)];
      return question.ask === 'go-on' ? goOn : replyTo(question, universe);
    });
    this.#text = new StoryText(this.problem, state.encoder);
    this.#isTold = (terms) =>
      options.releases !== undefined ||
      terms.length === 0 ||
      terms.some(({ variable }) => variable !== state.encoder.crossplane);
  }

  get status(): SearchResult['status'] {
    return this.#result.status;
  }

  get effort(): Effort {
    return this.#result.effort;
  }

  /** `a 1.0.0`, in the order of decision. */
  get selected(): string[] {
    const selected = this.#result.status === 'solved' ? this.#result.selected : [];
    return selected.map(({ repository, version }) => `${repository} ${version}`);
  }

  /** undefined: there is an answer, or none was found. */
  get proof(): Proof | undefined {
    return this.#result.status === 'unsolvable' ? this.#result : undefined;
  }

  /** The incompatibilities of the facts that the search was told, in order. */
  get told(): string[] {
    const facts = this.#search.told.filter(({ terms }) => this.#isTold(terms));
    return facts.map((fact) => this.#text.incompatibility(fact));
  }

  /** Those of `told` that a wider one has replaced. */
  get replaced(): string[] {
    const replaced = this.#search.told.filter(({ superseded }) => superseded === true);
    return replaced.map((fact) => this.#text.incompatibility(fact));
  }

  /** What was decided, concluded, met and learned, in order. */
  get steps(): string[] {
    const steps = this.#search.steps.filter(
      (step) => !('term' in step) || this.#isTold([step.term]),
    );
    return steps.flatMap((step) => stepText(step, this.#text));
  }

  /** Decisions, in order, with those taken back: `a = 1.0.0`. */
  get decided(): string[] {
    return this.#after('decide ');
  }

  get learned(): string[] {
    return this.#after('learn ');
  }

  #after(word: string): string[] {
    return this.steps.filter((step) => step.startsWith(word)).map((s) => s.slice(word.length));
  }

  #note({ lists = [], packages = [] }: Upcoming): void {
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

/** What a universe says. */
export function replyTo(question: Question, universe: Universe): Reply {
  switch (question.ask) {
    case 'versions':
      return tagsOf(universe, question.repository);
    case 'meta':
      return metaOf(universe, candidateText(question));
    case 'ruling':
      return undefined;
    case 'owners':
      return 'crd' in question.demand ? ownersOf(universe, question.demand.crd) : [];
    case 'expect':
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
      return 'crd' in question.demand ? [`owners of ${question.demand.crd}`] : [];
    case 'expect':
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
