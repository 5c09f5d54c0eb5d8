import type { PackageMeta } from '../../model/package-meta.js';
import { parseConstraint } from '../../semver/constraint.js';
import { FIRST, type Variable } from '../incompatibility.js';
import type { RootCrossplane } from '../problem.js';
import { VersionSet } from '../version-set.js';
import type { EncoderContext } from './context.js';
import type { PackageSubject } from './subject.js';

/**
 * The Crossplane release, a variable like any other; value `FIRST + i` is release i of the problem.
 *
 * | fact | incompatibility |
 * | --- | --- |
 * | these are all the releases to choose from | {crossplane ∉ releases} |
 * | a local package needs Crossplane in C | {crossplane ∉ C} |
 * | p 1.2.0 needs Crossplane in C | {p = 1.2.0, crossplane ∉ C} |
 */
export class Crossplane {
  readonly variable: Variable;
  readonly #context: EncoderContext;
  readonly #releases: VersionSet;
  /** By constraint. */
  readonly #admitted = new Map<string, VersionSet>();

  constructor(context: EncoderContext) {
    this.#context = context;
    this.#releases = VersionSet.of(context.problem.releases.map((_, i) => FIRST + i));
    const { variable } = context.subjects.add((v) => ({ about: 'crossplane', variable: v }));
    this.variable = variable;
    const terms = [{ variable, values: this.#releases.complement() }];
    context.statements.tell({ terms, cause: { fact: 'no-others', variable } });
  }

  tellRoot(root: RootCrossplane): void {
    const { constraint } = root;
    const admits = this.#admits(constraint);
    const terms = [{ variable: this.variable, values: admits.complement() }];
    const cause = { fact: 'crossplane', by: root, constraint, admits } as const;
    this.#context.statements.tell({ terms, cause });
  }

  tellVersion(subject: PackageSubject, value: number, meta: PackageMeta): void {
    const { problem, statements } = this.#context;
    const { crossplane: constraint } = meta;
    if (constraint === undefined || problem.anyCrossplane.has(subject.repository)) return;
    const admits = this.#admits(constraint);
    if (this.#releases.isSubsetOf(admits)) return;
    const { variable } = subject;
    statements.grow(`crossplane ${variable} ${constraint}`, { variable, value }, (by) => ({
      terms: [by, { variable: this.variable, values: admits.complement() }],
      cause: { fact: 'crossplane', by, constraint, admits },
    }));
  }

  #admits(text: string): VersionSet {
    const known = this.#admitted.get(text);
    if (known !== undefined) return known;
    const { dialect, releases } = this.#context.problem;
    const constraint = parseConstraint(text, dialect);
    if (constraint.invalid) throw new Error(`unchecked Crossplane constraint ${text}`);
    const values = releases.flatMap((version, i) =>
      constraint.admits(version) ? [FIRST + i] : [],
    );
    const admitted = VersionSet.of(values);
    this.#admitted.set(text, admitted);
    return admitted;
  }
}
