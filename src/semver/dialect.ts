/**
 * A release of the Go library Masterminds/semver. Crossplane reads constraints with it, and the two
 * releases disagree on what some constraints admit.
 */
export type Dialect = '1.5.0' | '3.4.0';
