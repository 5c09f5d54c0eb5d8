import type { Variable } from './incompatibility.js';

/**
 * The order of decisions: roots as given, then what each decided package requires, in its order.
 *
 * This order is what makes the answer unique. Taking back decisions takes back what they appended.
 */
export class DecisionQueue {
  private readonly order: Variable[] = [];
  private readonly members = new Set<Variable>();
  /** Per level: how long the queue was, and how far it had been worked through, at its decision. */
  private readonly marks: { readonly length: number; readonly head: number }[] = [];
  private head = 0;

  append(variables: readonly Variable[]): void {
    for (const variable of variables) {
      if (this.members.has(variable)) continue;
      this.members.add(variable);
      this.order.push(variable);
    }
  }

  /** The first variable not decided yet; undefined: all are. */
  next(): Variable | undefined {
    return this.order[this.head];
  }

  /** Those not decided yet, from the head on. */
  waiting(): readonly Variable[] {
    return this.order.slice(this.head);
  }

  /** The head has been decided, one level up; these follow from the decision. */
  advance(appended: readonly Variable[]): void {
    this.marks.push({ length: this.order.length, head: this.head });
    this.head++;
    this.append(appended);
  }

  /** Back to what it was when `level` decisions had been made. */
  rewind(level: number): void {
    const mark = this.marks[level];
    if (mark === undefined) return;
    this.marks.length = level;
    this.head = mark.head;
    for (const variable of this.order.splice(mark.length)) this.members.delete(variable);
  }

  /** Everything decided, in the order of decision. */
  decided(): readonly Variable[] {
    return this.order.slice(0, this.head);
  }
}
