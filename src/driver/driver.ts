import { judge } from '../admission/judge.js';
import type { Candidate, Repository } from '../model/package.js';
import type { PackageMeta, Rejection } from '../model/package-meta.js';
import type { FetchedPackage, PackageSource } from '../model/package-source.js';
import type { Target } from '../model/target/target.js';
import type { Reply, Upcoming, Question, Solving } from '../solver/question.js';

/** How much was asked of the source. */
export interface ReadCounts {
  /** Tag lists. */
  readonly listed: number;
  /** Package versions read. */
  readonly fetched: number;
}

/** What is taken for a version that has not been read: it asks for nothing and owns nothing. */
const UNREAD: PackageMeta = {
  kind: 'Provider',
  name: '',
  labels: {},
  crossplane: undefined,
  requirements: [],
  owns: [],
  findings: [],
};

/**
 * Answers a solver's questions from a source, each question once, however many searches ask it.
 *
 * What was fetched is kept as it came, so that another release can judge it anew.
 */
export class Driver {
  private readonly source: PackageSource;
  private readonly compat: boolean;
  private readonly goOn: () => boolean;
  private readonly tagLists = new Map<Repository, Promise<readonly string[] | undefined>>();
  private readonly packages = new Map<string, Promise<FetchedPackage | undefined>>();
  private readonly judged = new Map<string, PackageMeta | Rejection>();
  /** Asked before anybody had to know: known to nobody until somebody asks. */
  private readonly earlyLists = new Map<Repository, Promise<readonly string[] | undefined>>();
  private readonly earlyPackages = new Map<string, Promise<FetchedPackage | undefined>>();
  private found = 0;

  constructor(source: PackageSource, options: { compat: boolean; goOn: () => boolean }) {
    this.source = source;
    this.compat = options.compat;
    this.goOn = options.goOn;
  }

  get counts(): ReadCounts {
    // What was asked in vain counts, whether it has come or not.
    return {
      listed: this.tagLists.size + this.earlyLists.size,
      fetched: this.found + this.earlyPackages.size,
    };
  }

  /** Runs a search to its end. The only loop in the project that awaits a source. */
  async drive<T>(solving: Solving<T>, target: Target): Promise<T> {
    let step = solving.next();
    while (step.done !== true) {
      if (step.value.ask === 'expect') this.askAhead(step.value.next, target);
      step = solving.next(await this.answer(step.value, target));
    }
    return step.value;
  }

  /** The same, reading no version that has not been read: such a one stands in nobody's way. */
  async driveFromMemory<T>(solving: Solving<T>, target: Target): Promise<T> {
    let step = solving.next();
    while (step.done !== true) {
      const question = step.value;
      const unread = question.ask === 'meta' && !this.packages.has(key(question.candidate));
      step = solving.next(unread ? UNREAD : await this.answer(question, target));
    }
    return step.value;
  }

  /** The same, but gives up once it would read more than so many versions; undefined: it did. */
  async driveBriefly<T>(
    solving: Solving<T>,
    target: Target,
    mostRead: number,
  ): Promise<T | undefined> {
    const limit = this.packages.size + mostRead;
    let step = solving.next();
    while (step.done !== true) {
      if (this.packages.size >= limit && step.value.ask === 'meta') return undefined;
      step = solving.next(await this.answer(step.value, target));
    }
    return step.value;
  }

  /** One version as the source has it; asked for at most once. */
  async fetch(candidate: Candidate, target: Target): Promise<FetchedPackage | undefined> {
    const asked = key(candidate);
    let fetched = this.packages.get(asked);
    if (fetched === undefined) {
      fetched = this.earlyPackages.get(asked) ?? this.source.fetch(candidate, target);
      this.earlyPackages.delete(asked);
      this.packages.set(asked, fetched);
      if ((await fetched) !== undefined) this.found++;
    }
    return fetched;
  }

  /** The tags, if they have been asked for. */
  async listedTags(repository: Repository): Promise<readonly string[] | undefined> {
    return this.tagLists.get(repository);
  }

  /** What a version is, if it has been read. */
  async metaIfRead(
    candidate: Candidate,
    target: Target,
  ): Promise<PackageMeta | Rejection | undefined> {
    return this.packages.has(key(candidate)) ? this.meta(candidate, target) : undefined;
  }

  /** Puts the questions to come to a source that takes its time; what they fail of shows then. */
  private askAhead(next: () => Upcoming, target: Target): void {
    if (this.source.distant !== true) return;
    const { lists = [], packages = [] } = next();
    for (const repository of lists) {
      if (this.tagLists.has(repository) || this.earlyLists.has(repository)) continue;
      this.earlyLists.set(repository, heeded(this.source.tags(repository, target)));
    }
    for (const candidate of packages) {
      const asked = key(candidate);
      if (this.packages.has(asked) || this.earlyPackages.has(asked)) continue;
      this.earlyPackages.set(asked, heeded(this.source.fetch(candidate, target)));
    }
  }

  private async answer(question: Question, target: Target): Promise<Reply> {
    switch (question.ask) {
      case 'expect':
        return undefined;
      case 'versions':
        return this.tags(question.repository, target);
      case 'meta':
        return this.meta(question.candidate, target);
      case 'owners':
        return (await this.source.owners?.(question.demand, target)) ?? [];
      case 'go-on':
        return this.goOn();
    }
  }

  private async meta(
    candidate: Candidate,
    target: Target,
  ): Promise<PackageMeta | Rejection | undefined> {
    const fetched = await this.fetch(candidate, target);
    if (fetched === undefined) return undefined;
    const judgedFor = `${target.version}\n${key(candidate)}`;
    let meta = this.judged.get(judgedFor);
    if (meta === undefined) {
      meta = judge(fetched.contents, target, { compat: this.compat });
      this.judged.set(judgedFor, meta);
    }
    return meta;
  }

  private tags(repository: Repository, target: Target): Promise<readonly string[] | undefined> {
    let tags = this.tagLists.get(repository);
    if (tags === undefined) {
      tags = this.earlyLists.get(repository) ?? this.source.tags(repository, target);
      this.earlyLists.delete(repository);
      this.tagLists.set(repository, tags);
    }
    return tags;
  }
}

/** A failure that nobody has asked about yet is not one that nobody cares for. */
function heeded<T>(asked: Promise<T>): Promise<T> {
  asked.catch(() => {});
  return asked;
}

function key({ repository, version }: Candidate): string {
  return `${repository}\n${version}`;
}
