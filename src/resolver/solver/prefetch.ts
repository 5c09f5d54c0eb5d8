import { type DecisionState, preferredValue } from './decisions.js';
import type {
  PackageSubject,
  PackageVersion,
  RepositorySelector,
  SearchObserver,
  UpcomingReads,
} from './encoder-context.js';
import { ABSENT } from './incompatibility.js';
import { effectiveRepository, effectiveSelector, type Problem } from './problem.js';
import { ask, candidateKey, type Solving, type UpcomingRequests } from './question.js';
import type { Search } from './search.js';
import { isDigest } from '../../base/digest.js';
import type { Selector } from '../../crossplane/constraints/constraint.js';
import { exactTag } from '../../crossplane/constraints/version.js';
import type { PackageMeta } from '../../crossplane/packages/package-meta.js';
import type { Candidate, PackageKind, Repository } from '../../crossplane/packages/package.js';
import { packageName } from '../../crossplane/packages/repository-names.js';

/** Maximum number of versions of one package that are prefetched at once. */
const MAX_AT_ONCE = 8;

interface PrefetchState extends DecisionState {
  readonly effort: { readonly conflicts: number };
}

/** Predicts what a search will request next, so that a slow source is sent many requests at once. */
export class Prefetcher implements SearchObserver {
  readonly #state: PrefetchState;
  readonly #prefetchedKeys = new Set<string>();
  /** false: the source replies at once, so predictions are of no use. */
  #isEnabled = true;

  constructor(state: PrefetchState) {
    this.#state = state;
  }

  *beforeSelecting(selectors: () => readonly RepositorySelector[]): Solving<void> {
    if (this.#isEnabled) yield* this.#prefetch(() => ({ lists: this.#neededLists(selectors()) }));
  }

  *beforeReading(now: PackageVersion, upcoming: UpcomingReads): Solving<void> {
    if (this.#isEnabled) yield* this.#prefetch(() => this.#readWith(now, upcoming));
  }

  *#prefetch(next: () => UpcomingRequests): Solving<void> {
    this.#isEnabled = yield* ask({ ask: 'prefetch', next });
  }

  /** Returns the tag lists that selectors need; none if one selector can match no version. */
  #neededLists(selectors: readonly RepositorySelector[]): Repository[] {
    const { problem, search, subjects } = this.#state;
    const lists: Repository[] = [];
    for (const { repository, selector } of selectors) {
      const subject = subjects.required(repository);
      if (problem.policy?.repository(subject.repository) !== undefined) return [];
      const effective = effectiveSelector(problem, subject.repository, selector);
      if (subject.versions.needsList(effective)) lists.push(subject.repository);
      else if (isUnreachable(subject, effective, search)) return [];
    }
    return lists;
  }

  /**
   * Returns the versions that will probably be read together with the current one.
   *
   * If the current version was prefetched with others, those arrive with it. Their requirements may
   * exclude further versions, so nothing else is predicted until they have been processed.
   */
  #readWith({ subject, value }: PackageVersion, upcoming: UpcomingReads): UpcomingRequests {
    const others = this.#prefetchedKeys.has(candidateKey(candidateOf(subject, value)))
      ? []
      : upcoming.next === undefined
        ? this.#likelyReads()
        : Array.from(upcoming.next(), (next) => candidateOf(next.subject, next.value));
    for (const each of others) this.#prefetchedKeys.add(candidateKey(each));
    const more = upcoming.triesOtherVersions ? this.#otherVersions(subject) : [];
    return { packages: [...others, ...more], listsFor: (meta) => this.#listsFor(meta) };
  }

  /**
   * Returns the versions at which waiting packages will be decided, unless the requirements of a
   * package before them may exclude that version. After a conflict there is no prediction.
   *
   * The requirements of an unread package are not known, so this relies on conventions. A provider
   * of a family (`provider-aws-s3`) requires at most the provider that holds the credentials of the
   * family. A function requires nothing. Any other package may require anything. If a package
   * differs, a version may be read in vain.
   */
  #likelyReads(): Candidate[] {
    const { effort, queue, search, subjects } = this.#state;
    if (effort.conflicts > 0) return [];
    const candidates: Candidate[] = [];
    const before = new PrecedingPackages();
    for (const variable of queue.waiting()) {
      const subject = subjects.subject(variable);
      const value = preferredValue(variable, this.#state);
      if (subject.about !== 'package' || value === undefined || value === ABSENT) continue;
      const isOnlyValue = search.allowed(variable).onlyMember !== undefined;
      if (!subject.read.has(value) && (isOnlyValue || !before.mayExclude(subject))) {
        candidates.push(candidateOf(subject, value));
      }
      before.add(subject, value);
    }
    return candidates;
  }

  /** Returns the next versions of a package, half as many as were excluded so far. */
  #otherVersions(subject: PackageSubject): Candidate[] {
    const { variable, versions, read } = subject;
    const maxVersions = Math.min(MAX_AT_ONCE, Math.ceil(read.size / 2));
    const allowed = this.#state.search.allowed(variable);
    const next = versions.preference().filter((value) => !read.has(value) && allowed.has(value));
    return next.slice(0, maxVersions).map((value) => candidateOf(subject, value));
  }

  /** Returns the tag lists that a package needs; none if one requirement can match no version. */
  #listsFor(meta: PackageMeta): readonly Repository[] {
    const { problem, search, subjects } = this.#state;
    const required = requiredLists(meta, problem);
    const isExcluded = required.some(({ repository, selector }) => {
      const subject = subjects.packageIfKnown(repository);
      return subject !== undefined && isUnreachable(subject, selector, search);
    });
    return isExcluded ? [] : required.map(({ repository }) => repository);
  }
}

function candidateOf({ repository, versions }: PackageSubject, value: number): Candidate {
  return { repository, version: versions.label(value) };
}

/** Reports whether the search allows no version that a selector matches. */
function isUnreachable(
  { variable, versions }: PackageSubject,
  selector: Selector,
  search: Search,
): boolean {
  if (!versions.isListed || selector.form !== 'range') return false;
  return search.allowed(variable).isDisjointFrom(versions.selected(selector)!);
}

/** Returns the tag lists that the requirements of a package need. */
export function requiredLists(
  { requirements }: Pick<PackageMeta, 'requirements'>,
  problem: Problem,
): RepositorySelector[] {
  if (problem.ignoreRequirements) return [];
  return requirements.flatMap((each) => {
    if (each.requires !== 'package' || isDigest(each.constraint)) return [];
    const repository = effectiveRepository(problem, each.repository);
    if (problem.policy?.repository(repository) !== undefined) return [];
    const required: Selector = { form: 'range', text: each.constraint };
    const selector = effectiveSelector(problem, repository, required);
    return takesList(selector, problem) ? [{ repository, selector }] : [];
  });
}

/** Reports whether the tag list must be known to determine what a selector matches. */
export function takesList(selector: Selector, { dialect }: Problem): boolean {
  return selector.form === 'range' && exactTag(selector.text, dialect) === undefined;
}

/** The packages that are decided before another one, and what their requirements may exclude. */
class PrecedingPackages {
  #mayRequireAnything = false;
  #hasFamilyMember = false;
  readonly #required = new Set<Repository>();

  add(subject: PackageSubject, value: number): void {
    if (subject.read.has(value)) {
      for (const requirement of subject.metas.get(value)?.requirements ?? []) {
        if (requirement.requires === 'package') this.#required.add(requirement.repository);
      }
      return;
    }
    const kind = likelyKind(subject);
    if (kind === 'Function') return;
    const isMember = kind === 'Provider' && FAMILY_MEMBER.test(packageName(subject.repository));
    if (isMember) this.#hasFamilyMember = true;
    else this.#mayRequireAnything = true;
  }

  mayExclude({ repository }: PackageSubject): boolean {
    if (this.#mayRequireAnything || this.#required.has(repository)) return true;
    return this.#hasFamilyMember && FAMILY.test(packageName(repository));
  }
}

/** `provider-aws-s3`. */
const FAMILY_MEMBER = /^provider-[^-]+-./;
/** `provider-family-aws`, or the older `provider-aws-config`. */
const FAMILY = /family|-config$/;

/** Returns the kind that all requirements name, or else the kind that the name suggests. */
export function likelyKind({ expectedKinds, repository }: PackageSubject): PackageKind | undefined {
  const kinds = new Set([...expectedKinds.values()].map(({ kind }) => kind));
  if (kinds.size === 1) return [...kinds][0];
  const name = packageName(repository);
  if (name.startsWith('provider-')) return 'Provider';
  return name.startsWith('function-') ? 'Function' : undefined;
}
