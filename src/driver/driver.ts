import { isRejection } from '../admission/judge.js';
import { isPublishedAt, type CrdDemand } from '../model/crd-demand.js';
import type { CandidateRule, Ruling } from '../model/policy/ruling.js';
import type { Candidate, Repository } from '../model/package.js';
import type { PackageMeta, Rejection } from '../model/package-meta.js';
import type { IndexState, Owner, PackageSource } from '../model/package-source.js';
import type { Target } from '../model/target/target.js';
import type { Reply, Upcoming, Question, Solving } from '../solver/question.js';
import type { CheckedPackage } from './checked-package.js';
import type { ReadCounts } from './read-stats.js';
import { SourceMemory } from './source-memory.js';

/** What is taken for a version that has not been read: it requires nothing and owns nothing. */
const UNREAD: PackageMeta = {
  kind: 'Provider',
  name: '',
  labels: {},
  crossplane: undefined,
  requirements: [],
  owns: [],
  findings: [],
};

/** What a version is; undefined: there is no such version. */
type Judged = PackageMeta | Rejection | undefined;

interface DriverOptions {
  /** Also read what old design documents describe and Crossplane rejects. */
  readonly compat?: boolean | undefined;
  /** Rules that take looking at each version; the first that forbids one speaks for all. */
  readonly rules?: readonly CandidateRule[] | undefined;
  /** Asked now and then during a long search; `false` makes it give up. */
  readonly goOn?: (() => boolean) | undefined;
}

/**
 * Answers the questions of searches from a source. What the source replies is kept by its
 * `SourceMemory`, and what is judged of it; a driver keeps what its searches have learned of it.
 *
 * Searches that are to know of each other share a driver, others share a memory.
 */
export class Driver {
  readonly #memory: SourceMemory;
  readonly #compat: boolean;
  readonly #goOn: () => boolean;
  /** Repositories whose tags a search was told; asking ahead tells it nothing. */
  readonly #listed = new Set<Repository>();
  /** Versions that a search was told of. */
  readonly #read = new Set<string>();
  /** Versions that rules were asked about. */
  readonly #ruled = new Set<string>();
  readonly #rules: readonly CandidateRule[];

  constructor(source: PackageSource, options: DriverOptions) {
    const { compat = false, goOn = () => true, rules = [] } = options;
    this.#memory = SourceMemory.of(source);
    this.#compat = compat;
    this.#goOn = goOn;
    this.#rules = rules;
  }

  /** What was asked of the source so far, by whichever driver. */
  get counts(): ReadCounts {
    const { listed, fetched } = this.#memory.stats;
    return { listed, fetched };
  }

  /** States of the indexes that the source answers from. */
  get states(): readonly IndexState[] {
    return this.#memory.states;
  }

  /** Runs a search to its end. The only loop in the project that awaits a source. */
  async drive<T>(solving: Solving<T>, target: Target): Promise<T> {
    let step = solving.next();
    while (step.done !== true) {
      const reply = this.#answer(step.value, target);
      step = solving.next(reply instanceof Promise ? await reply : reply);
    }
    return step.value;
  }

  /** Runs a search that reads no further version: one not read yet is taken to fit everything. */
  async driveFromMemory<T>(solving: Solving<T>, target: Target): Promise<T> {
    let step = solving.next();
    while (step.done !== true) {
      const reply = this.#answerFromMemory(step.value, target);
      step = solving.next(reply instanceof Promise ? await reply : reply);
    }
    return step.value;
  }

  /** Runs a search that may read so many further versions; undefined: it would need more. */
  async driveBriefly<T>(
    solving: Solving<T>,
    target: Target,
    maxRead: number,
  ): Promise<T | undefined> {
    const limit = this.#seen + maxRead;
    let step = solving.next();
    while (step.done !== true) {
      if (this.#seen >= limit && isAboutVersion(step.value)) return undefined;
      const reply = this.#answer(step.value, target);
      step = solving.next(reply instanceof Promise ? await reply : reply);
    }
    return step.value;
  }

  /** One version as the source has it. */
  fetch(candidate: Candidate, target: Target): Promise<CheckedPackage | undefined> {
    this.#read.add(key(candidate));
    return this.#memory.fetch(candidate, target);
  }

  /** The tags, if a search has asked for them. */
  async tagsIfListed(
    repository: Repository,
    target: Target,
  ): Promise<readonly string[] | undefined> {
    return this.#listed.has(repository) ? this.#memory.tags(repository, target) : undefined;
  }

  /** One version as the source has it, if a search has read it. */
  async fetchedIfRead(candidate: Candidate, target: Target): Promise<CheckedPackage | undefined> {
    return this.#read.has(key(candidate)) ? this.#memory.fetch(candidate, target) : undefined;
  }

  /** Why a rule forbids a version, if a search has asked. */
  async rulingIfAsked(candidate: Candidate, target: Target): Promise<Ruling | undefined> {
    return this.#ruled.has(key(candidate)) ? this.#ruling(candidate, target) : undefined;
  }

  /** Every repository that the source can list. */
  async repositories(): Promise<readonly Repository[]> {
    return (await this.#memory.repositories?.()) ?? [];
  }

  /** What a version is, if a search has read it. */
  async metaIfRead(
    candidate: Candidate,
    target: Target,
  ): Promise<PackageMeta | Rejection | undefined> {
    return this.#read.has(key(candidate)) ? this.#meta(candidate, target) : undefined;
  }

  /** Puts the questions to come to a source that takes its time; false: it does not. */
  #askAhead(next: () => Upcoming, target: Target): boolean {
    if (!this.#memory.distant) return false;
    const { lists = [], packages = [], listsFor } = next();
    for (const repository of lists) this.#memory.expectTags(repository, target);
    for (const candidate of packages) {
      const coming = this.#comingIfAdmitted(candidate, target);
      if (listsFor !== undefined) void this.#follow({ coming, listsFor }, target);
    }
    return true;
  }

  /** Asks for a package before it is needed; undefined: a rule forbids it, so it will not be. */
  async #comingIfAdmitted(
    candidate: Candidate,
    target: Target,
  ): Promise<CheckedPackage | undefined> {
    if (this.#rules.length > 0) {
      // A failure shows when the rules are asked in earnest.
      const isAdmitted = await this.#ruling(candidate, target).then(
        (ruling) => ruling === undefined,
        () => false,
      );
      if (!isAdmitted) return undefined;
    }
    return this.#memory.expectPackage(candidate, target);
  }

  /** What the first rule says that forbids a version, of those that count. */
  async #ruling(
    candidate: Candidate,
    target: Target,
    waives: (ruling: Ruling) => boolean = () => false,
  ): Promise<Ruling | undefined> {
    for (const rule of this.#rules) {
      const ruling = await this.#memory.ruling(rule, candidate, target);
      if (ruling !== undefined && !waives(ruling)) return ruling;
    }
    return undefined;
  }

  /** How many versions were looked at. */
  get #seen(): number {
    return Math.max(this.#read.size, this.#ruled.size);
  }

  #isUnread(question: Question): boolean {
    if (question.ask === 'meta') return !this.#read.has(key(question.candidate));
    return question.ask === 'ruling' && !this.#ruled.has(key(question.candidate));
  }

  /** Asks for the lists that a package will take, when it has come. */
  async #follow(
    {
      coming,
      listsFor,
    }: Pick<Required<Upcoming>, 'listsFor'> & { coming: Promise<CheckedPackage | undefined> },
    target: Target,
  ): Promise<void> {
    const fetched = await coming;
    const meta = fetched && this.#judge(fetched, target);
    if (meta === undefined || isRejection(meta)) return;
    for (const repository of listsFor(meta)) this.#memory.hintTags(repository, target);
  }

  /** A promise where the source must be awaited; what is remembered is there at once. */
  #answer(question: Question, target: Target): Reply | Promise<Reply> {
    switch (question.ask) {
      case 'expect':
        return this.#askAhead(question.next, target);
      case 'versions':
        return this.#tags(question.repository, target);
      case 'meta':
        return this.#meta(question.candidate, target);
      case 'ruling':
        this.#ruled.add(key(question.candidate));
        return this.#ruling(question.candidate, target, question.waives);
      case 'owners':
        return this.#owners(question.demand, target);
      case 'go-on':
        return this.#goOn();
    }
  }

  #answerFromMemory(question: Question, target: Target): Reply | Promise<Reply> {
    if (question.ask === 'expect') return false;
    return this.#isUnread(question) ? unreadReply(question) : this.#answer(question, target);
  }

  #tags(repository: Repository, target: Target): Reply | Promise<Reply> {
    this.#listed.add(repository);
    const known = this.#memory.tagsNow(repository, target);
    return known === undefined ? this.#memory.tags(repository, target) : known.value;
  }

  #owners(demand: CrdDemand, target: Target): Reply | Promise<Reply> {
    const published = (owners: readonly Owner[]) =>
      owners.filter(({ repository }) => isPublishedAt(repository, demand));
    const known = this.#memory.ownersNow(demand, target);
    if (known !== undefined) return published(known.value);
    return this.#memory.owners?.(demand, target).then(published) ?? [];
  }

  #meta(candidate: Candidate, target: Target): Judged | Promise<Judged> {
    this.#read.add(key(candidate));
    const judged = (fetched: CheckedPackage | undefined) => fetched && this.#judge(fetched, target);
    const known = this.#memory.fetchedNow(candidate, target);
    if (known !== undefined) return judged(known.value);
    return this.#memory.fetch(candidate, target).then(judged);
  }

  #judge(fetched: CheckedPackage, target: Target): PackageMeta | Rejection {
    return this.#memory.judged(fetched, { target, compat: this.#compat });
  }
}

/** What is taken for the answer where nothing more is to be read: that the version fits. */
function unreadReply({ ask }: Question): Reply {
  return ask === 'meta' ? UNREAD : undefined;
}

function isAboutVersion({ ask }: Question): boolean {
  return ask === 'meta' || ask === 'ruling';
}

function key({ repository, version }: Candidate): string {
  return `${repository}\n${version}`;
}
