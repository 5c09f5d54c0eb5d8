import { type DecisionState, preferredValue } from './decisions.js';
import type { PackageSubject, PackageVersion } from './encoder-context.js';
import type { Encoder } from './encoder.js';
import { ABSENT, FIRST, type Variable } from './incompatibility.js';
import { likelyKind } from './prefetch.js';
import type { Solving } from './question.js';
import { getOrCreate } from '../../base/collections.js';
import { packageName } from '../../crossplane/packages/repository-names.js';

interface EarlyReadState extends DecisionState {
  readonly encoder: Encoder;
}

/**
 * Reads forced versions: packages that every solution contains and that have one version left.
 *
 * Such a version is read whatever is decided. If it is read before the first decision, its
 * requirements may exclude versions that would be read otherwise. The solution stays the same,
 * because it does not depend on when a fact is added.
 */
export class ForcedPackages {
  readonly #state: EarlyReadState;
  readonly #variables = new Set<Variable>();

  /** The last root comes first. Any order gives the same solution; this one reads least. */
  constructor(state: EarlyReadState, roots: readonly Variable[]) {
    this.#state = state;
    for (const root of roots.toReversed()) this.#variables.add(root);
  }

  /** Reads one forced version before the first decision. Returns false if there is none. */
  *readNext(): Solving<boolean> {
    const { encoder } = this.#state;
    const unread = [...this.#unread()].map((version) => ({ version, rank: rank(version.subject) }));
    const lowestRank = unread.reduce((lowest, one) => Math.min(lowest, one.rank), Infinity);
    const next = unread.filter((one) => one.rank === lowestRank).map(({ version }) => version);
    const [first] = next;
    if (first === undefined) return false;
    const { subject, value } = first;
    yield* encoder.read(first, { next: () => next, triesOtherVersions: false });
    this.#variables.delete(subject.variable);
    if (yield* encoder.requirements.add(subject, value)) {
      for (const required of encoder.required(subject.variable, value))
        this.#variables.add(required);
    }
    return true;
  }

  *#unread(): Iterable<PackageVersion> {
    const { search, subjects } = this.#state;
    for (const variable of this.#variables) {
      const value = search.allowed(variable).onlyMember;
      const subject = subjects.subject(variable);
      if (value === undefined || value < FIRST || subject.about !== 'package') continue;
      if (!subject.read.has(value)) yield { subject, value };
    }
  }
}

/**
 * Configurations come before providers, providers before functions: configurations pin versions,
 * providers require little and functions nothing. A package of unknown kind may be a configuration.
 */
function rank({ expectedKinds }: PackageSubject): number {
  const kinds = Array.from(expectedKinds.values(), ({ kind }) => kind);
  if (kinds.length === 0 || kinds.includes('Configuration')) return 0;
  return kinds.includes('Provider') ? 1 : 2;
}

/**
 * Reads providers with the same name in different repositories early, such as
 * `upbound/provider-helm` and `crossplane-contrib/provider-helm`.
 *
 * They are usually builds of one program and own the same CRDs, so no solution contains both. Only
 * the packages themselves prove that. If both are needed and one has a single version left,
 * probably every version of the other is excluded. Finding that out first avoids other reads. The
 * solution stays the same, because it does not depend on when a fact is added.
 */
export class SameNameProviders {
  readonly #state: EarlyReadState;
  readonly #byName = new Map<string, PackageSubject[]>();
  /** Entries of `#byName` with several packages. */
  readonly #groups: (readonly PackageSubject[])[] = [];
  /** Number of variables that were added to `#byName`. */
  #seen = 0;

  constructor(state: EarlyReadState) {
    this.#state = state;
  }

  /** Reads one version of a package with at most `most` versions left. Returns false if there is none. */
  *readNext(most: number): Solving<boolean> {
    this.#update();
    if (this.#groups.length === 0) return false;
    const unread = this.#unread(most);
    const [first] = unread;
    if (first === undefined) return false;
    yield* this.#state.encoder.read(first, { next: () => unread, triesOtherVersions: true });
    return true;
  }

  /** Adds the packages that requirements have named since the last call. */
  #update(): void {
    const { subjects } = this.#state;
    for (; this.#seen < subjects.count; this.#seen++) {
      const subject = subjects.subject(this.#seen);
      if (subject.about !== 'package') continue;
      const group = getOrCreate(this.#byName, packageName(subject.repository), () => []);
      if (group.push(subject) === 2) this.#groups.push(group);
    }
  }

  /** Returns the versions to read next, of the group in which the fewest versions can be excluded. */
  #unread(most: number): readonly PackageVersion[] {
    let unread: readonly PackageVersion[] = [];
    let fewest = Infinity;
    for (const group of this.#groups) {
      const [single, other, ...others] = this.#needed(group);
      if (single?.versionCount !== 1 || other === undefined) continue;
      if (other.versionCount > most || other.versionCount >= fewest) continue;
      const next = [single, other, ...others.filter(({ versionCount }) => versionCount <= most)]
        .map(({ subject }) => this.#preferredVersion(subject))
        .filter((version) => version !== undefined);
      if (next.length > 0) [unread, fewest] = [next, other.versionCount];
    }
    return unread;
  }

  /** Returns the providers of a group that cannot be absent, the one with the fewest versions first. */
  #needed(group: readonly PackageSubject[]) {
    const needed = group.flatMap((subject) => {
      const allowed = this.#state.search.allowed(subject.variable);
      if (allowed.has(ABSENT) || likelyKind(subject) !== 'Provider') return [];
      const versions = subject.versions.all().filter((value) => allowed.has(value));
      return [{ subject, versionCount: versions.length }];
    });
    return needed.sort((a, b) => a.versionCount - b.versionCount);
  }

  /** Returns the version that would be decided on now; undefined: it has been read. */
  #preferredVersion(subject: PackageSubject): PackageVersion | undefined {
    const value = preferredValue(subject.variable, this.#state);
    return value === undefined || subject.read.has(value) ? undefined : { subject, value };
  }
}
