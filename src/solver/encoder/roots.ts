import { ANY } from '../../model/selector.js';
import { ABSENT, type Variable } from '../incompatibility.js';
import { announceLists } from '../prefetch/announce-lists.js';
import type { RootApi, RootPackage, RootRequirement } from '../problem.js';
import type { Solving } from '../question.js';
import { VersionSet } from '../version-set.js';
import type { Apis } from './apis.js';
import type { EncoderContext } from './context.js';
import type { Crossplane } from './crossplane.js';
import type { Kinds } from './kinds.js';
import type { Ownership } from './owned/ownership.js';
import type { PublishedVersions } from './published-versions.js';

/** Those who state what a root asks for. */
interface RootParts {
  readonly published: PublishedVersions;
  readonly kinds: Kinds;
  readonly apis: Apis;
  readonly crossplane: Crossplane;
  readonly ownership: Ownership;
}

/**
 * What the roots ask for.
 *
 * | fact | incompatibility |
 * | --- | --- |
 * | a root wants p in S | {p ∉ S} |
 * | a root wants the CRD k | {owner of k = absent} |
 */
export class Roots {
  readonly #context: EncoderContext;
  readonly #parts: RootParts;

  constructor(context: EncoderContext, parts: RootParts) {
    this.#context = context;
    this.#parts = parts;
  }

  /** Tells the search all of it; the variables that roots name, in their order. */
  *tell(): Solving<Variable[]> {
    const { roots } = this.#context.problem;
    const packages = roots.filter((root) => root.requires === 'package');
    this.#noteNamed(packages);
    yield* announceLists(packages, this.#context);
    const named: Variable[] = [];
    for (const root of roots) {
      const variable = yield* this.#tellOne(root);
      if (variable !== undefined) named.push(variable);
    }
    return named;
  }

  /**
   * Makes known every tag and digest that the user names. A range asked for before is to see them
   * too: a tag that Crossplane would not pick by itself satisfies it all the same.
   */
  #noteNamed(roots: readonly RootPackage[]): void {
    const { problem, subjects } = this.#context;
    for (const { repository, selector } of roots) {
      if (selector.form !== 'range') subjects.required(repository).versions.selected(selector);
    }
    for (const [repository, { selector }] of problem.overrides) {
      if (selector.form !== 'range') subjects.package(repository).versions.selected(selector);
    }
  }

  *#tellOne(root: RootRequirement): Solving<Variable | undefined> {
    switch (root.requires) {
      case 'package':
        return yield* this.#tellPackage(root);
      case 'api':
        return yield* this.#tellApi(root);
      case 'crossplane':
        this.#parts.crossplane.tellRoot(root);
        return undefined;
      case 'owns':
        this.#parts.ownership.tellRoot(root);
        return undefined;
    }
  }

  *#tellPackage(root: RootPackage): Solving<Variable> {
    const { subjects, statements } = this.#context;
    const subject = subjects.required(root.repository);
    const { variable } = subject;
    const values = yield* this.#wanted(root);
    statements.tell({
      terms: [{ variable, values: values.complement() }],
      cause: { fact: 'root', root, on: { variable, values } },
    });
    if (root.kind !== undefined) this.#parts.kinds.expectForRoot(subject, root.kind, root);
    return variable;
  }

  *#wanted({ repository, selector, isRelaxed = false }: RootPackage): Solving<VersionSet> {
    const subject = this.#context.subjects.required(repository);
    const asked = yield* this.#parts.published.selected(subject, selector);
    if (!isRelaxed) return asked;
    return asked.or(yield* this.#parts.published.selected(subject, ANY));
  }

  *#tellApi(root: RootApi): Solving<Variable> {
    const { variable } = yield* this.#parts.apis.find(root.crd);
    this.#context.statements.tell({
      terms: [{ variable, values: VersionSet.single(ABSENT) }],
      cause: { fact: 'root-api', root, on: variable },
    });
    return variable;
  }
}
