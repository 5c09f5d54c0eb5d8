import type { PackageRequirement, Requirement } from '../../model/package-meta.js';
import { selectorOf } from '../../model/selector.js';
import { ABSENT, type Incompatibility, type Variable } from '../incompatibility.js';
import { announceLists } from '../prefetch/announce-lists.js';
import type { Solving } from '../question.js';
import { VersionSet } from '../version-set.js';
import type { Apis } from './apis.js';
import type { EncoderContext } from './context.js';
import type { Kinds } from './kinds.js';
import type { PublishedVersions } from './published-versions.js';
import type { PackageSubject } from './subject.js';

const NOTHING: readonly Requirement[] = [];

/**
 * What versions require: `dependsOn`.
 *
 * | fact | incompatibility |
 * | --- | --- |
 * | p 1.2.0 requires q in S | {p = 1.2.0, q ∉ S} |
 * | p 1.2.0 requires the CRD k | {p = 1.2.0, owner of k = absent} |
 * | p 1.2.0 requires itself | {p = 1.2.0} |
 */
export class Requirements {
  readonly #context: EncoderContext;
  readonly #published: PublishedVersions;
  readonly #kinds: Kinds;
  readonly #apis: Apis;

  constructor(
    context: EncoderContext,
    parts: { readonly published: PublishedVersions; readonly kinds: Kinds; readonly apis: Apis },
  ) {
    this.#context = context;
    this.#published = parts.published;
    this.#kinds = parts.kinds;
    this.#apis = parts.apis;
  }

  /**
   * Tells the search what a version requires, in dependsOn order; stops early when one requirement
   * already rules the version out, so that no list is asked for in vain. True: all has been told.
   */
  *tell(subject: PackageSubject, value: number): Solving<boolean> {
    const requirements = this.#of(subject, value);
    const { areHeeded } = this.#context.announcements;
    if (areHeeded && !subject.told.has(value)) yield* this.#announce(requirements);
    for (let i = subject.told.get(value) ?? 0; i < requirements.length; i++) {
      const requirement = requirements[i]!;
      if (!this.#isFound(requirement)) yield* this.#find(requirement);
      const told = this.#tellOne(subject, value, requirement);
      subject.told.set(value, i + 1);
      if (told !== undefined && this.#rulesOut(subject, told)) return false;
    }
    return true;
  }

  /** Whether all that a version requires has been told. */
  areTold(subject: PackageSubject, value: number): boolean {
    return (subject.told.get(value) ?? 0) === this.#of(subject, value).length;
  }

  /** The variables that a version's requirements name, in dependsOn order; all have been told. */
  variables(subject: PackageSubject, value: number): Variable[] {
    return this.#of(subject, value).map((requirement) =>
      requirement.requires === 'package'
        ? this.#context.subjects.required(requirement.repository).variable
        : this.#apis.get(requirement.demand).variable,
    );
  }

  #of(subject: PackageSubject, value: number): readonly Requirement[] {
    if (this.#context.problem.ignoreRequirements) return NOTHING;
    return subject.metas.get(value)?.requirements ?? NOTHING;
  }

  *#announce(requirements: readonly Requirement[]): Solving<void> {
    const selectors = requirements
      .filter((requirement) => requirement.requires === 'package')
      .map(({ repository, constraint }) => ({ repository, selector: selectorOf(constraint) }));
    yield* announceLists(selectors, this.#context);
  }

  #rulesOut(subject: PackageSubject, { terms }: Incompatibility): boolean {
    const { search } = this.#context;
    return terms.every((term) => term.variable === subject.variable || search.holds(term));
  }

  /** Whether it is known what there is to require. */
  #isFound(requirement: Requirement): boolean {
    if (requirement.requires === 'crd') return this.#apis.isFound(requirement.demand);
    const required = this.#context.subjects.required(requirement.repository);
    return this.#published.isFound(required, selectorOf(requirement.constraint));
  }

  *#find(requirement: Requirement): Solving<void> {
    if (requirement.requires === 'crd') yield* this.#apis.find(requirement.demand);
    else yield* this.#published.list(this.#context.subjects.required(requirement.repository));
  }

  #tellOne(
    subject: PackageSubject,
    value: number,
    requirement: Requirement,
  ): Incompatibility | undefined {
    if (requirement.requires === 'package') return this.#tellPackage(subject, value, requirement);
    const on = this.#apis.get(requirement.demand).variable;
    const { variable } = subject;
    const { text } = requirement;
    const key = `requires-api ${variable} ${text}`;
    return this.#context.statements.grow(key, { variable, value }, (by) => ({
      terms: [by, { variable: on, values: VersionSet.single(ABSENT) }],
      cause: { fact: 'requires-api', by, on, text },
    }));
  }

  #tellPackage(
    subject: PackageSubject,
    value: number,
    requirement: PackageRequirement,
  ): Incompatibility | undefined {
    const { repository, kind, constraint, line } = requirement;
    const required = this.#context.subjects.required(repository);
    const edge = subject.edges.get(required.variable) ?? VersionSet.none;
    subject.edges.set(required.variable, edge.with(value));
    const values = this.#published.found(required, selectorOf(constraint));
    if (required === subject) return this.#tellSelf(subject, value, { values, constraint, line });
    this.#kinds.expect(required, kind, subject, value);
    const { variable } = subject;
    const on = { variable: required.variable, values };
    const key = `requires ${variable} ${on.variable} ${constraint}`;
    return this.#context.statements.grow(key, { variable, value }, (by) => ({
      terms: [by, { variable: on.variable, values: values.complement() }],
      cause: { fact: 'requires', by, on, constraint, line },
    }));
  }

  /** A package that requires itself: a cycle; with cycles allowed, still a constraint. */
  #tellSelf(
    { variable }: PackageSubject,
    value: number,
    on: {
      readonly values: VersionSet;
      readonly constraint: string;
      readonly line: number | undefined;
    },
  ): Incompatibility | undefined {
    const { problem, statements } = this.#context;
    const by = { variable, values: VersionSet.single(value) };
    if (!problem.allowCycles) {
      return statements.tell({ terms: [by], cause: { fact: 'cycle', members: [by] } });
    }
    const { values, constraint, line } = on;
    if (values.has(value)) return undefined;
    const cause = { fact: 'requires', by, on: { variable, values }, constraint, line } as const;
    return statements.tell({ terms: [by], cause });
  }
}
