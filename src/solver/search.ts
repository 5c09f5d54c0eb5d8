import { resolveConflict } from './conflict.js';
import type { Incompatibility, Term, Variable } from './incompatibility.js';
import { NONE, VersionSet } from './version-set.js';

/** The terms to watch where there are but two. */
const BOTH = [0, 1] as const;

/** One step of the search: a variable lost values. */
interface Assignment {
  readonly variable: Variable;
  readonly before: VersionSet;
  readonly after: VersionSet;
  readonly level: number;
  /** undefined: a decision. */
  readonly cause: Incompatibility | undefined;
}

/**
 * An incompatibility, and the two of its terms that are looked at when their variable changes.
 *
 * While two terms are open, nothing follows. So it is enough to watch two open terms: when one of
 * them comes to hold, another open one is watched instead; where there is none, the last open term
 * must not hold. Taking back decisions opens terms, and needs no change to what is watched.
 */
interface Watched {
  readonly incompatibility: Incompatibility;
  first: number;
  second: number;
}

/**
 * Those who watch a term on one variable, in the order in which they came, and for each a witness
 * that its term is open: a value left to the variable that is not among those of the term. While
 * that is left, there is nothing to look at. `NONE`: it was not open when last looked at.
 */
interface Watchers {
  readonly watched: Watched[];
  readonly witnesses: number[];
}

/**
 * The partial solution and everything known to be incompatible: what may still be chosen for each
 * variable, why, and what follows.
 *
 * An incompatibility forbids all its terms at once. When all but one hold, the last must not:
 * its values are taken from that variable. When all hold, there is a conflict.
 */
export class Search {
  readonly trail: Assignment[] = [];
  level = 0;

  readonly #sets: VersionSet[] = [];
  /** Per variable: indices into the trail, oldest first. */
  readonly #histories: number[][] = [];
  readonly #watchers: Watchers[] = [];
  /** Variables that lost values and whose watchers have not been told. */
  readonly #changed: Variable[] = [];
  /** Not looked at since they were added, or since what they implied was undone. */
  readonly #fresh: Incompatibility[] = [];
  /** Facts that arrived after some decision, by level: looked at again when that is undone. */
  readonly #late: { readonly incompatibility: Incompatibility; readonly level: number }[] = [];

  addVariable(): Variable {
    this.#histories.push([]);
    this.#watchers.push({ watched: [], witnesses: [] });
    return this.#sets.push(VersionSet.all) - 1;
  }

  /** The values that a variable may still take. */
  allowed(variable: Variable): VersionSet {
    return this.#sets[variable]!;
  }

  holds(term: Term): boolean {
    return this.#sets[term.variable]!.isSubsetOf(term.values);
  }

  /** Adds a fact, which may concern decisions made long before it became known. */
  add(incompatibility: Incompatibility): void {
    this.#watch(incompatibility);
    this.#fresh.push(incompatibility);
    if (this.level > 0) this.#late.push({ incompatibility, level: this.level });
  }

  decide(variable: Variable, value: number): void {
    this.level++;
    this.#assign(variable, VersionSet.single(value), undefined);
  }

  /** Draws every conclusion; a conflict is an incompatibility all of whose terms hold. */
  propagate(): Incompatibility | undefined {
    for (;;) {
      const added = this.#fresh.pop();
      if (added !== undefined) {
        if (this.#examine(added)) return added;
        continue;
      }
      const variable = this.#changed.pop();
      if (variable === undefined) return undefined;
      const conflict = this.#tellWatchers(variable);
      if (conflict !== undefined) return conflict;
    }
  }

  /**
   * Learns from a conflict and takes back as many decisions as it disproves; the learned
   * incompatibility. One without terms means that nothing can satisfy everything.
   */
  learn(conflict: Incompatibility): Incompatibility {
    const { learned, backTo } = resolveConflict(conflict, this);
    this.backjump(backTo);
    // Unlike a fact it need not be looked at again when this level is undone: its watched terms
    // are the last to hold, so the first to open.
    if (learned !== conflict) this.#watch(learned);
    this.#fresh.push(learned);
    return learned;
  }

  /** Undoes every decision above a level, and what followed from it. */
  backjump(level: number): void {
    while (this.trail.length > 0 && this.trail.at(-1)!.level > level) {
      const { variable, before } = this.trail.pop()!;
      this.#sets[variable] = before;
      this.#histories[variable]!.pop();
    }
    this.level = level;
    this.#changed.length = 0;
    let kept = this.#late.length;
    while (kept > 0 && this.#late[kept - 1]!.level > level) kept--;
    for (const { incompatibility } of this.#late.splice(kept)) {
      if (incompatibility.superseded) continue;
      this.#fresh.push(incompatibility);
      if (level > 0) this.#late.push({ incompatibility, level });
    }
  }

  /** Index into the trail of the assignment since which a term holds; it must hold. */
  heldSince(term: Term): number {
    const history = this.#histories[term.variable]!;
    let low = 0;
    let high = history.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.trail[history[middle]!]!.after.isSubsetOf(term.values)) high = middle;
      else low = middle + 1;
    }
    return history[low]!;
  }

  #watch(incompatibility: Incompatibility): void {
    const { terms } = incompatibility;
    if (terms.length < 2) return;
    const [first, second] = terms.length === 2 ? BOTH : this.#lastToHold(terms);
    const watched = { incompatibility, first, second };
    this.#watchTerm(terms[first]!, watched);
    this.#watchTerm(terms[second]!, watched);
  }

  #watchTerm({ variable, values }: Term, by: Watched): void {
    const { watched, witnesses } = this.#watchers[variable]!;
    watched.push(by);
    witnesses.push(this.#sets[variable]!.notIn(values));
  }

  /** The two terms that ceased, or will cease, to be open last: the ones worth watching. */
  #lastToHold(terms: readonly Term[]): readonly [number, number] {
    const since = terms.map((term) => (this.holds(term) ? this.heldSince(term) : Infinity));
    let first = 0;
    for (let i = 1; i < terms.length; i++) if (since[i]! > since[first]!) first = i;
    let second = first === 0 ? 1 : 0;
    for (let i = 0; i < terms.length; i++) {
      if (i !== first && since[i]! > since[second]!) second = i;
    }
    return [first, second];
  }

  /** Looks at all terms of one incompatibility; true: a conflict. */
  #examine(incompatibility: Incompatibility): boolean {
    let open: Term | undefined;
    for (const term of incompatibility.terms) {
      if (this.holds(term)) continue;
      if (open !== undefined) return false;
      open = term;
    }
    if (open === undefined) return true;
    this.#forbid(open, incompatibility);
    return false;
  }

  #tellWatchers(variable: Variable): Incompatibility | undefined {
    const { watched, witnesses } = this.#watchers[variable]!;
    const set = this.#sets[variable]!;
    let conflict: Incompatibility | undefined;
    let kept = 0;
    for (let i = 0; i < watched.length; i++) {
      const by = watched[i]!;
      let witness = witnesses[i]!;
      if (conflict === undefined && (witness === NONE || !set.has(witness))) {
        const { incompatibility } = by;
        if (incompatibility.superseded) continue;
        const open = set.notIn(termOn(variable, by).values);
        if (open !== NONE) witness = open;
        else if (this.#movedElsewhere(by, variable)) continue;
        else if (this.#forbidOther(by, variable)) conflict = incompatibility;
      }
      if (kept < i) {
        watched[kept] = by;
        witnesses[kept] = witness;
      } else witnesses[i] = witness;
      kept++;
    }
    watched.length = kept;
    witnesses.length = kept;
    return conflict;
  }

  /** The term on `variable` holds: watches another open term instead, if there is one. */
  #movedElsewhere(by: Watched, variable: Variable): boolean {
    const { terms } = by.incompatibility;
    for (let i = 0; i < terms.length; i++) {
      if (i === by.first || i === by.second || this.holds(terms[i]!)) continue;
      if (terms[by.first]!.variable === variable) by.first = i;
      else by.second = i;
      this.#watchTerm(terms[i]!, by);
      return true;
    }
    return false;
  }

  /** All terms hold but, at most, the other one that is watched; true: it holds too, a conflict. */
  #forbidOther(by: Watched, variable: Variable): boolean {
    const { terms } = by.incompatibility;
    const other = terms[terms[by.first]!.variable === variable ? by.second : by.first]!;
    if (this.holds(other)) return true;
    this.#forbid(other, by.incompatibility);
    return false;
  }

  #forbid(term: Term, cause: Incompatibility): void {
    const before = this.#sets[term.variable]!;
    if (!before.isDisjointFrom(term.values)) {
      this.#assign(term.variable, before.minus(term.values), cause);
    }
  }

  #assign(variable: Variable, after: VersionSet, cause: Incompatibility | undefined): void {
    this.#histories[variable]!.push(this.trail.length);
    this.trail.push({ variable, before: this.#sets[variable]!, after, level: this.level, cause });
    this.#sets[variable] = after;
    this.#changed.push(variable);
  }
}

/** The term on a variable that is watched. */
function termOn(variable: Variable, { incompatibility, first, second }: Watched): Term {
  const { terms } = incompatibility;
  return terms[first]!.variable === variable ? terms[first]! : terms[second]!;
}
