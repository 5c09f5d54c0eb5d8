import type { PackageKind } from '../model/package.js';
import type { Finding } from '../model/package-meta.js';
import type { Ruling } from '../model/policy/ruling.js';
import type { Term, Variable } from './incompatibility.js';
import type { RootApi, RootCrossplane, RootPackage, Rule } from './problem.js';
import type { VersionSet } from './version-set.js';

/**
 * Why an incompatibility holds when no other incompatibility implies it. The terms of a fact say
 * which versions of which package it is about.
 */
export type Fact =
  /** A root asks for a package, and these versions are what it means. */
  | { readonly fact: 'root'; readonly root: RootPackage; readonly on: Term }
  /** A root asks for a CRD. */
  | { readonly fact: 'root-api'; readonly root: RootApi; readonly on: Variable }
  /** dependsOn. */
  | {
      readonly fact: 'requires';
      readonly by: Term;
      readonly on: Term;
      readonly constraint: string;
      readonly line: number | undefined;
    }
  /** dependsOn, by CRD. */
  | {
      readonly fact: 'requires-api';
      readonly by: Term;
      readonly on: Variable;
      readonly text: string;
    }
  /** To own the CRD, the package must be one of these versions. */
  | { readonly fact: 'provides'; readonly api: Term; readonly by: Term }
  /** Only these releases of Crossplane will do. */
  | {
      readonly fact: 'crossplane';
      readonly by: Term | RootCrossplane;
      readonly constraint: string;
      readonly admits: VersionSet;
    }
  /** Each of the one and each of the other would own some object of the same name. */
  | { readonly fact: 'owns'; readonly one: Term; readonly other: Term }
  /** The requirement names one kind, the package is of another. */
  | {
      readonly fact: 'kind';
      readonly by: Term | RootPackage;
      readonly on: Term;
      readonly wanted: PackageKind;
      readonly found: PackageKind;
    }
  /** A version that a requirement names does not exist. */
  | { readonly fact: 'missing'; readonly of: Term }
  /** There are no values but those known: no further version, release or owner. */
  | { readonly fact: 'no-others'; readonly variable: Variable }
  /** Read intact, and refused by the target. */
  | { readonly fact: 'rejected'; readonly of: Term; readonly findings: readonly Finding[] }
  | { readonly fact: 'excluded'; readonly of: Term; readonly rule: Rule }
  /** A policy of the user's forbids them. */
  | { readonly fact: 'ruled-out'; readonly of: Term; readonly ruling: Ruling }
  /** Each requires the next, the last the first. */
  | { readonly fact: 'cycle'; readonly members: readonly Term[] };
