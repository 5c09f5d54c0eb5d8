import facts from '../releases/releases.json' with { type: 'json' };

/**
 * A release of the Go library Masterminds/semver, with which Crossplane reads constraints: a name
 * in `dialects` of the release facts.
 */
export type Dialect = string;

/** The dialect for ranges that do not depend on a Crossplane release. It has no limits. */
export const INDEPENDENT_DIALECT: Dialect = '3.4.0';

/** How a release of the library differs from others. */
export interface DialectRules {
  /** 1: commas separate comparators. 3: spaces do, too. */
  readonly generation: 1 | 3;
  readonly maxConstraintBytes?: number;
  /** The number of groups that `||` separates. */
  readonly maxGroups?: number;
  readonly maxVersionBytes?: number;
  /** Errors quote the text that they are about. */
  readonly quotesErrors?: boolean;
}

// A test compares the document with these types.
const DIALECTS = facts.dialects as Readonly<Record<Dialect, DialectRules>>;

export function dialectRules(dialect: Dialect): DialectRules {
  return DIALECTS[dialect]!;
}
