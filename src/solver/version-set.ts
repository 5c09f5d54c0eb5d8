/**
 * A set of the values a variable may take, as bits over their indices.
 *
 * Values are discovered as the search goes on, so a set also says what holds for every index not
 * yet thought of. A complement therefore contains versions that no list has named yet, and no set
 * has to be rebuilt when a tag list arrives. Immutable.
 */
export class VersionSet {
  static readonly none = new VersionSet([], 0);
  static readonly all = new VersionSet([], -1);

  readonly #words: readonly number[];
  /** -1 or 0: every word beyond the stored ones. */
  readonly #rest: number;

  /** Called by `of` and the operations below; other files make their sets with those. */
  constructor(words: number[], rest: number) {
    while (words.length > 0 && words[words.length - 1] === rest) words.pop();
    this.#words = words;
    this.#rest = rest;
  }

  static of(indices: Iterable<number>): VersionSet {
    const words: number[] = [];
    for (const index of indices) {
      const word = index >>> 5;
      while (words.length <= word) words.push(0);
      words[word]! |= 1 << (index & 31);
    }
    return new VersionSet(words, 0);
  }

  static single(index: number): VersionSet {
    return VersionSet.of([index]);
  }

  get isEmpty(): boolean {
    return this.#rest === 0 && this.#words.length === 0;
  }

  get isAll(): boolean {
    return this.#rest === -1 && this.#words.length === 0;
  }

  /** The one member, of a set that has one and cannot have more. */
  get only(): number | undefined {
    if (this.#rest !== 0) return undefined;
    const last = this.#words.length - 1;
    for (let i = 0; i < last; i++) if (this.#words[i] !== 0) return undefined;
    const word = this.#words[last] ?? 0;
    return word === 0 || (word & (word - 1)) !== 0 ? undefined : last * 32 + 31 - Math.clz32(word);
  }

  /** Equal sets, and only they, have equal signatures. */
  get signature(): string {
    return `${this.#words.join(',')}:${this.#rest}`;
  }

  has(index: number): boolean {
    return (this.#word(index >>> 5) & (1 << (index & 31))) !== 0;
  }

  and(other: VersionSet): VersionSet {
    const words: number[] = [];
    const span = this.#span(other);
    for (let i = 0; i < span; i++) words.push(this.#word(i) & other.#word(i));
    return new VersionSet(words, this.#rest & other.#rest);
  }

  or(other: VersionSet): VersionSet {
    const words: number[] = [];
    const span = this.#span(other);
    for (let i = 0; i < span; i++) words.push(this.#word(i) | other.#word(i));
    return new VersionSet(words, this.#rest | other.#rest);
  }

  minus(other: VersionSet): VersionSet {
    const words: number[] = [];
    const span = this.#span(other);
    for (let i = 0; i < span; i++) words.push(this.#word(i) & ~other.#word(i));
    return new VersionSet(words, this.#rest & ~other.#rest);
  }

  complement(): VersionSet {
    return VersionSet.all.minus(this);
  }

  isSubsetOf(other: VersionSet): boolean {
    if (this === other) return true;
    if ((this.#rest & ~other.#rest) !== 0) return false;
    const span = this.#span(other);
    for (let i = 0; i < span; i++) {
      if ((this.#word(i) & ~other.#word(i)) !== 0) return false;
    }
    return true;
  }

  isDisjointFrom(other: VersionSet): boolean {
    if ((this.#rest & other.#rest) !== 0) return false;
    const span = this.#span(other);
    for (let i = 0; i < span; i++) {
      if ((this.#word(i) & other.#word(i)) !== 0) return false;
    }
    return true;
  }

  equals(other: VersionSet): boolean {
    if (this.#rest !== other.#rest || this.#words.length !== other.#words.length) return false;
    for (let i = 0; i < this.#words.length; i++) {
      if (this.#words[i] !== other.#words[i]) return false;
    }
    return true;
  }

  #word(i: number): number {
    return i < this.#words.length ? this.#words[i]! : this.#rest;
  }

  #span(other: VersionSet): number {
    return this.#words.length > other.#words.length ? this.#words.length : other.#words.length;
  }
}
