import type { Subjects, PackageSubject } from './encoder-context.js';
import {
  type Incompatibility,
  type Fact,
  factKey,
  type FactOf,
  isRemovable,
  type Term,
} from './incompatibility.js';
import type { CrdRef } from '../../crossplane/packages/crd-ref.js';
import type { PackageMeta } from '../../crossplane/packages/package-meta.js';
import type { Repository } from '../../crossplane/packages/package.js';

/** The result of a search: the canonical solution, a proof that there is none, or neither. */
export type SearchResult =
  | Solution
  | (Proof & { readonly status: 'unsolvable'; readonly effort: Effort })
  | { readonly status: 'gave-up'; readonly effort: Effort };

export interface Solution {
  readonly status: 'solved';
  /** Index into the problem's releases. */
  readonly release: number;
  /** In the order of decision. */
  readonly selected: readonly SelectedPackage[];
  /** The owners of required CRDs that several packages own. */
  readonly owners: readonly ChosenOwner[];
  readonly effort: Effort;
}

export interface SelectedPackage {
  readonly repository: Repository;
  /** Tag or digest. */
  readonly version: string;
  readonly meta: PackageMeta;
}

export interface ChosenOwner {
  readonly crdRef: CrdRef;
  readonly owner: Repository;
  readonly others: readonly Repository[];
}

/** A proof that there is no solution. */
export interface Proof {
  /** A clause without terms, derived from facts. */
  readonly because: Incompatibility;
  /** The meaning of the variables in the facts. */
  readonly subjects: Subjects;
}

/** The cost of a search in steps that do not depend on the machine. */
export interface Effort {
  readonly decisions: number;
  readonly conflicts: number;
}

/** Returns the version of a package in a solution; undefined if it is not part of it. */
export function versionIn(solution: Solution, repository: Repository): string | undefined {
  return solution.selected.find((one) => one.repository === repository)?.version;
}

/** Cost of one conflict in steps. A decision costs one step. */
export const STEPS_PER_CONFLICT = 20;

/** Returns the cost of a search in steps. */
export function stepCount({ decisions, conflicts }: Effort): number {
  return decisions + conflicts * STEPS_PER_CONFLICT;
}

/** Returns the facts on which a proof rests, each once, in the order in which the proof uses them. */
export function proofFacts({ because }: Pick<Proof, 'because'>): Fact[] {
  const facts: Fact[] = [];
  const seen = new Set<Incompatibility>();
  const stack = [because];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    if (next.cause.fact === 'derived') stack.push(...next.cause.parents.toReversed());
    else facts.push(next.cause);
  }
  return facts;
}

/** Returns the facts of some kinds on which a proof rests. */
export function factsOf<Kind extends Fact['fact']>(
  proof: Pick<Proof, 'because'>,
  ...kinds: readonly Kind[]
): FactOf<Kind>[] {
  const isOfKind = (fact: Fact): fact is FactOf<Kind> => kinds.some((kind) => kind === fact.fact);
  return proofFacts(proof).filter(isOfKind);
}

/** Returns the package that a term is about. Throws an error if it is not about a package. */
export function packageOf({ variable }: Term, subjects: Subjects): PackageSubject {
  const subject = subjects.subject(variable);
  if (subject.about !== 'package') throw new Error('not about a package');
  return subject;
}

/** Joins the versions of two terms of one variable. */
export function unionOf(a: Term, b: Term): Term {
  return { variable: a.variable, values: a.values.or(b.values) };
}

/** Returns keys of the removable facts of a proof. */
export function removableKeys(proof: Proof): Set<string> {
  const debatable = proofFacts(proof).filter(isRemovable);
  return new Set(debatable.map((fact) => factKey(fact, proof.subjects)));
}
