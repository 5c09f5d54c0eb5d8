import type { PackageMeta, Rejection } from '../../model/package-meta.js';
import type { Selector } from '../../model/selector.js';
import { effectiveSelector } from '../effective.js';
import { ask, type Solving } from '../question.js';
import { VersionSet } from '../version-set.js';
import type { EncoderContext } from './context.js';
import { OTHER, type Term } from '../incompatibility.js';
import { PRESENT, type Policies } from './policies.js';
import type { PackageSubject } from './subject.js';

/**
 * Which versions of a package there are, and which of them cannot be installed whatever else is.
 *
 * | fact | incompatibility |
 * | --- | --- |
 * | nothing else is published | {p = other} |
 * | p 1.2.0 is named, and does not exist | {p = 1.2.0} |
 * | the target refuses p 1.2.0 | {p = 1.2.0} |
 * | the user excludes p in S | {p ∈ S} |
 */
export class PublishedVersions {
  readonly #context: EncoderContext;
  readonly #policies: Policies;

  constructor(context: EncoderContext, policies: Policies) {
    this.#context = context;
    this.#policies = policies;
  }

  /** The versions that a selector denotes. */
  *selected(subject: PackageSubject, selector: Selector): Solving<VersionSet> {
    if (!this.isFound(subject, selector)) yield* this.list(subject);
    return this.found(subject, selector);
  }

  /** Whether it can be said which versions a selector denotes; if not, they must be listed. */
  isFound(subject: PackageSubject, selector: Selector): boolean {
    if (this.#policies.refuses(subject)) return true;
    return !subject.versions.needsList(this.#effective(subject, selector));
  }

  /**
   * The versions that a selector denotes, which are found. Of a package that may not be chosen at
   * all, whichever: no list is asked for.
   */
  found(subject: PackageSubject, selector: Selector): VersionSet {
    if (this.#policies.refuses(subject)) return PRESENT;
    const values = subject.versions.selected(this.#effective(subject, selector))!;
    this.#screen(subject);
    return values;
  }

  /** Asks which versions there are, and says that there are no others. */
  *list(subject: PackageSubject): Solving<void> {
    const { repository, variable, versions } = subject;
    const tags = yield* ask({ ask: 'versions', repository });
    subject.exists = tags !== undefined;
    for (const value of versions.list(tags ?? [])) this.#tellMissing(subject, value);
    this.#context.statements.tell({
      terms: [{ variable, values: VersionSet.single(OTHER) }],
      cause: { fact: 'no-others', variable },
    });
    this.#screen(subject);
  }

  /** What a version says; undefined: it cannot be used, and the search has been told why. */
  *read(subject: PackageSubject, value: number): Solving<PackageMeta | undefined> {
    const { repository, variable, versions } = subject;
    for (;;) {
      const version = versions.label(value);
      if (!(yield* this.#policies.admits(subject, value))) return undefined;
      const meta = yield* ask({ ask: 'meta', candidate: { repository, version } });
      if (meta !== undefined)
        return this.#usable(meta, { variable, values: VersionSet.single(value) });
      // A tag that does not exist may exist in another spelling, which the list shows.
      if (!versions.listed) yield* this.list(subject);
      if (versions.label(value) === version) break;
    }
    this.#tellMissing(subject, value);
    return undefined;
  }

  #usable(meta: PackageMeta | Rejection, of: Term): PackageMeta | undefined {
    if (!('rejected' in meta)) return meta;
    const cause = { fact: 'rejected', of, findings: meta.findings } as const;
    this.#context.statements.tell({ terms: [of], cause });
    return undefined;
  }

  /** An override for the package beats every selector. */
  #effective({ repository }: PackageSubject, asked: Selector): Selector {
    return effectiveSelector(this.#context.problem, repository, asked);
  }

  #tellMissing({ variable }: PackageSubject, value: number): void {
    const of = { variable, values: VersionSet.single(value) };
    this.#context.statements.tell({ terms: [of], cause: { fact: 'missing', of } });
  }

  #screen(subject: PackageSubject): void {
    this.#exclude(subject);
    this.#policies.screen(subject);
  }

  /** Applies exclusions to the values discovered since the last time. */
  #exclude(subject: PackageSubject): void {
    const rules = this.#context.problem.exclude.get(subject.repository);
    if (rules === undefined) return;
    const fresh = subject.versions.all().slice(subject.screened);
    subject.screened += fresh.length;
    for (const rule of rules) {
      const values = VersionSet.of(fresh.filter((v) => subject.versions.matches(v, rule.selector)));
      if (values.isEmpty) continue;
      const of = { variable: subject.variable, values };
      this.#context.statements.tell({ terms: [of], cause: { fact: 'excluded', of, rule } });
    }
  }
}
