import { getOrCreate } from '../../base/collections.js';
import { candidateKey } from '../solver/question.js';
import { noStats, type ReadStats } from './read-stats.js';
import { isRejection, judge } from '../../crossplane/packages/admission.js';
import type { CrdRef } from '../../crossplane/packages/crd-ref.js';
import type { OwnedObject } from '../../crossplane/packages/owned-objects.js';
import type { PackageMeta, Rejection } from '../../crossplane/packages/package-meta.js';
import type { Candidate, Released, Repository } from '../../crossplane/packages/package.js';
import type { ReleaseRules, TargetRules } from '../../crossplane/releases/release-facts.js';
import type { Target } from '../../crossplane/releases/target.js';
import {
  type AskedPackage,
  type IndexState,
  type Owner,
  type PackageSource,
  readReleaseDates,
  type FetchedPackage,
} from '../../sources/package-source.js';
import type { CandidateRule, Ruling } from '../solver/problem.js';
import { SourceError } from '../../base/errors.js';
import { isDigest, type Digest } from '../../base/digest.js';

/** Maximum objects of all packages that a reader caches. Each takes up to 700 bytes. */
const MAX_WEIGHT = 500_000;
/** A dependency, or a package, takes as much memory as this number of objects. */
const DEPENDENCY_WEIGHT = 10;

/** undefined: there is no such repository. */
type Tags = readonly string[] | undefined;
/** undefined: there is no such version. */
type FetchedVersion = CheckedPackage | undefined;

/**
 * The way in which drivers and use cases read a source: it caches every reply during a run, counts
 * the requests and checks the digests of packages. It is a source itself, so readers can be nested.
 *
 * All searches of a run share one reader, whatever their targets. `Driver` records which replies a
 * search has used.
 */
export class SourceReader implements PackageSource {
  readonly distant: boolean;
  readonly owners?: NonNullable<PackageSource['owners']>;
  readonly repositories?: NonNullable<PackageSource['repositories']>;
  readonly states: readonly IndexState[];
  readonly stats: ReadStats;
  readonly #source: PackageSource;
  readonly #tagLists = new ReplyCache<Tags>();
  readonly #packages = new ReplyCache<FetchedVersion>();
  readonly #owners = new ReplyCache<readonly Owner[]>();
  readonly #releases = new ReplyCache<Released | undefined>();
  /** Packages that were only prefetched. All are counted, because nothing awaits them. */
  readonly #prefetchedReplies = new Set<CachedReply<FetchedVersion>>();
  /** Packages that were requested. They are counted if they exist. */
  readonly #requestedReplies = new Set<CachedReply<FetchedVersion>>();
  /** Policy violations of versions, by rule. */
  readonly #rulings = new Map<CandidateRule, ReplyCache<Ruling | undefined>>();
  /** Contents of packages, by release. */
  readonly #judgments = new Map<CheckedPackage, Map<string, PackageMeta | Rejection>>();
  /** The first list of equal lists of owned objects. Each pair of lists is compared once. */
  readonly #ownedObjects = new Map<string, readonly OwnedObject[]>();
  /** Repositories whose tag lists have been counted. */
  readonly #countedRepositories = new Set<Repository>();
  /** Lists of objects and dependencies in the packages that were read, and the total weight. */
  readonly #weighed = new WeakSet<object>();
  #weight = 0;

  constructor(source: PackageSource, stats: ReadStats = noStats()) {
    this.#source = source;
    this.stats = stats;
    this.distant = source.distant === true;
    this.states = source.states ?? [];
    if (source.repositories !== undefined) {
      this.repositories = (about) => source.repositories!(about);
    }
    if (source.owners === undefined) return;
    this.owners = async (crdRef, target) => {
      const request = async (to: ReleaseRules) => source.owners!(crdRef, to);
      return (await this.#owners.ask(JSON.stringify(crdRef), target, request)).reply;
    };
  }

  /** Returns the reader of a source; the source itself if it is a reader. */
  static of(source: PackageSource): SourceReader {
    return source instanceof SourceReader ? source : new SourceReader(source);
  }

  /** Returns a reader of the same source with another cache, for scans of many packages. */
  withOwnCache(): SourceReader {
    return new SourceReader(this.#source, this.stats);
  }

  async tags(repository: Repository, target: ReleaseRules): Promise<Tags> {
    this.#countList(repository);
    return (await this.#tagList(repository, target)).reply;
  }

  /** Returns the tags at once if the source has replied, so that a search need not await them. */
  tagsNow(repository: Repository, target: ReleaseRules): Tags | Promise<Tags> {
    this.#countList(repository);
    const known = this.#tagLists.finished(repository, target);
    return known === undefined ? this.tags(repository, target) : known.result!.value;
  }

  /** Returns the owners at once if the source has replied; none if it cannot find owners. */
  ownersNow(crdRef: CrdRef, target: ReleaseRules): readonly Owner[] | Promise<readonly Owner[]> {
    const known = this.#owners.finished(JSON.stringify(crdRef), target);
    return known === undefined ? (this.owners?.(crdRef, target) ?? []) : known.result!.value;
  }

  /** Returns the package at once if it was requested and the source has replied. */
  fetchNow(candidate: Candidate, target: ReleaseRules): FetchedVersion | Promise<FetchedVersion> {
    const known = this.#packages.finished(candidateKey(candidate), target);
    return known !== undefined && this.#requestedReplies.has(known)
      ? known.result!.value
      : this.fetch(candidate, target);
  }

  async fetch(candidate: AskedPackage, target: ReleaseRules): Promise<FetchedVersion> {
    const entry = await this.#package(candidate, target);
    const isFirst = !this.#requestedReplies.has(entry);
    this.#requestedReplies.add(entry);
    const found = await entry.reply;
    if (!isFirst) return found;
    if (this.#prefetchedReplies.delete(entry)) this.stats.fetched--;
    if (found !== undefined) this.stats.fetched++;
    return found;
  }

  /** Returns the content of a package for a release. It is computed once. */
  contentFor(
    fetched: CheckedPackage,
    { target, compat }: { readonly target: Target; readonly compat: boolean },
  ): PackageMeta | Rejection {
    const contentByRelease = getOrCreate(this.#judgments, fetched, () => new Map());
    const release = compat ? `${target.version} compat` : target.version;
    return getOrCreate(contentByRelease, release, () => {
      const judged = judge(fetched.contents, target, { compat });
      if (isRejection(judged)) return judged;
      const names = judged.owns.map(({ kind, name }) => `${kind} ${name}`).join('\n');
      return { ...judged, owns: getOrCreate(this.#ownedObjects, names, () => judged.owns) };
    });
  }

  /** Returns the publication time of a version, if the source knows it. */
  async released({ repository, version }: Candidate, target: ReleaseRules) {
    const candidate = { repository, version };
    const request = (to: ReleaseRules) => readReleaseDates(this.#source, candidate, to);
    return (await this.#releases.ask(candidateKey(candidate), target, request)).reply;
  }

  /** Returns the policy violation of a version. Each rule inspects a version once. */
  async ruling(
    rule: CandidateRule,
    { repository, version }: Candidate,
    target: ReleaseRules,
  ): Promise<Ruling | undefined> {
    const known = getOrCreate(this.#rulings, rule, () => new ReplyCache());
    const request = async (to: ReleaseRules) => {
      this.stats.latest = `${repository} ${version}`;
      return rule.judge({ repository, version }, { source: this, target: to });
    };
    return (await known.ask(candidateKey({ repository, version }), target, request)).reply;
  }

  /** Prefetches tags. A failure is reported when they are needed. */
  prefetchTags(repository: Repository, target: ReleaseRules, isCounted = true): void {
    if (isCounted) this.#countList(repository);
    void this.#tagList(repository, target);
  }

  /** Prefetches a package. Returns undefined for a failure, which is reported when it is needed. */
  async prefetchPackage(candidate: AskedPackage, target: ReleaseRules): Promise<FetchedVersion> {
    const entry = await this.#package(candidate, target);
    if (!this.#requestedReplies.has(entry) && !this.#prefetchedReplies.has(entry)) {
      this.#prefetchedReplies.add(entry);
      this.stats.fetched++;
    }
    return entry.reply.catch(() => undefined);
  }

  #countList(repository: Repository): void {
    if (this.#countedRepositories.has(repository)) return;
    this.#countedRepositories.add(repository);
    this.stats.listed++;
  }

  /** Throws `SourceError` if the packages do not fit into memory. Versions may share lists. */
  #countContents({ contents }: FetchedPackage, { repository, version }: Candidate): void {
    this.#weight += DEPENDENCY_WEIGHT;
    const add = (list: readonly unknown[], weight: number) => {
      if (this.#weighed.has(list)) return;
      this.#weighed.add(list);
      this.#weight += list.length * weight;
    };
    add(contents.objects, 1);
    for (const { dependsOn } of contents.metas) add(dependsOn, DEPENDENCY_WEIGHT);
    if (this.#weight <= MAX_WEIGHT) return;
    const what = `has, with the packages read before it, more objects and dependencies than fit into memory`;
    throw new SourceError('TOO_LARGE', `${repository} ${version}`, what, {
      hint: 'resolve fewer packages at once, or narrow their constraints',
    });
  }

  #tagList(repository: Repository, target: ReleaseRules) {
    return this.#tagLists.ask(repository, target, async (to) => {
      this.stats.latest = repository;
      return this.#source.tags(repository, to);
    });
  }

  #package(candidate: AskedPackage, target: ReleaseRules) {
    const { repository, version } = candidate;
    return this.#packages.ask(candidateKey({ repository, version }), target, async (to) => {
      this.stats.latest = `${repository} ${version}`;
      const fetched = await this.#source.fetch(candidate, to);
      if (fetched !== undefined) this.#countContents(fetched, candidate);
      return fetched && checkedPackage(fetched, candidate);
    });
  }
}

type Rule = keyof TargetRules;

/** A cached reply, and the conditions under which it serves another target. */
interface CachedReply<T> {
  readonly reply: Promise<T>;
  /** The target of the request. */
  readonly target: ReleaseRules;
  /** The rules of the target that the source has read for this reply. */
  readonly rulesRead: ReadonlySet<Rule>;
  /** false: the source may still read further rules. */
  isSettled: boolean;
  /** undefined: the source has not replied, or it failed. */
  result: { readonly value: T } | undefined;
}

/**
 * Caches the replies to one kind of question. Each question is sent once; failures are cached, too.
 *
 * A reply depends only on the rules that the source has read. It therefore serves every target with
 * the same values of these rules. The target that `request` is called with records the rules.
 */
class ReplyCache<T> {
  readonly #replies = new Map<string, CachedReply<T>[]>();

  /** Returns a finished reply that serves the target. */
  finished(question: string, target: ReleaseRules): CachedReply<T> | undefined {
    const known = this.#replies.get(question)?.find((reply) => serves(reply, target));
    return known?.result && known;
  }

  /** Returns the reply to a question. Calls `request` once no reply to that question is pending. */
  async ask(
    question: string,
    target: ReleaseRules,
    request: (target: ReleaseRules) => Promise<T>,
  ): Promise<CachedReply<T>> {
    for (;;) {
      const replies = this.#replies.get(question) ?? [];
      const known = replies.find((reply) => serves(reply, target));
      if (known !== undefined) return known;
      const pending = replies.filter(({ isSettled }) => !isSettled);
      if (pending.length === 0) break;
      await Promise.allSettled(pending.map(({ reply }) => reply));
    }
    const rulesRead = new Set<Rule>();
    let recorded: TargetRules | undefined;
    const reply = request({
      // Created on demand: most replies depend on no rule.
      get rules() {
        return (recorded ??= recordingRules(target.rules, rulesRead));
      },
    });
    const entry: CachedReply<T> = { reply, target, rulesRead, isSettled: false, result: undefined };
    // Handling the rejection here also keeps Node from reporting one that is never awaited.
    reply.then(
      (value) => Object.assign(entry, { isSettled: true, result: { value } }),
      () => (entry.isSettled = true),
    );
    getOrCreate(this.#replies, question, () => []).push(entry);
    return entry;
  }
}

/** Reports whether a reply serves another target. A pending reply may depend on any rule. */
function serves<T>({ isSettled, rulesRead, target }: CachedReply<T>, other: ReleaseRules): boolean {
  if (isSettled && rulesRead.size === 0) return true;
  const rulesBefore = target.rules;
  const now = other.rules;
  if (rulesBefore === now) return true;
  const compared = isSettled ? [...rulesRead] : ruleNames(now);
  return compared.every(
    (rule) =>
      rulesBefore[rule] === now[rule] ||
      JSON.stringify(rulesBefore[rule]) === JSON.stringify(now[rule]),
  );
}

/** Returns rules that record each access. A copy or clone of them reads all rules. */
function recordingRules(rules: TargetRules, read: Set<Rule>): TargetRules {
  const recorded = {};
  for (const rule of ruleNames(rules)) {
    const get = () => {
      read.add(rule);
      return rules[rule];
    };
    Object.defineProperty(recorded, rule, { enumerable: true, get });
  }
  return recorded as TargetRules; // it has the same properties
}

function ruleNames(rules: TargetRules): readonly Rule[] {
  return Object.keys(rules) as Rule[]; // the type names every property
}

/** A package with valid digests, which are safe to use in lockfiles, names and paths. */
export interface CheckedPackage extends FetchedPackage {
  readonly digest: Digest | undefined;
  readonly manifest: Digest | undefined;
  readonly baseLayer: Digest | undefined;
  readonly packageYaml: Digest | undefined;
}

/** Throws `SourceError` if a digest is not valid. A custom source may return any string. */
export function checkedPackage(fetched: FetchedPackage, candidate: Candidate): CheckedPackage {
  const checked = (field: 'digest' | 'manifest' | 'baseLayer' | 'packageYaml') => {
    const digest = fetched[field];
    if (digest === undefined || isDigest(digest)) return digest;
    const { repository, version } = candidate;
    const message = `its source gives \`${digest}\` as \`${field}\`, which is not a digest`;
    throw new SourceError('BAD_SOURCE', `${repository} ${version}`, message, {
      hint: 'a digest is `sha256:` and 64 lower-case hex digits',
    });
  };
  return {
    ...fetched,
    digest: checked('digest'),
    manifest: checked('manifest'),
    baseLayer: checked('baseLayer'),
    packageYaml: checked('packageYaml'),
  };
}
