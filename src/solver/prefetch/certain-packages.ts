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

  /** Reads one version that every answer has, while no decision stands; false: there is none. */
  *readNext(): Solving<boolean> {
    const { encoder } = this.#state;
    const first = this.#first();
    if (first === undefined) return false;
    if (encoder.announcements.areHeeded) {
      yield* announcePackages(this.#state, first, { prospects: () => this.#like(first) });
    }
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
    for (const variable of this.#variables) {
      const next = this.#prospect(variable);
      if (next !== undefined) yield next;
    }
  }

  /** The version of a package that will be read; undefined: it has been, or there are others. */
  #prospect(variable: Variable): Prospect | undefined {
    const value = this.#state.search.allowed(variable).only;
    if (value === undefined || value < FIRST) return undefined;
    const subject = this.#state.encoder.subject(variable);
    if (subject.about !== 'package' || subject.read.has(value)) return undefined;
    return { subject, value, certain: true };
  }
}

/**
 * Configurations before providers before functions: configurations pin versions, where providers
 * require little and functions nothing. A package of unknown kind may be a configuration.
 */
function rank({ expectedKinds }: PackageSubject): number {
  if (expectedKinds.size === 0) return 0;
  let least = 2;
  for (const { kind } of expectedKinds.values()) {
    if (kind === 'Configuration') return 0;
    if (kind === 'Provider') least = 1;
  }
  return least;
}
