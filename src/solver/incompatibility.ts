import type { Fact } from './fact.js';
import type { VersionSet } from './version-set.js';

/** Index of a variable: a package, the Crossplane release, or the owner of a required CRD. */
export type Variable = number;

/** The value of a variable that takes none: a package that is not installed. */
export const ABSENT = 0;
/** The value that stands for every version not discovered yet. */
export const OTHER = 1;
/** The first value that is a version, a release or an owner; the others follow it. */
export const FIRST = 2;

/** The statement that a variable takes one of these values. */
export interface Term {
  readonly variable: Variable;
  readonly values: VersionSet;
}

/** Terms that cannot all hold; either a fact about packages, or derived from others. */
export interface Incompatibility {
  readonly terms: readonly Term[];
  readonly cause: Fact | Derived;
  /** One that says this and more has taken its place; propagation may pass it over. */
  superseded?: boolean;
}

/** Learned in a conflict: follows from `parents` together. */
export interface Derived {
  readonly fact: 'derived';
  readonly parents: readonly Incompatibility[];
}
