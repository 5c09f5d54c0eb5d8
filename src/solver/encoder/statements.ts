import type { Fact } from '../fact.js';
import { factKey, isDebatable, type Names } from '../fact-key.js';
import type { Incompatibility, Term, Variable } from '../incompatibility.js';
import type { Search } from '../search.js';
import { VersionSet } from '../version-set.js';

/** An incompatibility that a fact is the cause of. */
interface Statement {
  readonly terms: readonly Term[];
  readonly cause: Fact;
}

/**
 * What the search has been told.
 *
 * A statement that several versions of a package make alike is one incompatibility, which grows as
 * they are read:
 *
 *     {p = 1.2.0, q ∉ S}   becomes   {p ∈ 1.1.0…1.2.0, q ∉ S}
 *
 * One incompatibility is looked at where there would be dozens, and what is learned from it holds
 * for all these versions at once. No version is read to make a statement grow.
 */
export class Statements {
  readonly #search: Search;
  readonly #names: Names;
  readonly #only: ReadonlySet<string> | undefined;
  readonly #growing = new Map<string, Incompatibility>();

  /** `only`: keys of the debatable facts to admit; undefined: all are. */
  constructor(search: Search, names: Names, only: ReadonlySet<string> | undefined) {
    this.#search = search;
    this.#names = names;
    this.#only = only;
  }

  /**
   * Gives the search one incompatibility, without terms that always hold: those say nothing.
   * undefined: the fact is not admitted.
   */
  tell({ terms, cause }: Statement): Incompatibility | undefined {
    if (!this.#isAdmitted(cause)) return undefined;
    const told = { terms: terms.filter(({ values }) => !values.isAll), cause };
    this.#search.add(told);
    return told;
  }

  /** Makes the statement called `key` on behalf of one more version. */
  grow(
    key: string,
    version: { readonly variable: Variable; readonly value: number },
    say: (by: Term) => Statement,
  ): Incompatibility | undefined {
    const { variable, value } = version;
    const before = this.#growing.get(key)?.terms.find((term) => term.variable === variable);
    const values = (before?.values ?? VersionSet.none).with(value);
    return this.replace(key, say({ variable, values }));
  }

  /** Puts a wider statement in the place of the narrower one called `key`. */
  replace(key: string, wider: Statement): Incompatibility | undefined {
    const narrower = this.#growing.get(key);
    const isSame = narrower?.terms.every(({ values }, i) => values.equals(wider.terms[i]!.values));
    if (isSame === true) return narrower;
    const told = this.tell(wider);
    if (told === undefined) return undefined;
    if (narrower !== undefined) narrower.superseded = true;
    this.#growing.set(key, told);
    return told;
  }

  #isAdmitted(fact: Fact): boolean {
    if (this.#only === undefined || !isDebatable(fact)) return true;
    return this.#only.has(factKey(fact, this.#names));
  }
}
