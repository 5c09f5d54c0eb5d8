import type { PackageKind } from '../model/package.js';
import type { Finding } from '../model/package-meta.js';
import type { Variable } from './incompatibility.js';
import type { RootApi, RootCrossplane, RootPackage, Rule } from './problem.js';
import type { VersionSet } from './version-set.js';

/** Some values of a variable: some versions of a package, as a rule. */
export interface Some {
  readonly variable: Variable;
  readonly values: VersionSet;
}

/** Why an incompatibility holds when no other incompatibility implies it. */
export type Fact =
  /** A root asks for a package, and these versions are what it means. */
  | { readonly fact: 'root'; readonly root: RootPackage; readonly on: Some }
  /** A root asks for a CRD. */
  | { readonly fact: 'root-api'; readonly root: RootApi; readonly on: Variable }
  /** dependsOn. */
  | {
      readonly fact: 'requires';
      readonly by: Some;
      readonly on: Some;
      readonly constraint: string;
      readonly line: number | undefined;
    }
  /** dependsOn, by CRD. */
  | {
      readonly fact: 'requires-api';
      readonly by: Some;
      readonly on: Variable;
      readonly text: string;
    }
  /** To own the CRD, the package must be one of these versions. */
  | { readonly fact: 'provides'; readonly api: Some; readonly by: Some }
  /** Only these releases of Crossplane will do. */
  | {
      readonly fact: 'crossplane';
      readonly by: Some | RootCrossplane;
      readonly constraint: string;
      readonly admits: VersionSet;
    }
  /** Each of the one and each of the other would own some object of the same name. */
  | { readonly fact: 'owns'; readonly one: Some; readonly other: Some }
  /** The edge says one kind, the package is another. */
  | {
      readonly fact: 'kind';
      readonly by: Some | RootPackage;
      readonly on: Some;
      readonly wanted: PackageKind;
      readonly found: PackageKind;
    }
  /** A version that somebody names does not exist. */
  | { readonly fact: 'missing'; readonly of: Some }
  /** There are no values but those known: no further version, release or owner. */
  | { readonly fact: 'no-others'; readonly variable: Variable }
  /** Read intact, and refused by the target. */
  | { readonly fact: 'rejected'; readonly of: Some; readonly findings: readonly Finding[] }
  | { readonly fact: 'excluded'; readonly of: Some; readonly rule: Rule }
  /** Each requires the next, the last the first. */
  | { readonly fact: 'cycle'; readonly members: readonly Some[] };
