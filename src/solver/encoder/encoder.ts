import type { Repository } from '../../model/package.js';
import type { Names } from '../fact-key.js';
import { ABSENT, FIRST, type Variable } from '../incompatibility.js';
import { Announcements } from '../prefetch/announcements.js';
import type { Problem, RootRequirement } from '../problem.js';
import type { Solving } from '../question.js';
import type { Search } from '../search.js';
import { Apis } from './apis.js';
import { Crossplane } from './crossplane.js';
import { Cycles } from './cycles.js';
import { Kinds } from './kinds.js';
import { Ownership } from './owned/ownership.js';
import { Policies } from './policies.js';
import { PublishedVersions } from './published-versions.js';
import { Requirements } from './requirements.js';
import { Roots } from './roots.js';
import { Statements } from './statements.js';
import type { PackageSubject, Subject } from './subject.js';
import { Subjects } from './subjects.js';

/**
 * Turns what is known of packages into incompatibilities: answers come in, statements go out.
 *
 * Each part knows one kind of fact and says at its head how that is stated; this class says when.
 */
export class Encoder implements Names {
  readonly crossplane: Variable;
  readonly ownership: Ownership;
  readonly announcements = new Announcements();
  readonly #subjects: Subjects;
  readonly #crossplane: Crossplane;
  readonly #published: PublishedVersions;
  readonly #kinds: Kinds;
  readonly #apis: Apis;
  readonly #roots: Roots;
  readonly #requirements: Requirements;
  readonly #cycles: Cycles;

  /** `only`: keys of the debatable facts to admit, to find out what they imply by themselves. */
  constructor(problem: Problem, search: Search, only: ReadonlySet<string> | undefined) {
    const subjects = new Subjects(problem, search);
    const statements = new Statements(search, subjects, only);
    const { announcements } = this;
    const context = { problem, search, subjects, statements, announcements };
    const crossplane = new Crossplane(context);
    const ownership = new Ownership(context);
    const policies = new Policies(context);
    const published = new PublishedVersions(context, policies);
    const kinds = new Kinds(context);
    const apis = new Apis(context, { published, policies });
    this.#subjects = subjects;
    this.#crossplane = crossplane;
    this.#published = published;
    this.#kinds = kinds;
    this.#apis = apis;
    this.#roots = new Roots(context, { published, kinds, apis, crossplane, ownership });
    this.#requirements = new Requirements(context, { published, kinds, apis });
    this.#cycles = new Cycles(context, this.#requirements);
    this.crossplane = crossplane.variable;
    this.ownership = ownership;
  }

  subject(variable: Variable): Subject {
    return this.#subjects.subject(variable);
  }

  /** How many variables there are; they are numbered from 0. */
  get variableCount(): number {
    return this.#subjects.count;
  }

  packageIfKnown(repository: Repository): PackageSubject | undefined {
    return this.#subjects.packageIfKnown(repository);
  }

  package(repository: Repository): PackageSubject {
    return this.#subjects.package(repository);
  }

  rootIndex(root: RootRequirement): number {
    return this.#subjects.rootIndex(root);
  }

  /** Tells the search what the roots ask for; the variables that they name, in their order. */
  tellRoots(): Solving<Variable[]> {
    return this.#roots.tell();
  }

  /** Reads one version, unless that has been done; tells the search all but its requirements. */
  *read(subject: PackageSubject, value: number): Solving<void> {
    if (subject.read.has(value)) return;
    const meta = yield* this.#published.read(subject, value);
    subject.read.add(value);
    if (meta === undefined) return;
    subject.metas.set(value, meta);
    this.#crossplane.tellVersion(subject, value, meta);
    this.#kinds.found(subject, value, meta.kind);
    this.ownership.tellVersion(subject, value, meta);
    this.#apis.screen(subject, value, meta);
  }

  /** Whether the search has been told all that a version says. */
  isTold(subject: PackageSubject, value: number): boolean {
    return subject.read.has(value) && this.#requirements.areTold(subject, value);
  }

  /** Tells the search what a version that was read requires; false: something rules it out. */
  tellRequirements(subject: PackageSubject, value: number): Solving<boolean> {
    return this.#requirements.tell(subject, value);
  }

  /** Tells the search of a cycle that choosing this version would close; false: there is none. */
  tellCycle(
    subject: PackageSubject,
    value: number,
    decided: (variable: Variable) => number | undefined,
  ): boolean {
    return this.#cycles.tell(subject, value, decided);
  }

  /**
   * Tells the search that a package which is to own a CRD has no version but those known. Only such
   * a package runs out of values unlisted: a requirement says what it admits, or lists first.
   */
  tellNoOtherOwner(variable: Variable): void {
    const subject = this.subject(variable);
    if (subject.about !== 'package') throw new Error('a required variable has no value left');
    this.#apis.close(subject);
  }

  /** The variables that a value makes necessary, in the order in which they are to be decided. */
  necessary(variable: Variable, value: number): Variable[] {
    const subject = this.subject(variable);
    if (value === ABSENT) return [];
    if (subject.about === 'api') return [subject.owners[value - FIRST]!.variable];
    return subject.about === 'package' ? this.#requirements.variables(subject, value) : [];
  }
}
