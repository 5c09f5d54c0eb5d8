import type { Variable } from './incompatibility.js';

/**
 * The order of decisions: roots as given, then what each decided package requires, in its order.
 *
 * This order is what makes the answer unique. Taking back decisions takes back what they appended.
 */
export class DecisionQueue {
  readonly #order: Variable[] = [];
  /** Decided variables and those that wait. */
  readonly #members = new Set<Variable>();
  /** Of decided variables. */
  readonly #values = new Map<Variable, number>();
  /** Per decision: how long the queue was before the decision appended to it. */
  readonly #lengths: number[] = [];

  append(variables: readonly Variable[]): void {
    for (const variable of variables) {
      if (this.#members.has(variable)) continue;
      this.#members.add(variable);
      this.#order.push(variable);
    }
  }

  /** The first variable not decided yet; undefined: all are. */
  next(): Variable | undefined {
    return this.#order[this.#lengths.length];
  }

  /** The variables not decided yet, from the head on. */
  waiting(): readonly Variable[] {
    return this.#order.slice(this.#lengths.length);
  }

  /** The head takes a value, which makes further variables necessary. */
  decide(value: number, necessary: readonly Variable[]): void {
    this.#values.set(this.next()!, value);
    this.#lengths.push(this.#order.length);
    this.append(necessary);
  }

  /** Back to what it was when `level` decisions had been made. */
  rewind(level: number): void {
    for (const variable of this.#order.slice(level, this.#lengths.length)) {
      this.#values.delete(variable);
    }
    const [length] = this.#lengths.splice(level);
    if (length === undefined) return;
    for (const variable of this.#order.splice(length)) this.#members.delete(variable);
  }

  /** Everything decided, in the order of decision. */
  decided(): readonly Variable[] {
    return this.#order.slice(0, this.#lengths.length);
  }

  /** What was decided; undefined: nothing yet. */
  value(variable: Variable): number | undefined {
    return this.#values.get(variable);
  }
}
