import type { ApiSubject, Subjects } from './encoder-context.js';
import { ABSENT, FIRST, type Variable } from './incompatibility.js';
import type { Problem } from './problem.js';
import type { Search } from './search.js';

/**
 * The order of decisions: first the roots, then the requirements of each decided package, in the
 * order in which they are written.
 *
 * This order makes the result unique. Undoing a decision also removes what it appended.
 */
export class DecisionQueue {
  readonly #order: Variable[] = [];
  /** Decided and waiting variables. */
  readonly #members = new Set<Variable>();
  /** Values of decided variables. */
  readonly #values = new Map<Variable, number>();
  /** Length of the queue before each decision. */
  readonly #lengths: number[] = [];

  append(variables: readonly Variable[]): void {
    for (const variable of variables) {
      if (this.#members.has(variable)) continue;
      this.#members.add(variable);
      this.#order.push(variable);
    }
  }

  /** Returns the first undecided variable; undefined: all are decided. */
  next(): Variable | undefined {
    return this.#order[this.#lengths.length];
  }

  waiting(): readonly Variable[] {
    return this.#order.slice(this.#lengths.length);
  }

  /** Decides the first waiting variable and appends the variables that its value requires. */
  decide(value: number, required: readonly Variable[]): void {
    this.#values.set(this.next()!, value);
    this.#lengths.push(this.#order.length);
    this.append(required);
  }

  /** Restores the state after `level` decisions. */
  rewind(level: number): void {
    for (const variable of this.#order.slice(level, this.#lengths.length)) {
      this.#values.delete(variable);
    }
    const [length] = this.#lengths.splice(level);
    if (length === undefined) return;
    for (const variable of this.#order.splice(length)) this.#members.delete(variable);
  }

  decided(): readonly Variable[] {
    return this.#order.slice(0, this.#lengths.length);
  }

  value(variable: Variable): number | undefined {
    return this.#values.get(variable);
  }
}

export interface DecisionState {
  readonly problem: Problem;
  readonly search: Search;
  readonly subjects: Subjects;
  readonly queue: DecisionQueue;
}

/** Returns the most preferred allowed value; undefined: only undiscovered versions are left. */
export function preferredValue(variable: Variable, state: DecisionState): number | undefined {
  const allowed = state.search.allowed(variable);
  // The requirement that put the variable in the queue forbids absence, unless it was removed.
  if (allowed.has(ABSENT)) return ABSENT;
  return preference(variable, state).find((value) => allowed.has(value));
}

function preference(variable: Variable, state: DecisionState): readonly number[] {
  const subject = state.subjects.subject(variable);
  if (subject.about === 'package') return subject.versions.preference();
  if (subject.about === 'crossplane') return state.problem.releases.map((_, i) => FIRST + i);
  return subject.about === 'api' ? ownerPreference(subject, state) : [FIRST];
}

/** Decided packages first, then locked packages, then by name. */
function ownerPreference({ owners }: ApiSubject, { queue, problem }: DecisionState): number[] {
  const rank = (value: number) => {
    const { variable, repository } = owners[value - FIRST]!;
    if (queue.value(variable) !== undefined) return 0;
    return problem.locked.has(repository) ? 1 : 2;
  };
  return owners.map((_, i) => FIRST + i).sort((a, b) => rank(a) - rank(b));
}
