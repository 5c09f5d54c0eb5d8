import type { PackageSubject } from '../encoder/subject.js';
import { ABSENT } from '../incompatibility.js';
import { preferredValue } from '../preferred-value.js';
import type { Solving } from '../question.js';
import type { SolverState } from '../solver-state.js';
import { announcePackages } from './announce-packages.js';
import { likelyKind } from './likely-kind.js';
import { packageName } from './package-name.js';
import type { Prospect } from './prefetchable.js';
import { walkedVersions } from './walked-versions.js';

/** A package that cannot be absent any more, and how many versions are left to it. */
interface Needed {
  readonly subject: PackageSubject;
  readonly left: number;
}

/**
 * Providers of one name in different repositories, such as `upbound/provider-helm` and
 * `crossplane-contrib/provider-helm`.
 *
 * As a rule they are builds of one program and own the same CRDs, so that no set has both; but only
 * the packages say so. Where both are needed, and one has a single version left, every version of
 * the other will probably fall. That is found out first: it spares reading what else is required.
 * It changes no answer: a fact holds whenever the search is told of it.
 */
export class Namesakes {
  readonly #state: SolverState;
  readonly #byName = new Map<string, PackageSubject[]>();
  /** Those of `#byName` that have several members. */
  readonly #groups: (readonly PackageSubject[])[] = [];
  /** How many variables have been looked at. */
  #seen = 0;

  constructor(state: SolverState) {
    this.#state = state;
  }

  /** Whether any name has been met twice. */
  get areThere(): boolean {
    const { encoder } = this.#state;
    for (; this.#seen < encoder.variableCount; this.#seen++) {
      const subject = encoder.subject(this.#seen);
      if (subject.about === 'package') this.#add(subject);
    }
    return this.#groups.length > 0;
  }

  /** Reads one version of a package with at most so many left; false: there is none to read. */
  *readNext(most: number): Solving<boolean> {
    const { encoder } = this.#state;
    const unread = this.#unread(most);
    const [first] = unread;
    if (first === undefined) return false;
    const { subject, value } = first;
    if (encoder.announcements.areHeeded) {
      yield* announcePackages(this.#state, first, {
        prospects: () => unread,
        more: () => walkedVersions(subject, this.#state),
      });
    }
    yield* encoder.read(subject, value);
    return true;
  }

  #add(subject: PackageSubject): void {
    const name = packageName(subject.repository);
    const group = this.#byName.get(name) ?? [];
    this.#byName.set(name, group);
    if (group.push(subject) === 2) this.#groups.push(group);
  }

  /** Of the group in which the fewest versions can fall, those to read next. */
  #unread(most: number): readonly Prospect[] {
    let unread: readonly Prospect[] = [];
    let fewest = Infinity;
    for (const group of this.#groups) {
      const [single, other, ...others] = this.#needed(group);
      if (single?.left !== 1 || other === undefined) continue;
      if (other.left > most || other.left >= fewest) continue;
      const next = [single, other, ...others.filter(({ left }) => left <= most)]
        .map(({ subject }) => this.#prospect(subject))
        .filter((prospect) => prospect !== undefined);
      if (next.length > 0) [unread, fewest] = [next, other.left];
    }
    return unread;
  }

  /** The members of a group that every answer to the decisions so far has; fewest versions first. */
  #needed(group: readonly PackageSubject[]): Needed[] {
    const { search } = this.#state;
    const needed: Needed[] = [];
    for (const subject of group) {
      const allowed = search.allowed(subject.variable);
      if (allowed.has(ABSENT) || likelyKind(subject) !== 'Provider') continue;
      const left = subject.versions.all().filter((value) => allowed.has(value)).length;
      needed.push({ subject, left });
    }
    return needed.sort((a, b) => a.left - b.left);
  }

  /** The version that would be decided on now; undefined: it has been read. */
  #prospect(subject: PackageSubject): Prospect | undefined {
    const value = preferredValue(subject.variable, this.#state);
    if (value === undefined || subject.read.has(value)) return undefined;
    return { subject, value, certain: true };
  }
}
