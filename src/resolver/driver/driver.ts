import { SourceError } from '../../base/errors.js';
import { OutOfTime } from '../../base/time.js';
import { isRejection } from '../../crossplane/packages/admission.js';
import { isInRegistry, type CrdRef } from '../../crossplane/packages/crd-ref.js';
import type { PackageMeta, Rejection } from '../../crossplane/packages/package-meta.js';
import type { Candidate, Repository } from '../../crossplane/packages/package.js';
import type { Target } from '../../crossplane/releases/target.js';
import type { IndexState, PackageSource } from '../../sources/package-source.js';
import type { CandidateRule, Ruling } from '../solver/problem.js';
import {
  candidateKey,
  type Question,
  type Reply,
  type Solving,
  type UpcomingRequests,
} from '../solver/question.js';
import { type CheckedPackage, SourceReader } from './source-reader.js';
import type { ReadCounts } from './read-stats.js';

/** The content assumed for a version that must not be read: it requires and owns nothing. */
const UNREAD: PackageMeta = {
  kind: 'Provider',
  name: '',
  labels: {},
  crossplane: undefined,
  requirements: [],
  owns: [],
  findings: [],
};

/** undefined: there is no such version. */
type FetchedVersion = CheckedPackage | undefined;

/** Ends a search without a result. */
const STOP = Symbol('stop');

interface DriverOptions {
  /** Accept package.yaml files of old design documents, which Crossplane rejects. */
  readonly compat?: boolean | undefined;
  /** Rules that inspect each version. The first violated rule is reported. */
  readonly rules?: readonly CandidateRule[] | undefined;
  /** Called from time to time in a long search. `false` makes the search give up. */
  readonly goOn?: (() => boolean) | undefined;
}

/**
 * Answers the questions of searches from a source.
 *
 * A `SourceReader` caches the replies of the source. A driver records which of them its searches
 * have used. Searches that share this record use one driver; other searches share only the reader.
 */
export class Driver {
  readonly #reader: SourceReader;
  readonly #compat: boolean;
  readonly #goOn: () => boolean;
  readonly #rules: readonly CandidateRule[];
  /** Repositories whose tags a search has requested. Prefetched tags do not count. */
  readonly #listed = new Set<Repository>();
  /** Versions that a search has requested, as candidate keys. */
  readonly #read = new Set<string>();
  /** CRDs whose owners a search has requested, as JSON. */
  readonly #ownersRequested = new Set<string>();
  /** Versions that rules have inspected, as candidate keys. */
  readonly #inspected = new Set<string>();

  constructor(source: PackageSource, options: DriverOptions) {
    const { compat = false, goOn = () => true, rules = [] } = options;
    this.#reader = SourceReader.of(source);
    this.#compat = compat;
    this.#goOn = goOn;
    this.#rules = rules;
  }

  /** Numbers of requests to the source so far, by any driver that shares the reader. */
  get counts(): ReadCounts {
    const { listed, fetched } = this.#reader.stats;
    return { listed, fetched };
  }

  /** States of the indexes that the source reads. */
  get indexStates(): readonly IndexState[] {
    return this.#reader.states;
  }

  /** Runs a search to its end. */
  async drive<T>(solving: Solving<T>, target: Target): Promise<T> {
    return run(solving, (question) => this.#reply(question, target));
  }

  /** Runs a search without reading further versions. Unread versions have no requirements. */
  async driveWithoutReading<T>(solving: Solving<T>, target: Target): Promise<T> {
    return run(solving, (question) => {
      if (question.ask === 'prefetch') return false;
      if (!this.#isUnread(question)) return this.#reply(question, target);
      return question.ask === 'meta' ? UNREAD : undefined;
    });
  }

  /**
   * Runs a search that may read `maxRead` versions (0: request nothing). Undefined: it needs more, a
   * source failed or time ran out: a failed trial is no failed command.
   */
  async driveWithLimit<T>(
    solving: Solving<T>,
    target: Target,
    maxRead: number,
  ): Promise<T | undefined> {
    const limit = this.#readCount + maxRead;
    try {
      const result = await run(solving, (question) => {
        if (this.#readCount >= limit && this.#isUnread(question)) return STOP;
        if (maxRead === 0 && this.#isUnlisted(question)) return STOP;
        if (maxRead === 0 && question.ask === 'prefetch') return false;
        return this.#reply(question, target);
      });
      return result === STOP ? undefined : result;
    } catch (error) {
      if (error instanceof SourceError || error instanceof OutOfTime) return undefined;
      throw error;
    }
  }

  /** Reads one version from the source. */
  fetch(candidate: Candidate, target: Target): Promise<FetchedVersion> {
    this.#read.add(candidateKey(candidate));
    return this.#reader.fetch(candidate, target);
  }

  /** Returns the tags of a repository if a search has requested them. */
  async tagsIfListed(repository: Repository, target: Target) {
    return this.#listed.has(repository) ? this.#reader.tags(repository, target) : undefined;
  }

  /** Returns one version of the source if a search has read it. */
  async packageIfRead(candidate: Candidate, target: Target): Promise<FetchedVersion> {
    const isRead = this.#read.has(candidateKey(candidate));
    return isRead ? this.#reader.fetch(candidate, target) : undefined;
  }

  /** Returns the policy violation of a version if a search has inspected it. */
  async rulingIfInspected(candidate: Candidate, target: Target): Promise<Ruling | undefined> {
    const isInspected = this.#inspected.has(candidateKey(candidate));
    return isInspected ? this.#ruling(candidate, target) : undefined;
  }

  /** Returns every repository that the source can list. */
  async repositories(): Promise<readonly Repository[]> {
    return (await this.#reader.repositories?.()) ?? [];
  }

  /** Replies at once from the cache, or returns a promise if the source must be awaited. */
  #reply(question: Question, target: Target): Reply | Promise<Reply> {
    switch (question.ask) {
      case 'prefetch':
        return this.#prefetch(question.next, target);
      case 'versions':
        this.#listed.add(question.repository);
        return this.#reader.tagsNow(question.repository, target);
      case 'meta':
        return this.#content(question.candidate, target);
      case 'ruling':
        this.#inspected.add(candidateKey(question.candidate));
        return this.#ruling(question.candidate, target, question.waives);
      case 'owners':
        return this.#owners(question.crdRef, target);
      case 'go-on':
        return this.#goOn();
    }
  }

  /** Number of versions that searches have considered. */
  get #readCount(): number {
    return Math.max(this.#read.size, this.#inspected.size);
  }

  #isUnread(question: Question): boolean {
    if (question.ask === 'meta') return !this.#read.has(candidateKey(question.candidate));
    return question.ask === 'ruling' && !this.#inspected.has(candidateKey(question.candidate));
  }

  /** Reports whether a question needs tags or owners that no search has requested. */
  #isUnlisted(question: Question): boolean {
    if (question.ask === 'versions') return !this.#listed.has(question.repository);
    return question.ask === 'owners' && !this.#ownersRequested.has(JSON.stringify(question.crdRef));
  }

  #owners(crdRef: CrdRef, target: Target): Reply | Promise<Reply> {
    this.#ownersRequested.add(JSON.stringify(crdRef));
    return mapReply(this.#reader.ownersNow(crdRef, target), (owners) =>
      owners.filter(({ repository }) => isInRegistry(repository, crdRef)),
    );
  }

  #content(candidate: Candidate, target: Target): Reply | Promise<Reply> {
    this.#read.add(candidateKey(candidate));
    return mapReply(
      this.#reader.fetchNow(candidate, target),
      (fetched) => fetched && this.#judge(fetched, target),
    );
  }

  #judge(fetched: CheckedPackage, target: Target): PackageMeta | Rejection {
    return this.#reader.contentFor(fetched, { target, compat: this.#compat });
  }

  /** Returns the first policy violation that is not waived. */
  async #ruling(
    candidate: Candidate,
    target: Target,
    waives: (ruling: Ruling) => boolean = () => false,
  ): Promise<Ruling | undefined> {
    for (const rule of this.#rules) {
      const ruling = await this.#reader.ruling(rule, candidate, target);
      if (ruling !== undefined && !waives(ruling)) return ruling;
    }
    return undefined;
  }

  /** Sends probable requests to a slow source. Returns false if the source is not slow. */
  #prefetch(next: () => UpcomingRequests, target: Target): boolean {
    if (!this.#reader.distant) return false;
    const { lists = [], packages = [], listsFor } = next();
    for (const repository of lists) this.#reader.prefetchTags(repository, target);
    for (const candidate of packages) {
      const fetched = this.#prefetchPackage(candidate, target);
      if (listsFor !== undefined) void this.#prefetchLists(fetched, listsFor, target);
    }
    return true;
  }

  /** Prefetches a package, unless a rule excludes it. */
  async #prefetchPackage(candidate: Candidate, target: Target): Promise<FetchedVersion> {
    if (this.#rules.length > 0) {
      // A failure is reported when a search inspects the version.
      const isAdmitted = await this.#ruling(candidate, target).then(
        (ruling) => ruling === undefined,
        () => false,
      );
      if (!isAdmitted) return undefined;
    }
    return this.#reader.prefetchPackage(candidate, target);
  }

  /**
   * Prefetches the tag lists that a package needs, once the package has arrived. They are not
   * counted, because the order in which packages arrive differs between runs.
   */
  async #prefetchLists(
    pending: Promise<FetchedVersion>,
    listsFor: (meta: PackageMeta) => readonly Repository[],
    target: Target,
  ): Promise<void> {
    const fetched = await pending;
    const meta = fetched && this.#judge(fetched, target);
    if (meta === undefined || isRejection(meta)) return;
    for (const repository of listsFor(meta)) this.#reader.prefetchTags(repository, target, false);
  }
}

function mapReply<T, R>(reply: T | Promise<T>, map: (value: T) => R): R | Promise<R> {
  return reply instanceof Promise ? reply.then(map) : map(reply);
}

/** Runs a search to its end, or until `reply` returns `STOP`. */
async function run<T, R extends Reply | Promise<Reply> | typeof STOP>(
  solving: Solving<T>,
  reply: (question: Question) => R,
): Promise<T | Extract<R, typeof STOP>> {
  let step = solving.next();
  while (step.done !== true) {
    const next: Reply | Promise<Reply> | typeof STOP = reply(step.value);
    if (next === STOP) return next as Extract<R, typeof STOP>;
    step = solving.next(next instanceof Promise ? await next : next);
  }
  return step.value;
}
