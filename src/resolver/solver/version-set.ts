/** Number of indices in one word. */
const BITS = 32;
const NO_WORDS: number[] = [];
/** Stands for a missing member. */
export const NONE = -1;

/**
 * An immutable set of values of a variable: a bit set over their indices.
 *
 * Values are discovered during the search, so a set also determines the bit of every index that is
 * not used yet. A complement therefore contains undiscovered versions, and no set is rebuilt when a
 * tag list arrives.
 *
 * Most packages have few versions, and the search spends most of its time comparing sets. The first
 * word is therefore a separate field, and small sets have no array.
 */
export class VersionSet {
  static readonly none = new VersionSet(0, NO_WORDS, 0);
  static readonly all = new VersionSet(-1, NO_WORDS, -1);
  static readonly #singles: VersionSet[] = [];

  readonly #first: number;
  /** The words after the first. */
  readonly #more: readonly number[];
  /** The value of every word after the stored ones: -1 or 0. */
  readonly #rest: number;
  #complement: VersionSet | undefined;

  /** Use `of`, `single` and the set operations instead. */
  constructor(first: number, more: readonly number[], rest: number) {
    this.#first = first;
    this.#more = more;
    this.#rest = rest;
  }

  static of(indices: Iterable<number>): VersionSet {
    let first = 0;
    const more: number[] = [];
    for (const index of indices) {
      const bit = 1 << (index & (BITS - 1));
      if (index < BITS) {
        first |= bit;
        continue;
      }
      const word = (index >>> 5) - 1;
      while (more.length <= word) more.push(0);
      more[word]! |= bit;
    }
    return new VersionSet(first, more.length === 0 ? NO_WORDS : more, 0);
  }

  static single(index: number): VersionSet {
    if (index >= BITS) return VersionSet.none.with(index);
    return (VersionSet.#singles[index] ??= new VersionSet(1 << index, NO_WORDS, 0));
  }

  get isEmpty(): boolean {
    return this.#first === 0 && this.#rest === 0 && this.#more.length === 0;
  }

  get isAll(): boolean {
    return this.#first === -1 && this.#rest === -1 && this.#more.length === 0;
  }

  /** The only member; undefined: the set has none, several, or undiscovered members. */
  get onlyMember(): number | undefined {
    if (this.#rest !== 0) return undefined;
    const last = this.#more.length;
    for (let i = 0; i < last; i++) if (this.#word(i) !== 0) return undefined;
    const word = this.#word(last);
    if (word === 0 || (word & (word - 1)) !== 0) return undefined;
    return (last + 1) * BITS - 1 - Math.clz32(word);
  }

  /** A text that is equal for equal sets only. */
  get signature(): string {
    return `${this.#first},${this.#more.join(',')}:${this.#rest}`;
  }

  has(index: number): boolean {
    const word = index < BITS ? this.#first : this.#word(index >>> 5);
    return (word & (1 << (index & (BITS - 1)))) !== 0;
  }

  with(index: number): VersionSet {
    const bit = 1 << (index & (BITS - 1));
    if (index < BITS) return new VersionSet(this.#first | bit, this.#more, this.#rest);
    const word = index >>> 5;
    const more = this.#words(Math.max(word, this.#more.length));
    more[word - 1]! |= bit;
    return new VersionSet(this.#first, trimWords(more, this.#rest), this.#rest);
  }

  and(other: VersionSet): VersionSet {
    const first = this.#first & other.#first;
    const rest = this.#rest & other.#rest;
    const more = this.#words(this.#span(other));
    for (let i = 0; i < more.length; i++) more[i]! &= other.#word(i + 1);
    return new VersionSet(first, trimWords(more, rest), rest);
  }

  or(other: VersionSet): VersionSet {
    const first = this.#first | other.#first;
    const rest = this.#rest | other.#rest;
    const more = this.#words(this.#span(other));
    for (let i = 0; i < more.length; i++) more[i]! |= other.#word(i + 1);
    return new VersionSet(first, trimWords(more, rest), rest);
  }

  minus(other: VersionSet): VersionSet {
    const first = this.#first & ~other.#first;
    const rest = this.#rest & ~other.#rest;
    const more = this.#words(this.#span(other));
    for (let i = 0; i < more.length; i++) more[i]! &= ~other.#word(i + 1);
    return new VersionSet(first, trimWords(more, rest), rest);
  }

  complement(): VersionSet {
    return (this.#complement ??= VersionSet.all.minus(this));
  }

  isSubsetOf(other: VersionSet): boolean {
    return this.anyMemberNotIn(other) === NONE;
  }

  /** Returns some member that is not in the other set, or `NONE`. */
  anyMemberNotIn(other: VersionSet): number {
    const first = this.#first & ~other.#first;
    if (first !== 0) return highestBit(first);
    const span = this.#span(other);
    for (let i = 1; i <= span; i++) {
      const word = this.#word(i) & ~other.#word(i);
      if (word !== 0) return i * BITS + highestBit(word);
    }
    // The first index after the words of both sets stands for all further ones.
    return (this.#rest & ~other.#rest) === 0 ? NONE : (span + 1) * BITS;
  }

  isDisjointFrom(other: VersionSet): boolean {
    if ((this.#first & other.#first) !== 0 || (this.#rest & other.#rest) !== 0) return false;
    const span = this.#span(other);
    for (let i = 1; i <= span; i++) if ((this.#word(i) & other.#word(i)) !== 0) return false;
    return true;
  }

  equals(other: VersionSet): boolean {
    if (this.#first !== other.#first || this.#rest !== other.#rest) return false;
    if (this.#more.length !== other.#more.length) return false;
    for (let i = 0; i < this.#more.length; i++) {
      if (this.#more[i] !== other.#more[i]) return false;
    }
    return true;
  }

  #word(i: number): number {
    if (i === 0) return this.#first;
    return i <= this.#more.length ? this.#more[i - 1]! : this.#rest;
  }

  /** Returns a mutable copy of the words after the first, padded to `count` words. */
  #words(count: number): number[] {
    if (count === 0) return NO_WORDS;
    const words = this.#more.slice();
    while (words.length < count) words.push(this.#rest);
    return words;
  }

  /** Returns the number of words after the first that must be compared. */
  #span(other: VersionSet): number {
    return this.#more.length > other.#more.length ? this.#more.length : other.#more.length;
  }
}

function highestBit(word: number): number {
  return BITS - 1 - Math.clz32(word);
}

/** Removes words at the end that equal `rest`. */
function trimWords(words: number[], rest: number): number[] {
  while (words.length > 0 && words[words.length - 1] === rest) words.pop();
  return words.length === 0 ? NO_WORDS : words;
}
