import type { Candidate, Repository } from '../model/package.js';
import type { PackageMeta, Rejection } from '../model/package-meta.js';
import type { Owner } from '../model/package-source.js';
import type { CrdDemand } from '../model/crd-demand.js';
import type { Ruling } from '../model/policy/ruling.js';

/** What the solver must learn to go on. */
export type Question =
  | { readonly ask: 'versions'; readonly repository: Repository }
  | { readonly ask: 'meta'; readonly candidate: Candidate }
  /** Whether a rule of the user's forbids the version; asked before it is read. */
  | {
      readonly ask: 'ruling';
      readonly candidate: Candidate;
      /** Rulings that do not count; undefined: all do. */
      readonly waives?: ((ruling: Ruling) => boolean) | undefined;
    }
  | { readonly ask: 'owners'; readonly demand: CrdDemand }
  /** What will probably be asked next, for sources that answer many at once; `false`: not for this one. */
  | { readonly ask: 'expect'; readonly next: () => Upcoming }
  /** Asked now and then in a long search; `false` ends it. */
  | { readonly ask: 'go-on' };

/** In the order in which it will be asked for. */
export interface Upcoming {
  readonly lists?: readonly Repository[];
  readonly packages?: readonly Candidate[];
  /** The tag lists that one of the packages will take, as soon as it is there. */
  readonly listsFor?: (meta: PackageMeta) => readonly Repository[];
}

export interface Replies {
  readonly versions: readonly string[] | undefined;
  readonly meta: PackageMeta | Rejection | undefined;
  readonly ruling: Ruling | undefined;
  readonly owners: readonly Owner[];
  readonly expect: boolean;
  readonly 'go-on': boolean;
}

export type Reply = Replies[Question['ask']];

/** Yields what it must learn, is resumed with the answer. */
export type Solving<T> = Generator<Question, T, Reply>;

/**
 * Asks one question. TypeScript cannot tie a reply to its question; drivers do, and only this cast
 * relies on it.
 */
export function* ask<Q extends Question>(question: Q): Solving<Replies[Q['ask']]> {
  return (yield question) as Replies[Q['ask']];
}
