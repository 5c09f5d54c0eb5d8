import { parseConstraint } from '../../semver/constraint.js';
import { ownershipKey } from '../../model/owned-object.js';
import type { Repository } from '../../model/package.js';
import type {
  PackageMeta,
  PackageRequirement,
  Rejection,
  Requirement,
} from '../../model/package-meta.js';
import { Apis } from './apis.js';
import { pathBack } from './cycle.js';
import type { Fact, Some } from '../fact.js';
import { factKey, isDebatable } from '../fact-key.js';
import type { Incompatibility, Term, Variable } from '../incompatibility.js';
import { Ownership } from './ownership.js';
import { ABSENT, FIRST, OTHER, PackageVersions } from './package-versions.js';
import type { RootRequirement, RootPackage, Problem } from '../problem.js';
import { ask, type Solving } from '../question.js';
import type { Search } from '../search.js';
import type { PackageSubject, Subject } from './subject.js';
import { VersionSet } from '../version-set.js';
import { selectorOf, type Selector } from '../../model/selector.js';

/**
 * What is known of packages, and what of it the search has been told.
 *
 * Answers come in, incompatibilities go out. A statement that several versions of a package make
 * alike is one incompatibility that grows as versions are read; no version is read to make it grow.
 */
export class Encoder {
  readonly crossplane: Variable;
  readonly ownership = new Ownership();
  private readonly problem: Problem;
  private readonly search: Search;
  private readonly only: ReadonlySet<string> | undefined;
  private readonly subjects: Subject[] = [];
  private readonly packages = new Map<Repository, PackageSubject>();
  private readonly apis: Apis;
  private readonly statements = new Map<string, Incompatibility>();
  private readonly admittedReleases = new Map<string, VersionSet>();

  /** `only`: keys of the debatable facts to admit, to find out what they imply by themselves. */
  constructor(problem: Problem, search: Search, only: ReadonlySet<string> | undefined) {
    this.problem = problem;
    this.search = search;
    this.only = only;
    this.apis = new Apis({
      package: (repository) => this.package(repository),
      list: (subject) => this.list(subject),
      addSubject: (make) => this.addSubject(make),
      tell: (terms, cause) => this.tell(terms, cause),
    });
    this.crossplane = this.addSubject((variable) => ({ about: 'crossplane', variable }));
    const releases = VersionSet.of(problem.releases.map((_, i) => FIRST + i));
    this.tell([term(this.crossplane, releases.complement())], {
      fact: 'no-others',
      variable: this.crossplane,
    });
  }

  subject(variable: Variable): Subject {
    return this.subjects[variable]!;
  }

  rootIndex(root: RootRequirement): number {
    return this.problem.roots.indexOf(root);
  }

  package(repository: Repository): PackageSubject {
    const known = this.packages.get(repository);
    if (known !== undefined) return known;
    const versions = new PackageVersions(this.problem, {
      prereleases: this.problem.prereleases.has(repository),
      locked: this.problem.locked.get(repository),
    });
    const subject = (variable: Variable): PackageSubject => ({
      about: 'package',
      variable,
      repository,
      versions,
      exists: true,
      metas: new Map(),
      read: new Set(),
      linked: new Map(),
      kinds: new Map(),
      expectedKinds: new Map(),
      edges: new Map(),
      screened: 0,
    });
    const made = this.subjects[this.addSubject(subject)] as PackageSubject;
    this.packages.set(repository, made);
    return made;
  }

  /** Tells the search what the roots ask for; the variables they name, in their order. */
  *stateRoots(roots: readonly RootRequirement[]): Solving<Variable[]> {
    this.expectNamed(roots);
    yield* this.expectLists(roots.filter((each) => each.requires === 'package'));
    const named: Variable[] = [];
    for (const root of roots) {
      switch (root.requires) {
        case 'package':
          named.push(yield* this.stateRootPackage(root));
          break;
        case 'api': {
          const api = yield* this.apis.find(root.crd);
          named.push(api.variable);
          this.tell([term(api.variable, VersionSet.single(ABSENT))], {
            fact: 'root-api',
            root,
            on: api.variable,
          });
          break;
        }
        case 'crossplane': {
          const admits = this.releasesAdmitted(root.constraint);
          this.tell([term(this.crossplane, admits.complement())], {
            fact: 'crossplane',
            by: root,
            constraint: root.constraint,
            admits,
          });
          break;
        }
        case 'owns': {
          const here = VersionSet.single(FIRST);
          const variable = this.addSubject((v) => ({ about: 'local', variable: v, root }));
          this.tell([term(variable, here.complement())], { fact: 'no-others', variable });
          this.ownership.claim(variable, FIRST, root.objects.map(ownershipKey));
          break;
        }
      }
    }
    return named;
  }

  /** Reads one version, unless that has been done; tells the search all but its requirements. */
  *read(subject: PackageSubject, value: number): Solving<void> {
    if (subject.read.has(value)) return;
    const meta = yield* this.fetch(subject, value);
    subject.read.add(value);
    const of = { variable: subject.variable, values: VersionSet.single(value) };
    if (meta === undefined) return;
    if ('rejected' in meta) {
      this.tell([of], { fact: 'rejected', of, findings: meta.findings });
      return;
    }
    subject.metas.set(value, meta);
    this.tellCrossplane(subject, value, meta);
    const kind = subject.kinds.get(meta.kind) ?? VersionSet.none;
    subject.kinds.set(meta.kind, kind.or(of.values));
    this.tellKinds(subject);
    this.tellOwnership(subject, value, meta);
    this.apis.screen(subject, value, meta);
  }

  /**
   * Tells the search what a version that was read requires, in dependsOn order; stops early when
   * one requirement already rules the version out. True: all of it has been told.
   */
  *link(subject: PackageSubject, value: number): Solving<boolean> {
    const requirements = this.requirements(subject, value);
    if (!subject.linked.has(value)) yield* this.expectLists(requirements.flatMap(selectorIn));
    for (let i = subject.linked.get(value) ?? 0; i < requirements.length; i++) {
      const told = yield* this.tellRequirement(subject, value, requirements[i]!);
      subject.linked.set(value, i + 1);
      const others = told?.terms.filter(({ variable }) => variable !== subject.variable) ?? [];
      if (told !== undefined && others.every((other) => this.search.holds(other))) return false;
    }
    return true;
  }

  /**
   * No known version may be chosen for a package that is to own a CRD: says that it has no other.
   * Only such a package can be short of values, since who names a range lists its versions.
   */
  closeOwner(variable: Variable): void {
    const subject = this.subject(variable);
    if (subject.about !== 'package') throw new Error('a required variable has no value left');
    this.apis.close(subject);
  }

  /** The variables that a value makes necessary, in the order in which they are to be decided. */
  necessary(variable: Variable, value: number): Variable[] {
    const subject = this.subject(variable);
    if (value === ABSENT) return [];
    if (subject.about === 'api') return [subject.owners[value - FIRST]!.variable];
    return subject.about === 'package' ? this.children(subject, value) : [];
  }

  /** The variables that a version's requirements name, in dependsOn order. */
  private children(subject: PackageSubject, value: number): Variable[] {
    return this.requirements(subject, value).map((requirement) =>
      requirement.requires === 'package'
        ? this.package(this.replaced(requirement.repository)).variable
        : this.apis.get(requirement.demand).variable,
    );
  }

  /** Tells the search of a cycle that choosing this version would close; true: there is one. */
  tellCycle(
    subject: PackageSubject,
    value: number,
    chosen: (variable: Variable) => number | undefined,
  ): boolean {
    if (this.problem.allowCycles) return false;
    const path = pathBack(subject, value, {
      subject: (variable) => this.subject(variable),
      children: (from, at) => this.children(from, at),
      value: chosen,
    });
    if (path === undefined) return false;
    const members = path.map((member, i): Some => {
      const next = path[(i + 1) % path.length]!;
      return { variable: member.variable, values: member.edges.get(next.variable)! };
    });
    return this.tell(members, { fact: 'cycle', members }) !== undefined;
  }

  /**
   * Makes known every tag and digest that the user names. A range asked for before is to see them
   * too: a tag that Crossplane would not pick by itself satisfies it all the same.
   */
  private expectNamed(roots: readonly RootRequirement[]): void {
    for (const root of roots) {
      if (root.requires !== 'package' || root.selector.form === 'range') continue;
      this.package(this.replaced(root.repository)).versions.selected(root.selector);
    }
    for (const [repository, { selector }] of this.problem.overrides) {
      if (selector.form !== 'range') this.package(repository).versions.selected(selector);
    }
  }

  private *stateRootPackage(root: RootPackage): Solving<Variable> {
    const subject = this.package(this.replaced(root.repository));
    const values = yield* this.selected(subject, root.selector);
    this.tell([term(subject.variable, values.complement())], {
      fact: 'root',
      root,
      on: { variable: subject.variable, values },
    });
    if (root.kind !== undefined) {
      const key = `root ${this.rootIndex(root)}`;
      subject.expectedKinds.set(key, { kind: root.kind, by: root });
      this.tellKinds(subject);
    }
    return subject.variable;
  }

  private *tellRequirement(
    subject: PackageSubject,
    value: number,
    requirement: Requirement,
  ): Solving<Incompatibility | undefined> {
    if (requirement.requires === 'package') {
      return yield* this.tellPackageRequirement(subject, value, requirement);
    }
    const api = yield* this.apis.find(requirement.demand);
    const { text } = requirement;
    return this.state(`requires-api ${subject.variable} ${text}`, subject, value, (by) => ({
      terms: [by, term(api.variable, VersionSet.single(ABSENT))],
      cause: { fact: 'requires-api', by, on: api.variable, text },
    }));
  }

  private *tellPackageRequirement(
    subject: PackageSubject,
    value: number,
    { repository, kind, constraint, line }: PackageRequirement,
  ): Solving<Incompatibility | undefined> {
    const on = this.package(this.replaced(repository));
    const only = VersionSet.single(value);
    const edge = (subject.edges.get(on.variable) ?? VersionSet.none).or(only);
    subject.edges.set(on.variable, edge);
    const values = yield* this.selected(on, selectorOf(constraint));
    if (on === subject) return this.tellSelf({ subject, value, values, constraint, line });

    const asked = `${subject.variable} ${kind}`;
    const sofar = on.expectedKinds.get(asked);
    const by = sofar !== undefined && 'values' in sofar.by ? sofar.by.values.or(only) : only;
    on.expectedKinds.set(asked, { kind, by: { variable: subject.variable, values: by } });
    this.tellKinds(on);

    const key = `requires ${subject.variable} ${on.variable} ${constraint}`;
    return this.state(key, subject, value, (some) => ({
      terms: [some, term(on.variable, values.complement())],
      cause: {
        fact: 'requires',
        by: some,
        on: { variable: on.variable, values },
        constraint,
        line,
      },
    }));
  }

  /** A package that requires itself: a cycle, and with cycles allowed still a constraint. */
  private tellSelf(self: {
    subject: PackageSubject;
    value: number;
    values: VersionSet;
    constraint: string;
    line: number | undefined;
  }): Incompatibility | undefined {
    const { subject, value, values, constraint, line } = self;
    const by = { variable: subject.variable, values: VersionSet.single(value) };
    if (!this.problem.allowCycles) return this.tell([by], { fact: 'cycle', members: [by] });
    if (values.has(value)) return undefined;
    const on = { variable: subject.variable, values };
    return this.tell([by], { fact: 'requires', by, on, constraint, line });
  }

  private tellCrossplane(subject: PackageSubject, value: number, meta: PackageMeta): void {
    const { crossplane: constraint } = meta;
    if (constraint === undefined || this.problem.anyCrossplane.has(subject.repository)) return;
    const admits = this.releasesAdmitted(constraint);
    if (this.problem.releases.every((_, i) => admits.has(FIRST + i))) return;
    this.state(`crossplane ${subject.variable} ${constraint}`, subject, value, (by) => ({
      terms: [by, term(this.crossplane, admits.complement())],
      cause: { fact: 'crossplane', by, constraint, admits },
    }));
  }

  private tellKinds(on: PackageSubject): void {
    for (const [asked, { kind: wanted, by }] of on.expectedKinds) {
      for (const [found, values] of on.kinds) {
        if (found === wanted) continue;
        const some = { variable: on.variable, values };
        const terms = 'values' in by ? [by, some] : [some];
        this.restate(`kind ${asked} ${on.variable} ${found}`, {
          terms,
          cause: { fact: 'kind', by, on: some, wanted, found },
        });
      }
    }
  }

  private tellOwnership(subject: PackageSubject, value: number, meta: PackageMeta): void {
    const { variable } = subject;
    const rivals = this.ownership.claim(variable, value, meta.owns.map(ownershipKey));
    for (const [rival, values] of rivals) {
      const other = { variable: rival, values };
      const key = `owns ${variable} ${rival} ${values.signature}`;
      this.state(key, subject, value, (one) => ({
        terms: [one, other],
        cause: { fact: 'owns', one, other },
      }));
    }
  }

  /** Asks for one version; of a tag that nobody has, whether another spelling of it exists. */
  private *fetch(
    subject: PackageSubject,
    value: number,
  ): Solving<PackageMeta | Rejection | undefined> {
    for (;;) {
      const version = subject.versions.label(value);
      const { repository } = subject;
      const meta = yield* ask({ ask: 'meta', candidate: { repository, version } });
      if (meta !== undefined) return meta;
      if (!subject.versions.listed) yield* this.list(subject);
      if (subject.versions.label(value) === version) break;
    }
    const of = { variable: subject.variable, values: VersionSet.single(value) };
    this.tell([of], { fact: 'missing', of });
    return undefined;
  }

  /** The versions that a selector denotes; an override for the package beats every selector. */
  private *selected(subject: PackageSubject, selector: Selector): Solving<VersionSet> {
    const effective = this.effective(subject, selector);
    let values = subject.versions.selected(effective);
    if (values === undefined) {
      yield* this.list(subject);
      values = subject.versions.selected(effective)!;
    }
    this.screen(subject);
    return values;
  }

  /** Says which lists these selectors will take. */
  private *expectLists(selectors: readonly RepositorySelector[]): Solving<void> {
    const next = () => {
      const lists: Repository[] = [];
      for (const { repository, selector } of selectors) {
        const subject = this.package(this.replaced(repository));
        const effective = this.effective(subject, selector);
        if (subject.versions.needsList(effective)) lists.push(subject.repository);
        else if (this.isOutOfReach(subject, effective)) return {};
      }
      return { lists };
    };
    yield* ask({ ask: 'expect', next });
  }

  /** Whether nothing that is wanted is allowed any more: who selectors it will not be chosen. */
  private isOutOfReach({ variable, versions }: PackageSubject, selector: Selector): boolean {
    if (!versions.listed || selector.form !== 'range') return false;
    return this.search.allowed(variable).and(versions.selected(selector)!).isEmpty;
  }

  private effective({ repository }: PackageSubject, selector: Selector): Selector {
    return this.problem.overrides.get(repository)?.selector ?? selector;
  }

  private *list(subject: PackageSubject): Solving<void> {
    const { repository, variable } = subject;
    const tags = yield* ask({ ask: 'versions', repository });
    subject.exists = tags !== undefined;
    for (const value of subject.versions.list(tags ?? [])) {
      const of = { variable, values: VersionSet.single(value) };
      this.tell([of], { fact: 'missing', of });
    }
    this.tell([term(variable, VersionSet.single(OTHER))], { fact: 'no-others', variable });
    this.screen(subject);
  }

  /** Applies exclusions to the values discovered since the last time. */
  private screen(subject: PackageSubject): void {
    const rules = this.problem.exclude.get(subject.repository);
    if (rules === undefined) return;
    const fresh = subject.versions.all().slice(subject.screened);
    subject.screened += fresh.length;
    for (const rule of rules) {
      const values = VersionSet.of(fresh.filter((v) => subject.versions.matches(v, rule.selector)));
      if (values.isEmpty) continue;
      const of = { variable: subject.variable, values };
      this.tell([of], { fact: 'excluded', of, rule });
    }
  }

  private requirements(subject: PackageSubject, value: number): readonly Requirement[] {
    if (this.problem.ignoreRequirements) return [];
    return subject.metas.get(value)?.requirements ?? [];
  }

  private replaced(repository: Repository): Repository {
    return this.problem.replace.get(repository) ?? repository;
  }

  private releasesAdmitted(text: string): VersionSet {
    const known = this.admittedReleases.get(text);
    if (known !== undefined) return known;
    const constraint = parseConstraint(text, this.problem.dialect);
    if (constraint.invalid) throw new Error(`unchecked Crossplane constraint ${text}`);
    const admitted = VersionSet.of(
      this.problem.releases.flatMap((version, i) =>
        constraint.admits(version) ? [FIRST + i] : [],
      ),
    );
    this.admittedReleases.set(text, admitted);
    return admitted;
  }

  /** Makes a statement on behalf of one more version: the same words, about more versions. */
  private state(
    key: string,
    subject: PackageSubject,
    value: number,
    say: (by: Some) => Incompatibility,
  ): Incompatibility | undefined {
    const before = this.statements.get(key)?.terms.find((t) => t.variable === subject.variable);
    const values = VersionSet.single(value).or(before?.values ?? VersionSet.none);
    return this.restate(key, say({ variable: subject.variable, values }));
  }

  /** Puts a wider statement in the place of a narrower one. */
  private restate(key: string, wider: Incompatibility): Incompatibility | undefined {
    const narrower = this.statements.get(key);
    const same = narrower?.terms.every((t, i) => t.values.equals(wider.terms[i]!.values));
    if (same === true) return narrower;
    const told = this.tell(wider.terms, wider.cause as Fact);
    if (told === undefined) return undefined;
    if (narrower !== undefined) narrower.superseded = true;
    this.statements.set(key, told);
    return told;
  }

  /** Gives the search one incompatibility; terms that are always true say nothing and go. */
  private tell(terms: readonly Term[], cause: Fact): Incompatibility | undefined {
    if (this.only !== undefined && isDebatable(cause) && !this.only.has(factKey(cause, this))) {
      return undefined;
    }
    const told = { terms: terms.filter(({ values }) => !values.isAll), cause };
    this.search.add(told);
    return told;
  }

  private addSubject(make: (variable: Variable) => Subject): Variable {
    const variable = this.search.addVariable();
    this.subjects.push(make(variable));
    return variable;
  }
}

interface RepositorySelector {
  readonly repository: Repository;
  readonly selector: Selector;
}

function selectorIn(requirement: Requirement): RepositorySelector[] {
  if (requirement.requires !== 'package') return [];
  return [{ repository: requirement.repository, selector: selectorOf(requirement.constraint) }];
}

function term(variable: Variable, values: VersionSet): Term {
  return { variable, values };
}
