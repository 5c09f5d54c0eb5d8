import type { CrdDemand } from '../model/crd-demand.js';
import type { PackageMeta } from '../model/package-meta.js';
import type { Repository } from '../model/package.js';
import type { Encoder } from './encoder/encoder.js';
import type { Incompatibility } from './incompatibility.js';

/** How a search ends: with the one answer, with a proof that there is none, or undecided. */
export type SearchResult =
  | Solution
  | (Proof & { readonly status: 'unsolvable'; readonly effort: Effort })
  | { readonly status: 'gave-up'; readonly effort: Effort };

export interface Solution {
  readonly status: 'solved';
  /** Index into the problem's releases. */
  readonly release: number;
  /** In the order of decision. */
  readonly selected: readonly Selected[];
  /** The CRDs that were required and that several packages own: which owner was taken. */
  readonly owners: readonly ChosenOwner[];
  readonly effort: Effort;
}

export interface Selected {
  readonly repository: Repository;
  /** Tag or digest. */
  readonly version: string;
  readonly meta: PackageMeta;
}

export interface ChosenOwner {
  readonly demand: CrdDemand;
  readonly owner: Repository;
  readonly others: readonly Repository[];
}

/** Why nothing satisfies everything. */
export interface Proof {
  /** Derived from facts, and without terms. */
  readonly because: Incompatibility;
  /** Knows what the variables in those facts stand for. */
  readonly encoder: Encoder;
}

/** What a search cost, in steps that do not depend on the machine. */
export interface Effort {
  readonly decisions: number;
  readonly conflicts: number;
}
