import type {
  EncoderContext,
  PackageSubject,
  PackageVersion,
  UpcomingReads,
} from './encoder-context.js';
import { ABSENT, FIRST, type Term, type Variable } from './incompatibility.js';
import { Ownership } from './ownership.js';
import type { RootCrossplane, RootPackage, RootRequirement } from './problem.js';
import { PublishedVersions } from './published-versions.js';
import type { Solving } from './question.js';
import { addExpectedKind, addKind, CrdOwners, Requirements } from './requirements.js';
import { VersionSet } from './version-set.js';
import { getOrCreate } from '../../base/collections.js';
import { ANY, parseConstraint } from '../../crossplane/constraints/constraint.js';
import type { PackageMeta } from '../../crossplane/packages/package-meta.js';

/**
 * Encodes packages as incompatibilities: reads what a search needs and adds facts to the search.
 *
 * Each part encodes one kind of fact and documents it in a table. This class decides when.
 */
export class Encoder {
  readonly requirements: Requirements;
  readonly #context: EncoderContext;
  readonly #crossplane: Crossplane;
  readonly #ownership: Ownership;
  readonly #published: PublishedVersions;
  readonly #apis: CrdOwners;

  constructor(context: EncoderContext) {
    this.#context = context;
    this.#crossplane = new Crossplane(context);
    this.#ownership = new Ownership(context);
    this.#published = new PublishedVersions(context);
    this.#apis = new CrdOwners(context, this.#published);
    this.requirements = new Requirements(context, this.#published, this.#apis);
  }

  /** Reads one version, unless it has been read. Adds all its facts except its requirements. */
  *read(version: PackageVersion, upcoming: UpcomingReads): Solving<void> {
    const { subject, value } = version;
    if (subject.read.has(value)) return;
    yield* this.#context.observer.beforeReading(version, upcoming);
    const meta = yield* this.#published.read(subject, value);
    subject.read.add(value);
    if (meta === undefined) return;
    subject.metas.set(value, meta);
    this.#crossplane.addVersion(subject, value, meta);
    addKind(subject, value, meta.kind, this.#context.facts);
    this.#ownership.addVersion(subject, value, meta);
    this.#apis.addVersion(subject, value, meta);
  }

  /**
   * Adds that the owner of a CRD has no versions but the known ones. Only the owner of a CRD can run
   * out of values before its tags are listed: a requirement names its versions or lists the tags.
   */
  closeOwnerVersions(variable: Variable): void {
    const subject = this.#context.subjects.subject(variable);
    if (subject.about !== 'package') throw new Error('a required variable has no value left');
    this.#apis.close(subject);
  }

  /** Returns the variables that a value requires, in the order in which they are decided. */
  required(variable: Variable, value: number): Variable[] {
    const subject = this.#context.subjects.subject(variable);
    if (value === ABSENT) return [];
    if (subject.about === 'api') return [subject.owners[value - FIRST]!.variable];
    return subject.about === 'package' ? this.requirements.variables(subject, value) : [];
  }

  /**
   * Adds the requirements of the roots. Returns the variables that the roots name, in their order.
   *
   * | fact | incompatibility |
   * | --- | --- |
   * | a root requires p in S | {p ∉ S} |
   * | a root requires the CRD k | {owner of k = absent} |
   */
  *addRoots(): Solving<Variable[]> {
    const { roots } = this.#context.problem;
    const packages = roots.filter((root) => root.requires === 'package');
    this.#addNamedVersions(packages);
    yield* this.#context.observer.beforeSelecting(() => packages);
    const named: Variable[] = [];
    for (const root of roots) {
      const variable = yield* this.#addRoot(root);
      if (variable !== undefined) named.push(variable);
    }
    return named;
  }

  /**
   * Adds every tag and digest that the user names. Must run before any range is evaluated, because
   * these tags satisfy a range even if Crossplane would not select them.
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

  *#addRoot(root: RootRequirement): Solving<Variable | undefined> {
    switch (root.requires) {
      case 'package':
        return yield* this.#addRootPackage(root);
      case 'api': {
        const { variable } = yield* this.#apis.find(root.crd);
        this.#context.facts.add({ fact: 'root-api', root, on: variable });
        return variable;
      }
      case 'crossplane':
        this.#crossplane.addRoot(root);
        return undefined;
      case 'owns':
        this.#ownership.addRoot(root);
        return undefined;
    }
  }

  *#addRootPackage(root: RootPackage): Solving<Variable> {
    const { subjects, facts } = this.#context;
    const { repository, selector, kind } = root;
    const subject = subjects.required(repository);
    const { variable } = subject;
    let values = yield* this.#published.selected(subject, selector);
    if (root.isRelaxed) values = values.or(yield* this.#published.selected(subject, ANY));
    facts.add({ fact: 'root', root, on: { variable, values } });
    const key = `root ${subjects.rootIndex(root)}`;
    if (kind !== undefined) addExpectedKind(subject, key, { kind, by: root }, facts);
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
  readonly #context: EncoderContext;
  readonly #releases: VersionSet;
  /** Releases, by constraint. */
  readonly #admittedBy = new Map<string, Term>();

  constructor(context: EncoderContext) {
    this.#context = context;
    this.#releases = VersionSet.of(context.problem.releases.map((_, i) => FIRST + i));
    const of = { variable: context.subjects.crossplane, values: this.#releases.complement() };
    context.facts.add({ fact: 'no-others', of });
  }

  addRoot(root: RootCrossplane): void {
    const { constraint } = root;
    const on = this.#admittedTerm(constraint);
    this.#context.facts.add({ fact: 'crossplane', by: root, on, constraint });
  }

  addVersion(subject: PackageSubject, value: number, meta: PackageMeta): void {
    const { problem, facts } = this.#context;
    const { crossplane: constraint } = meta;
    if (constraint === undefined || problem.anyCrossplane.has(subject.repository)) return;
    const on = this.#admittedTerm(constraint);
    if (this.#releases.isSubsetOf(on.values)) return;
    const { variable } = subject;
    const key = `crossplane ${variable} ${constraint}`;
    facts.grow(key, { variable, value }, (by) => ({ fact: 'crossplane', by, on, constraint }));
  }

  #admittedTerm(text: string): Term {
    return getOrCreate(this.#admittedBy, text, () => {
      const { dialect, releases } = this.#context.problem;
      const variable = this.#context.subjects.crossplane;
      const constraint = parseConstraint(text, dialect);
      if (constraint.invalid) throw new Error(`unchecked Crossplane constraint ${text}`);
      const values = releases.flatMap((one, i) => (constraint.admits(one) ? [FIRST + i] : []));
      return { variable, values: VersionSet.of(values) };
    });
  }
}
