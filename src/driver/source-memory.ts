import { isRejection, judge } from '../admission/judge.js';
import type { CrdDemand } from '../model/crd-demand.js';
import type { PackageMeta, Rejection } from '../model/package-meta.js';
import { releasedBy } from '../model/policy/released-by.js';
import type { CandidateRule, Ruling } from '../model/policy/ruling.js';
import type { Candidate, Repository } from '../model/package.js';
import type {
  AskedPackage,
  IndexState,
  Owner,
  PackageSource,
  Released,
} from '../model/package-source.js';
import type { Target } from '../model/target/target.js';
import { checkedPackage, type CheckedPackage } from './checked-package.js';
import { EqualLists } from './equal-lists.js';
import { noStats, type ReadStats } from './read-stats.js';
import { ReplyMemory, type GivenReply, type RememberedReply } from './reply-memory.js';

interface JudgedFor {
  readonly target: Target;
  readonly compat: boolean;
}

/**
 * A source that is asked nothing twice for the length of a run, and the count of what it is asked.
 *
 * It is the only memory of what was read: the searches of a run share it, whatever their targets.
 * Which part of it a search knows is for `Driver` to say.
 */
export class SourceMemory implements PackageSource {
  readonly distant: boolean;
  readonly owners?: NonNullable<PackageSource['owners']>;
  readonly repositories?: NonNullable<PackageSource['repositories']>;
  readonly states: readonly IndexState[];
  readonly stats: ReadStats;
  readonly #source: PackageSource;
  readonly #tagLists = new ReplyMemory<readonly string[] | undefined>();
  readonly #packages = new ReplyMemory<CheckedPackage | undefined>();
  readonly #owners = new ReplyMemory<readonly Owner[]>();
  readonly #releases = new ReplyMemory<Released | undefined>();
  /** Packages that were only asked for ahead. Each counts, for none is awaited to see if it is there. */
  readonly #ahead = new Set<RememberedReply<CheckedPackage | undefined>>();
  /** Packages that were asked for, and counted if they were there. */
  readonly #asked = new Set<RememberedReply<CheckedPackage | undefined>>();

  /** What rules say of versions, by rule. */
  readonly #rulings = new Map<CandidateRule, ReplyMemory<Ruling | undefined>>();

  /** What releases make of packages, by release; lists that are equal are one. */
  readonly #judged = new Map<CheckedPackage, Map<string, PackageMeta | Rejection>>();
  readonly #owned = new EqualLists();

  /** Repositories whose lists were counted. */
  readonly #counted = new Set<Repository>();

  constructor(source: PackageSource, stats: ReadStats = noStats()) {
    this.#source = source;
    this.stats = stats;
    this.distant = source.distant === true;
    this.states = source.states ?? [];
    if (source.repositories !== undefined) {
      this.repositories = (about) => source.repositories!(about);
    }
    if (source.owners === undefined) return;
    this.owners = async (demand, target) => {
      const put = async (to: Target) => source.owners!(demand, to);
      return (await this.#owners.ask(JSON.stringify(demand), target, put)).reply;
    };
  }

  /** The memory of a source; a source that is a memory is its own. */
  static of(source: PackageSource): SourceMemory {
    return source instanceof SourceMemory ? source : new SourceMemory(source);
  }

  async tags(repository: Repository, target: Target): Promise<readonly string[] | undefined> {
    this.#countList(repository);
    return (await this.#tagList(repository, target)).reply;
  }

  /** The tags, where they have been replied already: a search need not wait for them. */
  tagsNow(
    repository: Repository,
    target: Target,
  ): GivenReply<readonly string[] | undefined> | undefined {
    const remembered = this.#tagLists.given(repository, target);
    if (remembered !== undefined) this.#countList(repository);
    return remembered?.given;
  }

  /** The owners, where they have been replied already. */
  ownersNow(demand: CrdDemand, target: Target): GivenReply<readonly Owner[]> | undefined {
    return this.#owners.given(JSON.stringify(demand), target)?.given;
  }

  /** The package, where it has been asked for and replied already. */
  fetchedNow(
    { repository, version }: Candidate,
    target: Target,
  ): GivenReply<CheckedPackage | undefined> | undefined {
    const remembered = this.#packages.given(`${repository}\n${version}`, target);
    return remembered && this.#asked.has(remembered) ? remembered.given : undefined;
  }

  async fetch(candidate: AskedPackage, target: Target): Promise<CheckedPackage | undefined> {
    const remembered = await this.#package(candidate, target);
    const isFirst = !this.#asked.has(remembered);
    this.#asked.add(remembered);
    const found = await remembered.reply;
    if (!isFirst) return found;
    if (this.#ahead.delete(remembered)) this.stats.fetched--;
    if (found !== undefined) this.stats.fetched++;
    return found;
  }

  /** What a release makes of a package that was read, judged once. */
  judged(fetched: CheckedPackage, { target, compat }: JudgedFor): PackageMeta | Rejection {
    const release = compat ? `${target.version} compat` : target.version;
    let byRelease = this.#judged.get(fetched);
    if (byRelease === undefined) this.#judged.set(fetched, (byRelease = new Map()));
    let meta = byRelease.get(release);
    if (meta === undefined) {
      const judged = judge(fetched.contents, target, { compat });
      meta = isRejection(judged) ? judged : { ...judged, owns: this.#owned.first(judged.owns) };
      byRelease.set(release, meta);
    }
    return meta;
  }

  /** When a version came to be; of a source that cannot tell, nothing is known. */
  async released({ repository, version }: Candidate, target: Target) {
    const put = (to: Target) => releasedBy(this.#source, { repository, version }, to);
    return (await this.#releases.ask(`${repository}\n${version}`, target, put)).reply;
  }

  /** What a rule says of a version, asked once. */
  async ruling(
    rule: CandidateRule,
    { repository, version }: Candidate,
    target: Target,
  ): Promise<Ruling | undefined> {
    const known = this.#rulings.get(rule) ?? new ReplyMemory<Ruling | undefined>();
    this.#rulings.set(rule, known);
    const put = async (to: Target) => {
      this.stats.latest = `${repository} ${version}`;
      return rule.judge({ repository, version }, { source: this, target: to });
    };
    return (await known.ask(`${repository}\n${version}`, target, put)).reply;
  }

  /** Asks for tags before they are needed. A failure shows when they are. */
  expectTags(repository: Repository, target: Target): void {
    this.#countList(repository);
    void this.#tagList(repository, target);
  }

  /**
   * Asks for tags that may be needed, when something else has come. It does not count: when that
   * is differs from run to run.
   */
  hintTags(repository: Repository, target: Target): void {
    void this.#tagList(repository, target);
  }

  /** Asks for a package before it is needed. A failure shows when it is; here it is undefined. */
  async expectPackage(
    candidate: AskedPackage,
    target: Target,
  ): Promise<CheckedPackage | undefined> {
    const remembered = await this.#package(candidate, target);
    if (!this.#asked.has(remembered) && !this.#ahead.has(remembered)) {
      this.#ahead.add(remembered);
      this.stats.fetched++;
    }
    return remembered.reply.catch(() => undefined);
  }

  #countList(repository: Repository): void {
    if (this.#counted.has(repository)) return;
    this.#counted.add(repository);
    this.stats.listed++;
  }

  #tagList(repository: Repository, target: Target) {
    return this.#tagLists.ask(repository, target, async (to) => {
      this.stats.latest = repository;
      return this.#source.tags(repository, to);
    });
  }

  #package(candidate: AskedPackage, target: Target) {
    const { repository, version } = candidate;
    return this.#packages.ask(`${repository}\n${version}`, target, async (to) => {
      this.stats.latest = `${repository} ${version}`;
      const fetched = await this.#source.fetch(candidate, to);
      return fetched && checkedPackage(fetched, candidate);
    });
  }
}
