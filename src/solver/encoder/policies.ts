import type { Ruling } from '../../model/policy/ruling.js';
import { joinedRuling, rulingKey } from '../../model/policy/ruling.js';
import { ABSENT } from '../incompatibility.js';
import { ask, type Solving } from '../question.js';
import { VersionSet } from '../version-set.js';
import type { EncoderContext } from './context.js';
import type { PackageSubject } from './subject.js';

/** Every version of a package, those not known yet included. */
export const PRESENT = VersionSet.single(ABSENT).complement();

/**
 * What the user's policies forbid, of versions that could be chosen otherwise.
 *
 * | fact | incompatibility |
 * | --- | --- |
 * | no version of p may be chosen | {p ≠ absent} |
 * | p in S may not be chosen | {p ∈ S} |
 *
 * A rule that takes a look at a version (its age, say) is asked just before the version is read.
 */
export class Policies {
  readonly #context: EncoderContext;
  /** By statement: what is said of all its versions. */
  readonly #rulings = new Map<string, Ruling>();

  constructor(context: EncoderContext) {
    this.#context = context;
  }

  /** Whether no version may be chosen; nothing needs to be asked of such a package. */
  refuses(subject: PackageSubject): boolean {
    return (subject.refused ??= this.#tellRefused(subject));
  }

  /** Applies rules to the versions discovered since the last time. */
  screen(subject: PackageSubject): void {
    const rules = this.#context.problem.policy?.versions(subject.repository) ?? [];
    if (rules.length === 0) return;
    const fresh = subject.versions.all().slice(subject.governed);
    subject.governed += fresh.length;
    for (const { selector, ruling } of rules) {
      for (const value of fresh) {
        if (subject.versions.matches(value, selector)) this.#tell(subject, value, ruling);
      }
    }
  }

  /** Whether a version may be chosen, as far as a look at it tells; if not, the search is told. */
  *admits(subject: PackageSubject, value: number): Solving<boolean> {
    const { repository, versions } = subject;
    const { policy } = this.#context.problem;
    if (policy?.looksAt(repository) !== true) return true;
    const version = versions.label(value);
    const waives =
      policy.waives && ((ruling: Ruling) => policy.waives!(ruling, repository, version));
    const ruling = yield* ask({ ask: 'ruling', candidate: { repository, version }, waives });
    return ruling === undefined || !this.#tell(subject, value, ruling);
  }

  #tellRefused({ variable, repository }: PackageSubject): boolean {
    const { policy } = this.#context.problem;
    const ruling = policy?.repository(repository);
    if (ruling === undefined || policy!.waives?.(ruling, repository, undefined)) return false;
    const of = { variable, values: PRESENT };
    const cause = { fact: 'ruled-out', of, ruling } as const;
    return this.#context.statements.tell({ terms: [of], cause }) !== undefined;
  }

  /** false: the ruling does not count here. */
  #tell({ variable, repository, versions }: PackageSubject, value: number, ruling: Ruling) {
    const { problem, statements } = this.#context;
    if (problem.policy!.waives?.(ruling, repository, versions.label(value))) return false;
    const key = `ruled out ${variable} ${rulingKey(ruling)}`;
    const before = this.#rulings.get(key);
    const joined = before === undefined ? ruling : joinedRuling(before, ruling);
    this.#rulings.set(key, joined);
    const told = statements.grow(key, { variable, value }, (of) => ({
      terms: [of],
      cause: { fact: 'ruled-out', of, ruling: joined },
    }));
    return told !== undefined;
  }
}
