import type { EncoderContext, PackageSubject } from './encoder-context.js';
import { ABSENT, OTHER, type Term } from './incompatibility.js';
import { effectiveSelector, mergedRuling, type Ruling, rulingKey } from './problem.js';
import { ask, type Solving } from './question.js';
import { VersionSet } from './version-set.js';
import type { Selector } from '../../crossplane/constraints/constraint.js';
import type { PackageMeta } from '../../crossplane/packages/package-meta.js';

/**
 * The versions of packages, and those that cannot be installed in any case.
 *
 * | fact | incompatibility |
 * | --- | --- |
 * | nothing else is published | {p = other} |
 * | a requirement names p 1.2.0, which does not exist | {p = 1.2.0} |
 * | Crossplane rejects p 1.2.0 | {p = 1.2.0} |
 * | the user or a policy excludes p in S | {p ∈ S} |
 * | a policy excludes p | {p ≠ absent} |
 *
 * A rule of a policy that must inspect a version, for example its age, is checked just before it is
 * read.
 */
export class PublishedVersions {
  readonly #context: EncoderContext;
  /** The violation that several versions share, by the key of the fact. */
  readonly #rulings = new Map<string, Ruling>();

  constructor(context: EncoderContext) {
    this.#context = context;
  }

  /**
   * Returns the versions that a selector matches. Lists the tags if it must. For a package that a
   * policy excludes, returns every version, because its tags are not requested.
   */
  *selected(subject: PackageSubject, selector: Selector): Solving<VersionSet> {
    if (this.areRefused(subject)) return ANY_VERSION;
    const { repository, versions } = subject;
    const effective = effectiveSelector(this.#context.problem, repository, selector);
    if (versions.needsList(effective)) yield* this.list(subject);
    const values = versions.selected(effective)!;
    this.#applyRules(subject);
    return values;
  }

  /** Requests the tags of a package and adds that it has no other versions. */
  *list(subject: PackageSubject): Solving<void> {
    const { repository, variable, versions } = subject;
    const tags = yield* ask({ ask: 'versions', repository });
    subject.exists = tags !== undefined;
    for (const value of versions.mergeTags(tags ?? [])) this.#addMissing(subject, value);
    const of = { variable, values: VersionSet.single(OTHER) };
    this.#context.facts.add({ fact: 'no-others', of });
    this.#applyRules(subject);
  }

  /** Returns the content of a version. If it is not usable, adds the reason and returns undefined. */
  *read(subject: PackageSubject, value: number): Solving<PackageMeta | undefined> {
    const { repository, variable, versions } = subject;
    for (;;) {
      const version = versions.label(value);
      if (!(yield* this.#check(subject, value))) return undefined;
      const meta = yield* ask({ ask: 'meta', candidate: { repository, version } });
      if (meta !== undefined && 'rejected' in meta) {
        const of = { variable, values: VersionSet.single(value) };
        this.#context.facts.add({ fact: 'rejected', of, findings: meta.findings });
        return undefined;
      }
      if (meta !== undefined) return meta;
      // The tag list may contain another spelling of the missing tag.
      if (!versions.isListed) yield* this.list(subject);
      if (versions.label(value) === version) break;
    }
    this.#addMissing(subject, value);
    return undefined;
  }

  #addMissing({ variable }: PackageSubject, value: number): void {
    const of = { variable, values: VersionSet.single(value) };
    this.#context.facts.add({ fact: 'missing', of });
  }

  /** Applies exclusions and policies to the values discovered since the last call. */
  #applyRules(subject: PackageSubject): void {
    const { problem, facts } = this.#context;
    const { repository, variable, versions } = subject;
    const exclusions = problem.exclude.get(repository) ?? [];
    const policies = problem.policy?.versions(repository) ?? [];
    if (exclusions.length === 0 && policies.length === 0) return;
    const added = versions.all().slice(subject.checkedUpTo);
    subject.checkedUpTo += added.length;
    for (const rule of exclusions) {
      const values = VersionSet.of(added.filter((value) => versions.matches(value, rule.selector)));
      if (!values.isEmpty) facts.add({ fact: 'excluded', of: { variable, values }, rule });
    }
    for (const { matches, ruling } of policies) {
      for (const value of added) {
        if (matches(versions.label(value))) this.#addViolation(subject, value, ruling);
      }
    }
  }

  /** Reports whether a policy excludes every version, so that no tags have to be requested. */
  areRefused(subject: PackageSubject): boolean {
    return (subject.isRefused ??= this.#addRefused(subject));
  }

  /** Inspects a version. Returns false and adds the violation if a policy excludes it. */
  *#check(subject: PackageSubject, value: number): Solving<boolean> {
    const { repository, versions } = subject;
    const { policy } = this.#context.problem;
    if (policy?.mustInspect(repository) !== true) return true;
    const version = versions.label(value);
    const waives =
      policy.waives && ((ruling: Ruling) => policy.waives!(ruling, repository, version));
    const ruling = yield* ask({ ask: 'ruling', candidate: { repository, version }, waives });
    return ruling === undefined || !this.#addViolation(subject, value, ruling);
  }

  #addRefused({ variable, repository }: PackageSubject): boolean {
    const { policy } = this.#context.problem;
    const ruling = policy?.repository(repository);
    if (ruling === undefined || policy!.waives?.(ruling, repository, undefined)) return false;
    const of = { variable, values: ANY_VERSION };
    return this.#context.facts.add({ fact: 'ruled-out', of, ruling }) !== undefined;
  }

  /** Adds a violation. Returns false if it is waived. */
  #addViolation({ variable, repository, versions }: PackageSubject, value: number, ruling: Ruling) {
    const { problem, facts } = this.#context;
    if (problem.policy!.waives?.(ruling, repository, versions.label(value))) return false;
    const key = `ruled out ${variable} ${rulingKey(ruling)}`;
    const joined = mergedRuling(this.#rulings.get(key) ?? ruling, ruling);
    this.#rulings.set(key, joined);
    const factFor = (of: Term) => ({ fact: 'ruled-out', of, ruling: joined }) as const;
    return facts.grow(key, { variable, value }, factFor) !== undefined;
  }
}

/** Every version of a package, including undiscovered ones. */
export const ANY_VERSION = VersionSet.single(ABSENT).complement();
