import type { Incompatibility, Term, Variable } from './incompatibility.js';
import { NONE, VersionSet } from './version-set.js';

/** The terms to watch if there are only two. */
const BOTH_TERMS = [0, 1] as const;

/** A step of the search that removes values from a variable: a decision or a conclusion. */
interface Assignment {
  readonly variable: Variable;
  readonly before: VersionSet;
  readonly allowedAfter: VersionSet;
  /** The decision level at which the assignment was made. */
  readonly level: number;
  /** The incompatibility that implies the assignment; undefined: a decision. */
  readonly cause: Incompatibility | undefined;
}

/**
 * An incompatibility and its two watched terms, which are checked when their variable changes.
 *
 * While two terms are open, nothing follows. So it is enough to watch two open terms. When one of
 * them becomes true, another open term is watched instead. If there is none, the last open term must
 * not hold. Undoing decisions opens terms and needs no change of the watched ones.
 */
interface WatchedClause {
  readonly incompatibility: Incompatibility;
  first: number;
  second: number;
}

/**
 * The incompatibilities with a watched term on one variable, in the order in which they were added.
 * The witness of each proves that its term is open: an allowed value of the variable that is not in
 * the term. While the witness is allowed, nothing must be checked. `NONE`: the term was not open at
 * the last check.
 */
interface Watchers {
  readonly watched: WatchedClause[];
  readonly witnesses: number[];
}

/**
 * The partial solution and the known incompatibilities: the allowed values of each variable, their
 * causes, and the conclusions.
 *
 * The terms of an incompatibility cannot all hold. When all but one hold, the values of the last
 * one are removed from its variable. When all hold, there is a conflict.
 */
export class Search {
  /** All assignments, oldest first. */
  readonly trail: Assignment[] = [];
  /** The decision level: the number of decisions in the trail. */
  level = 0;

  readonly #sets: VersionSet[] = [];
  /** Indices into the trail by variable, oldest first. */
  readonly #histories: number[][] = [];
  readonly #watchers: Watchers[] = [];
  /** Variables that lost values and whose watchers have not been checked. */
  readonly #changedVariables: Variable[] = [];
  /** Incompatibilities to check: they were added, or their conclusions were undone. */
  readonly #pending: Incompatibility[] = [];
  /** Facts added after level 0, in the order of levels. They are checked again after a backjump. */
  readonly #laterFacts: { readonly incompatibility: Incompatibility; readonly level: number }[] =
    [];

  addVariable(): Variable {
    this.#histories.push([]);
    this.#watchers.push({ watched: [], witnesses: [] });
    return this.#sets.push(VersionSet.all) - 1;
  }

  allowed(variable: Variable): VersionSet {
    return this.#sets[variable]!;
  }

  isSatisfied(term: Term): boolean {
    return this.#sets[term.variable]!.isSubsetOf(term.values);
  }

  /** Adds a fact. It may concern decisions made before it was discovered. */
  add(incompatibility: Incompatibility): void {
    this.#watch(incompatibility);
    this.#pending.push(incompatibility);
    if (this.level > 0) this.#laterFacts.push({ incompatibility, level: this.level });
  }

  decide(variable: Variable, value: number): void {
    this.level++;
    this.#assign(variable, VersionSet.single(value), undefined);
  }

  /** Draws every conclusion (unit propagation). Returns a conflict: all of its terms hold. */
  propagate(): Incompatibility | undefined {
    for (;;) {
      const added = this.#pending.pop();
      if (added !== undefined) {
        if (this.#check(added)) return added;
        continue;
      }
      const variable = this.#changedVariables.pop();
      if (variable === undefined) return undefined;
      const conflict = this.#checkWatchers(variable);
      if (conflict !== undefined) return conflict;
    }
  }

  /** Learns a clause from a conflict and backjumps. Without terms, it proves that nothing works. */
  learn(conflict: Incompatibility): Incompatibility {
    const { learned, backTo } = resolveConflict(conflict, this);
    this.backjump(backTo);
    // Unlike a fact, it needs no check when this level is undone: its watched terms were the last
    // to hold, so they are the first to open.
    if (learned !== conflict) this.#watch(learned);
    this.#pending.push(learned);
    return learned;
  }

  /** Undoes the decisions above a decision level, and the conclusions from them. */
  backjump(level: number): void {
    while (this.trail.length > 0 && this.trail.at(-1)!.level > level) {
      const { variable, before } = this.trail.pop()!;
      this.#sets[variable] = before;
      this.#histories[variable]!.pop();
    }
    this.level = level;
    this.#changedVariables.length = 0;
    let unaffectedCount = this.#laterFacts.length;
    while (unaffectedCount > 0 && this.#laterFacts[unaffectedCount - 1]!.level > level)
      unaffectedCount--;
    for (const { incompatibility } of this.#laterFacts.splice(unaffectedCount)) {
      if (incompatibility.superseded) continue;
      this.#pending.push(incompatibility);
      if (level > 0) this.#laterFacts.push({ incompatibility, level });
    }
  }

  /** Returns the trail index of the assignment that made a term true. The term must hold. */
  satisfiedSince(term: Term): number {
    const history = this.#histories[term.variable]!;
    let low = 0;
    let high = history.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.trail[history[middle]!]!.allowedAfter.isSubsetOf(term.values)) high = middle;
      else low = middle + 1;
    }
    return history[low]!;
  }

  #watch(incompatibility: Incompatibility): void {
    const { terms } = incompatibility;
    if (terms.length < 2) return;
    const [first, second] = terms.length === 2 ? BOTH_TERMS : this.#lastToHold(terms);
    const watched = { incompatibility, first, second };
    this.#watchTerm(terms[first]!, watched);
    this.#watchTerm(terms[second]!, watched);
  }

  #watchTerm({ variable, values }: Term, by: WatchedClause): void {
    const { watched, witnesses } = this.#watchers[variable]!;
    watched.push(by);
    witnesses.push(this.#sets[variable]!.anyMemberNotIn(values));
  }

  /** Returns the two terms to watch: open terms, or the ones that became true last. */
  #lastToHold(terms: readonly Term[]): readonly [number, number] {
    const since = terms.map((term) =>
      this.isSatisfied(term) ? this.satisfiedSince(term) : Infinity,
    );
    let first = 0;
    for (let i = 1; i < terms.length; i++) if (since[i]! > since[first]!) first = i;
    let second = first === 0 ? 1 : 0;
    for (let i = 0; i < terms.length; i++) {
      if (i !== first && since[i]! > since[second]!) second = i;
    }
    return [first, second];
  }

  /** Checks all terms of one incompatibility. Returns true for a conflict. */
  #check(incompatibility: Incompatibility): boolean {
    let open: Term | undefined;
    for (const term of incompatibility.terms) {
      if (this.isSatisfied(term)) continue;
      if (open !== undefined) return false;
      open = term;
    }
    if (open === undefined) return true;
    this.#forbid(open, incompatibility);
    return false;
  }

  #checkWatchers(variable: Variable): Incompatibility | undefined {
    const { watched, witnesses } = this.#watchers[variable]!;
    const set = this.#sets[variable]!;
    let conflict: Incompatibility | undefined;
    let written = 0;
    for (let i = 0; i < watched.length; i++) {
      const by = watched[i]!;
      let witness = witnesses[i]!;
      if (conflict === undefined && (witness === NONE || !set.has(witness))) {
        const { incompatibility } = by;
        if (incompatibility.superseded) continue;
        const open = set.anyMemberNotIn(termOn(variable, by).values);
        if (open !== NONE) witness = open;
        else if (this.#watchAnother(by, variable)) continue;
        else if (this.#forbidOther(by, variable)) conflict = incompatibility;
      }
      if (written < i) {
        watched[written] = by;
        witnesses[written] = witness;
      } else witnesses[i] = witness;
      written++;
    }
    watched.length = written;
    witnesses.length = written;
    return conflict;
  }

  /** Watches another open term instead of the term on `variable`. Returns false if there is none. */
  #watchAnother(by: WatchedClause, variable: Variable): boolean {
    const { terms } = by.incompatibility;
    for (let i = 0; i < terms.length; i++) {
      if (i === by.first || i === by.second || this.isSatisfied(terms[i]!)) continue;
      if (terms[by.first]!.variable === variable) by.first = i;
      else by.second = i;
      this.#watchTerm(terms[i]!, by);
      return true;
    }
    return false;
  }

  /** Forbids the other watched term, when all other terms hold. Returns true if it holds: a conflict. */
  #forbidOther(by: WatchedClause, variable: Variable): boolean {
    const { terms } = by.incompatibility;
    const other = terms[terms[by.first]!.variable === variable ? by.second : by.first]!;
    if (this.isSatisfied(other)) return true;
    this.#forbid(other, by.incompatibility);
    return false;
  }

  #forbid(term: Term, cause: Incompatibility): void {
    const before = this.#sets[term.variable]!;
    if (!before.isDisjointFrom(term.values)) {
      this.#assign(term.variable, before.minus(term.values), cause);
    }
  }

  #assign(variable: Variable, allowedAfter: VersionSet, cause: Incompatibility | undefined): void {
    this.#histories[variable]!.push(this.trail.length);
    this.trail.push({
      variable,
      before: this.#sets[variable]!,
      allowedAfter,
      level: this.level,
      cause,
    });
    this.#sets[variable] = allowedAfter;
    this.#changedVariables.push(variable);
  }
}

function termOn(variable: Variable, { incompatibility, first, second }: WatchedClause): Term {
  const { terms } = incompatibility;
  return terms[first]!.variable === variable ? terms[first]! : terms[second]!;
}

/**
 * Conflict resolution: turns a conflict into the learned clause that would have prevented it.
 *
 * All terms of `conflict` hold. Take the assignment that made the last of them true. If all other
 * terms held before the level of this assignment, the conflict is the learned clause: after a
 * backjump to that earlier level all terms but one hold, so the last is forbidden. Otherwise the
 * assignment was a conclusion from a cause
 *
 *     {x in U, …others}            so x lost U
 *
 * and the conflict is {x in T, …rest}. Before the assignment x was within T or U. Whenever `others`
 * and `rest` hold and x is within T or U, one of the two is violated. So
 *
 *     {x in T or U, …others, …rest}
 *
 * is also incompatible, and became true earlier. (If T or U is everything, the term is dropped.)
 * Repeat. If no term is left, there is no solution. `backTo`: the level of a new conclusion.
 */
function resolveConflict(conflict: Incompatibility, search: Search) {
  const terms = new Map(conflict.terms.map((term) => [term.variable, term.values]));
  const parents = [conflict];
  for (;;) {
    const { last, backTo } = latestAssignment(terms, search);
    if (last === undefined) return { learned: asIncompatibility(terms, parents), backTo: 0 };
    const { cause, level, variable } = search.trail[last]!;
    if (cause === undefined || backTo < level) {
      return { learned: asIncompatibility(terms, parents), backTo };
    }
    for (const other of cause.terms) {
      const known = terms.get(other.variable);
      if (other.variable !== variable) {
        terms.set(other.variable, known === undefined ? other.values : known.and(other.values));
        continue;
      }
      const values = known!.or(other.values);
      if (values.isAll) terms.delete(variable);
      else terms.set(variable, values);
    }
    parents.push(cause);
  }
}

/** Returns the assignment that completed a conflict, and the level at which all other terms held. */
function latestAssignment(terms: ReadonlyMap<Variable, VersionSet>, search: Search) {
  let last: number | undefined;
  let before: number | undefined;
  for (const [variable, values] of terms) {
    const since = search.satisfiedSince({ variable, values });
    if (last === undefined || since > last) {
      before = last;
      last = since;
    } else if (before === undefined || since > before) {
      before = since;
    }
  }
  return { last, backTo: before === undefined ? 0 : search.trail[before]!.level };
}

function asIncompatibility(
  terms: ReadonlyMap<Variable, VersionSet>,
  parents: readonly Incompatibility[],
): Incompatibility {
  if (parents.length === 1) return parents[0]!;
  const list: Term[] = Array.from(terms, ([variable, values]) => ({ variable, values }));
  return { terms: list, cause: { fact: 'derived', parents } };
}
