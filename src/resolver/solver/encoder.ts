import {
  type EncoderContext,
  type PackageSubject,
  type PackageVersion,
  type ProofSubjects,
  type SearchObserver,
  Facts,
  type Subject,
  type Subjects,
  type UpcomingReads,
} from './encoder-context.js';
import { ABSENT, FIRST, type Term, type Variable } from './incompatibility.js';
import { Ownership } from './ownership.js';
import type { RootApi, RootCrossplane, RootPackage, RootRequirement } from './problem.js';
import { PublishedVersions } from './published-versions.js';
import type { Solving } from './question.js';
import { CrdOwners, Cycles, Kinds, type RequirementParts, Requirements } from './requirements.js';
import { VersionSet } from './version-set.js';
import { getOrCreate } from '../../base/collections.js';
import { ANY, parseConstraint } from '../../crossplane/constraints/constraint.js';
import type { PackageMeta } from '../../crossplane/packages/package-meta.js';
import type { Repository } from '../../crossplane/packages/package.js';

/**
 * Encodes packages as incompatibilities: reads what a search needs and adds facts to the search.
 *
 * Each part encodes one kind of fact and documents it in a table. This class decides when.
 */
export class Encoder implements ProofSubjects {
  readonly crossplane: Variable;
  readonly ownership: Ownership;
  readonly #subjects: Subjects;
  readonly #observer: SearchObserver;
  readonly #parts: EncoderParts;
  readonly #roots: Roots;
  readonly #requirements: Requirements;
  readonly #cycles: Cycles;

  /** `only`: keys of the removable facts to add; undefined: all of them. */
  constructor(
    given: Omit<EncoderContext, 'facts'>,
    only: Pick<ReadonlySet<string>, 'has'> | undefined,
  ) {
    const { search, subjects, observer } = given;
    const context = { ...given, facts: new Facts(search, subjects, only) };
    const crossplane = new Crossplane(context);
    const ownership = new Ownership(context);
    const published = new PublishedVersions(context);
    const kinds = new Kinds(context);
    const apis = new CrdOwners(context, published);
    const parts = { published, kinds, apis, crossplane, ownership };
    this.#subjects = subjects;
    this.#observer = observer;
    this.#parts = parts;
    this.#roots = new Roots(context, parts);
    this.#requirements = new Requirements(context, parts);
    this.#cycles = new Cycles(context, this.#requirements);
    this.crossplane = crossplane.variable;
    this.ownership = ownership;
  }

  subject(variable: Variable): Subject {
    return this.#subjects.subject(variable);
  }

  package(repository: Repository): PackageSubject {
    return this.#subjects.package(repository);
  }

  nameOf(variable: Variable): string {
    return this.#subjects.nameOf(variable);
  }

  rootIndex(root: RootRequirement): number {
    return this.#subjects.rootIndex(root);
  }

  /** Adds the requirements of the roots. Returns the variables that the roots name, in their order. */
  addRoots(): Solving<Variable[]> {
    return this.#roots.add();
  }

  /** Reads one version, unless it has been read. Adds all its facts except its requirements. */
  *read(version: PackageVersion, upcoming: UpcomingReads): Solving<void> {
    const { subject, value } = version;
    if (subject.read.has(value)) return;
    yield* this.#observer.beforeReading(version, upcoming);
    const { published, crossplane, kinds, apis, ownership } = this.#parts;
    const meta = yield* published.read(subject, value);
    subject.read.add(value);
    if (meta === undefined) return;
    subject.metas.set(value, meta);
    crossplane.addVersion(subject, value, meta);
    kinds.addVersion(subject, value, meta.kind);
    ownership.addVersion(subject, value, meta);
    apis.addVersion(subject, value, meta);
  }

  /** Reports whether all facts about a version have been added. */
  isComplete(subject: PackageSubject, value: number): boolean {
    return subject.read.has(value) && this.#requirements.areComplete(subject, value);
  }

  /** Adds the requirements of a version. Returns false if one of them excludes the version. */
  addRequirements(subject: PackageSubject, value: number): Solving<boolean> {
    return this.#requirements.add(subject, value);
  }

  /** Adds the cycle that a decision on this version would close. Returns false if there is none. */
  addCycle(
    subject: PackageSubject,
    value: number,
    decided: (variable: Variable) => number | undefined,
  ): boolean {
    return this.#cycles.add(subject, value, decided);
  }

  /**
   * Adds that the owner of a CRD has no versions but the known ones. Only the owner of a CRD can run
   * out of values before its tags are listed: a requirement names its versions or lists the tags.
   */
  closeOwnerVersions(variable: Variable): void {
    const subject = this.subject(variable);
    if (subject.about !== 'package') throw new Error('a required variable has no value left');
    this.#parts.apis.close(subject);
  }

  /** Returns the variables that a value requires, in the order in which they are decided. */
  required(variable: Variable, value: number): Variable[] {
    const subject = this.subject(variable);
    if (value === ABSENT) return [];
    if (subject.about === 'api') return [subject.owners[value - FIRST]!.variable];
    return subject.about === 'package' ? this.#requirements.variables(subject, value) : [];
  }
}

interface EncoderParts extends RequirementParts {
  readonly crossplane: Crossplane;
  readonly ownership: Ownership;
}

/**
 * The requirements of the roots.
 *
 * | fact | incompatibility |
 * | --- | --- |
 * | a root requires p in S | {p ∉ S} |
 * | a root requires the CRD k | {owner of k = absent} |
 */
class Roots {
  readonly #context: EncoderContext;
  readonly #parts: EncoderParts;

  constructor(context: EncoderContext, parts: EncoderParts) {
    this.#context = context;
    this.#parts = parts;
  }

  /** Adds all of them. Returns the variables that the roots name, in their order. */
  *add(): Solving<Variable[]> {
    const { roots } = this.#context.problem;
    const packages = roots.filter((root) => root.requires === 'package');
    this.#addNamedVersions(packages);
    yield* this.#context.observer.beforeSelecting(() => packages);
    const named: Variable[] = [];
    for (const root of roots) {
      const variable = yield* this.#add(root);
      if (variable !== undefined) named.push(variable);
    }
    return named;
  }

  /**
   * Adds every tag and digest that the user names before any range is evaluated. Such a tag satisfies
   * a range even if Crossplane would not select it.
   */
  #addNamedVersions(roots: readonly RootPackage[]): void {
    const { problem, subjects } = this.#context;
    for (const { repository, selector } of roots) {
      if (selector.form !== 'range') subjects.required(repository).versions.selected(selector);
    }
    for (const [repository, { selector }] of problem.overrides) {
      if (selector.form !== 'range') subjects.package(repository).versions.selected(selector);
    }
  }

  *#add(root: RootRequirement): Solving<Variable | undefined> {
    switch (root.requires) {
      case 'package':
        return yield* this.#addPackage(root);
      case 'api':
        return yield* this.#addApi(root);
      case 'crossplane':
        this.#parts.crossplane.addRoot(root);
        return undefined;
      case 'owns':
        this.#parts.ownership.addRoot(root);
        return undefined;
    }
  }

  *#addPackage(root: RootPackage): Solving<Variable> {
    const { subjects, facts } = this.#context;
    const subject = subjects.required(root.repository);
    const { variable } = subject;
    const values = yield* this.#selected(root);
    facts.add({ fact: 'root', root, on: { variable, values } });
    if (root.kind !== undefined) this.#parts.kinds.addRoot(subject, root.kind, root);
    return variable;
  }

  *#selected({ repository, selector, isRelaxed = false }: RootPackage): Solving<VersionSet> {
    const subject = this.#context.subjects.required(repository);
    const selected = yield* this.#parts.published.selected(subject, selector);
    if (!isRelaxed) return selected;
    return selected.or(yield* this.#parts.published.selected(subject, ANY));
  }

  *#addApi(root: RootApi): Solving<Variable> {
    const { variable } = yield* this.#parts.apis.find(root.crd);
    this.#context.facts.add({ fact: 'root-api', root, on: variable });
    return variable;
  }
}

/**
 * The Crossplane release is a variable. Value `FIRST + i` is release i of the problem.
 *
 * | fact | incompatibility |
 * | --- | --- |
 * | there are no other releases | {crossplane ∉ releases} |
 * | a local package needs Crossplane in C | {crossplane ∉ C} |
 * | p 1.2.0 needs Crossplane in C | {p = 1.2.0, crossplane ∉ C} |
 */
class Crossplane {
  readonly variable: Variable;
  readonly #context: EncoderContext;
  readonly #releases: VersionSet;
  /** Releases, by constraint. */
  readonly #admittedBy = new Map<string, Term>();

  constructor(context: EncoderContext) {
    this.#context = context;
    this.#releases = VersionSet.of(context.problem.releases.map((_, i) => FIRST + i));
    const { variable } = context.subjects.add((v) => ({ about: 'crossplane', variable: v }));
    this.variable = variable;
    const of = { variable, values: this.#releases.complement() };
    context.facts.add({ fact: 'no-others', of });
  }

  addRoot(root: RootCrossplane): void {
    const { constraint } = root;
    const on = this.#admitted(constraint);
    this.#context.facts.add({ fact: 'crossplane', by: root, on, constraint });
  }

  addVersion(subject: PackageSubject, value: number, meta: PackageMeta): void {
    const { problem, facts } = this.#context;
    const { crossplane: constraint } = meta;
    if (constraint === undefined || problem.anyCrossplane.has(subject.repository)) return;
    const on = this.#admitted(constraint);
    if (this.#releases.isSubsetOf(on.values)) return;
    const { variable } = subject;
    facts.grow(`crossplane ${variable} ${constraint}`, { variable, value }, (by) => ({
      fact: 'crossplane',
      by,
      on,
      constraint,
    }));
  }

  #admitted(text: string): Term {
    return getOrCreate(this.#admittedBy, text, () => {
      const { dialect, releases } = this.#context.problem;
      const constraint = parseConstraint(text, dialect);
      if (constraint.invalid) throw new Error(`unchecked Crossplane constraint ${text}`);
      const values = releases.flatMap((version, i) =>
        constraint.admits(version) ? [FIRST + i] : [],
      );
      return { variable: this.variable, values: VersionSet.of(values) };
    });
  }
}
