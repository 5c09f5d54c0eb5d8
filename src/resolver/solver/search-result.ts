import type { ProofSubjects } from './encoder-context.js';
import type { Incompatibility } from './incompatibility.js';
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
  readonly demand: CrdRef;
  readonly owner: Repository;
  readonly others: readonly Repository[];
}

/** A proof that there is no solution. */
export interface Proof {
  /** A clause without terms, derived from facts. */
  readonly because: Incompatibility;
  /** The meaning of the variables in the facts. */
  readonly subjects: ProofSubjects;
}

/** The cost of a search in steps that do not depend on the machine. */
export interface Effort {
  readonly decisions: number;
  readonly conflicts: number;
}

/** Cost of one conflict in steps. A decision costs one step. */
export const STEPS_PER_CONFLICT = 20;

/** Returns the cost of a search in steps. */
export function stepCount({ decisions, conflicts }: Effort): number {
  return decisions + conflicts * STEPS_PER_CONFLICT;
}
