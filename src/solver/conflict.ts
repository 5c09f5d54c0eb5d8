import type { Incompatibility, Term, Variable } from './incompatibility.js';
import type { Search } from './search.js';
import type { VersionSet } from './version-set.js';

/** What a conflict teaches, and the level at which it says something new. */
interface Lesson {
  readonly learned: Incompatibility;
  readonly backTo: number;
}

/**
 * Turns a conflict into the incompatibility that would have prevented it.
 *
 * All terms of `conflict` hold. Look at the assignment that made the last of them hold. If the
 * others held before its level began, this is the lesson: back at that level all terms but one
 * hold, so the last is forbidden there. If not, the assignment was itself a conclusion from some
 * cause, which is
 *
 *     {x in U, …others}            hence x lost U
 *
 * and the conflict is {x in T, …rest}. Before the assignment x was within T or U. So whenever
 * `others` and `rest` hold and x is within T or U, one of the two is violated:
 *
 *     {x in T or U, …others, …rest}
 *
 * is incompatible too, and held earlier. (If T or U is everything, the term says nothing and
 * goes.) Repeat; with no term left, nothing can be satisfied at all.
 */
export function resolveConflict(conflict: Incompatibility, search: Search): Lesson {
  const terms = new Map(conflict.terms.map((term) => [term.variable, term.values]));
  const parents = [conflict];
  for (;;) {
    const { last, backTo } = latest(terms, search);
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

/** The assignment that completed the conflict, and the level at which all other terms held. */
function latest(
  terms: ReadonlyMap<Variable, VersionSet>,
  search: Search,
): { last: number | undefined; backTo: number } {
  let last: number | undefined;
  let before: number | undefined;
  for (const [variable, values] of terms) {
    const since = search.heldSince({ variable, values });
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
