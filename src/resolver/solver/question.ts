import type { Ruling } from './problem.js';
import type { CrdRef } from '../../crossplane/packages/crd-ref.js';
import type { PackageMeta, Rejection } from '../../crossplane/packages/package-meta.js';
import type { Candidate, Repository } from '../../crossplane/packages/package.js';
import type { Owner } from '../../sources/package-source.js';

/** A request of the solver to its driver. */
export type Question =
  | { readonly ask: 'versions'; readonly repository: Repository }
  | { readonly ask: 'meta'; readonly candidate: Candidate }
  /** Whether a policy excludes a version. It is asked before the version is read. */
  | {
      readonly ask: 'ruling';
      readonly candidate: Candidate;
      /** Returns whether to ignore a policy violation; undefined: none is ignored. */
      readonly waives?: ((ruling: Ruling) => boolean) | undefined;
    }
  | { readonly ask: 'owners'; readonly crdRef: CrdRef }
  /** What the solver will probably request next. The reply `false` disables prefetching. */
  | { readonly ask: 'prefetch'; readonly next: () => UpcomingRequests }
  /** Asked from time to time in a long search. The reply `false` ends the search. */
  | { readonly ask: 'go-on' };

/** Probable requests, in their order. */
export interface UpcomingRequests {
  readonly lists?: readonly Repository[];
  readonly packages?: readonly Candidate[];
  /** Returns the tag lists that one of the packages needs once it has been read. */
  readonly listsFor?: (meta: PackageMeta) => readonly Repository[];
}

interface Replies {
  readonly versions: readonly string[] | undefined;
  readonly meta: PackageMeta | Rejection | undefined;
  readonly ruling: Ruling | undefined;
  readonly owners: readonly Owner[];
  readonly prefetch: boolean;
  readonly 'go-on': boolean;
}

export type Reply = Replies[Question['ask']];

/** A computation that yields questions and is resumed with the replies. */
export type Solving<T> = Generator<Question, T, Reply>;

/** Asks one question. Drivers must reply with the type that belongs to the question. */
export function* ask<Q extends Question>(question: Q): Solving<Replies[Q['ask']]> {
  return (yield question) as Replies[Q['ask']]; // the compiler cannot relate reply and question
}

/** Returns a text that is equal for equal candidates. */
export function candidateKey({ repository, version }: Candidate): string {
  return `${repository}\n${version}`;
}
