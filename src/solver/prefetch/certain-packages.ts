import { FIRST, type Variable } from '../incompatibility.js';
import type { PackageSubject } from '../encoder/subject.js';
import type { Solving } from '../question.js';
import type { SolverState } from '../solver-state.js';
import { announcePackages } from './announce-packages.js';
import type { Prospect } from './prefetchable.js';

/**
 * Packages that every answer contains, and those of them that have one version left to take.
 *
 * Such a version will be read whatever is decided. Reading it before the first decision costs
 * nothing, and what it requires may spare the reading of others. It changes no answer: a fact
 * holds whenever the search is told of it.
 */
export class CertainPackages {
  readonly #state: SolverState;
  readonly #variables = new Set<Variable>();

  /** Roots are looked at last first: any order gives one answer, this read least (bench/README.md). */
  constructor(state: SolverState, roots: readonly Variable[]) {
    this.#state = state;
    for (const root of roots.toReversed()) this.#variables.add(root);
  }

  /** Reads one version that every answer has; false: there is none, or a decision stands. */
  *readNext(): Solving<boolean> {
    const { encoder, search } = this.#state;
    if (search.level > 0) return false;
    const first = this.#first();
    if (first === undefined) return false;
    yield* announcePackages(this.#state, first, { prospects: () => this.#like(first) });
    const { subject, value } = first;
    yield* encoder.read(subject, value);
    this.#variables.delete(subject.variable);
    if (yield* encoder.tellRequirements(subject, value)) {
      for (const child of encoder.necessary(subject.variable, value)) this.#variables.add(child);
    }
    return true;
  }

  #first(): Prospect | undefined {
    let first: Prospect | undefined;
    for (const next of this.#unread()) {
      if (first === undefined || rank(next.subject) < rank(first.subject)) first = next;
      if (rank(first.subject) === 0) break;
    }
    return first;
  }

  /** `first`, then the others of its rank: they will be read after it. */
  *#like(first: Prospect): Iterable<Prospect> {
    yield first;
    for (const next of this.#unread()) {
      if (next.subject !== first.subject && rank(next.subject) === rank(first.subject)) yield next;
    }
  }

  *#unread(): Iterable<Prospect> {
    const { encoder, search } = this.#state;
    for (const variable of this.#variables) {
      const subject = encoder.subject(variable);
      const value = search.allowed(variable).only;
      if (subject.about !== 'package' || value === undefined || value < FIRST) continue;
      if (!subject.read.has(value)) yield { subject, value, certain: true };
    }
  }
}

/**
 * Configurations before providers before functions: configurations pin versions, where providers
 * require little and functions nothing. A package of unknown kind may be a configuration.
 */
function rank({ expectedKinds }: PackageSubject): number {
  const kinds = new Set(Array.from(expectedKinds.values(), ({ kind }) => kind));
  if (kinds.size === 0 || kinds.has('Configuration')) return 0;
  return kinds.has('Provider') ? 1 : 2;
}
