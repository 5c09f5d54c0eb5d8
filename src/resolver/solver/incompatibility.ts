import type {
  RootApi,
  RootCrossplane,
  RootPackage,
  RootRequirement,
  Rule,
  Ruling,
} from './problem.js';
import { VersionSet } from './version-set.js';
import type { Finding } from '../../crossplane/packages/package-meta.js';
import type { PackageKind } from '../../crossplane/packages/package.js';

/** Index of a variable: a package, the Crossplane release, or the owner of a required CRD. */
export type Variable = number;

/** The value of a package that is not installed, or of a CRD that has no owner. */
export const ABSENT = 0;
/** The value that stands for every version not discovered yet. */
export const OTHER = 1;
/** The first value that is a version, a release or an owner. The others follow it. */
export const FIRST = 2;

/** The statement that a variable takes one of these values. */
export interface Term {
  readonly variable: Variable;
  readonly values: VersionSet;
}

/** Terms that cannot all hold: a fact about packages, or a clause learned from others. */
export interface Incompatibility {
  readonly terms: readonly Term[];
  readonly cause: Fact | LearnedFrom;
  /** A wider incompatibility has replaced this one. Propagation may skip it. */
  superseded?: boolean;
}

/** A clause learned in a conflict: `parents` together imply it. */
interface LearnedFrom {
  readonly fact: 'derived';
  readonly parents: readonly Incompatibility[];
}

/** Why an incompatibility holds that no other incompatibility implies. */
export type Fact =
  /** A root requires a package; `on` is the versions that its selector matches. */
  | { readonly fact: 'root'; readonly root: RootPackage; readonly on: Term }
  /** A root requires a CRD. */
  | { readonly fact: 'root-api'; readonly root: RootApi; readonly on: Variable }
  /** `dependsOn` of a package names a package. */
  | {
      readonly fact: 'requires';
      readonly by: Term;
      readonly on: Term;
      readonly constraint: string;
      readonly line: number | undefined;
    }
  /** `dependsOn` of a package names a CRD. */
  | {
      readonly fact: 'requires-api';
      readonly by: Term;
      readonly on: Variable;
      readonly text: string;
    }
  /** Of the package that `api` chooses as the owner of a CRD, the versions `by` own it. */
  | {
      readonly fact: 'provides';
      readonly api: Term;
      readonly by: Term;
      /** Values that do not own the CRD. Versions not read yet may be in neither set. */
      readonly nonOwners: Term;
    }
  /** A package admits only these releases of Crossplane. */
  | {
      readonly fact: 'crossplane';
      readonly by: Term | RootCrossplane;
      readonly on: Term;
      readonly constraint: string;
    }
  /** Every version in `one` and every version in `other` own some object in common. */
  | { readonly fact: 'owns'; readonly one: Term; readonly other: Term }
  /** A requirement names one kind, and the package is of another. */
  | {
      readonly fact: 'kind';
      readonly by: Term | RootPackage;
      readonly on: Term;
      readonly wanted: PackageKind;
      readonly found: PackageKind;
    }
  /** A version that a requirement names does not exist. */
  | { readonly fact: 'missing'; readonly of: Term }
  /** A variable has no value but the known ones; `of` is all other values. */
  | { readonly fact: 'no-others'; readonly of: Term }
  /** The package can be read, and Crossplane rejects it. */
  | { readonly fact: 'rejected'; readonly of: Term; readonly findings: readonly Finding[] }
  /** The user excludes these versions. */
  | { readonly fact: 'excluded'; readonly of: Term; readonly rule: Rule }
  /** A policy of the user excludes these versions. */
  | { readonly fact: 'ruled-out'; readonly of: Term; readonly ruling: Ruling }
  /** Each member requires the next one, and the last member requires the first. */
  | { readonly fact: 'cycle'; readonly members: readonly Term[] };

export type FactOf<Kind extends Fact['fact']> = Extract<Fact, { readonly fact: Kind }>;

/** Names the variables and roots in a fact. */
export interface Names {
  nameOf(variable: Variable): string;
  rootIndex(root: RootRequirement): number;
}

/** What the solver knows about one kind of fact. */
interface FactKind<F extends Fact> {
  /** Terms that cannot all hold, because of the fact. */
  terms(fact: F): readonly Term[];
  /** Identifies the fact without its versions. Does not depend on the order of discovery. */
  key(fact: F, names: Names): string;
  /** The user or a publisher can change the fact. Nobody can change that a version is missing. */
  readonly isRemovable: boolean | ((fact: F) => boolean);
}

const FACT_KINDS: { readonly [Kind in Fact['fact']]: FactKind<FactOf<Kind>> } = {
  root: {
    terms: ({ on }) => [negate(on)],
    key: ({ root }, names) => `root ${names.rootIndex(root)}`,
    isRemovable: true,
  },
  'root-api': {
    terms: ({ on }) => [absent(on)],
    key: ({ root }, names) => `root ${names.rootIndex(root)}`,
    isRemovable: true,
  },
  requires: {
    // A package that requires itself in another version.
    terms: ({ by, on }) => (by.variable === on.variable ? [by] : [by, negate(on)]),
    key: ({ by, on, constraint }, names) =>
      `requires ${names.nameOf(by.variable)} ${names.nameOf(on.variable)} ${constraint}`,
    isRemovable: true,
  },
  'requires-api': {
    terms: ({ by, on }) => [by, absent(on)],
    key: ({ by, text }, names) => `requires ${names.nameOf(by.variable)} ${text}`,
    isRemovable: true,
  },
  provides: {
    terms: ({ api, nonOwners }) => [api, nonOwners],
    key: ({ api, by }, names) =>
      `provides ${names.nameOf(api.variable)} ${names.nameOf(by.variable)}`,
    isRemovable: false,
  },
  crossplane: {
    terms: ({ by, on }) => ('values' in by ? [by, negate(on)] : [negate(on)]),
    key: ({ by, constraint }, names) =>
      'values' in by
        ? `crossplane ${names.nameOf(by.variable)} ${constraint}`
        : `root ${names.rootIndex(by)}`,
    isRemovable: true,
  },
  owns: {
    terms: ({ one, other }) => [one, other],
    key: ({ one, other }, names) => `owns ${sortedNames([one, other], names)}`,
    isRemovable: true,
  },
  kind: {
    terms: ({ by, on }) => ('values' in by ? [by, on] : [on]),
    key: ({ by, on, wanted }, names) => {
      const from = 'values' in by ? names.nameOf(by.variable) : names.rootIndex(by);
      return `kind ${from} ${names.nameOf(on.variable)} ${wanted}`;
    },
    isRemovable: true,
  },
  missing: { ...aboutVersions('missing'), isRemovable: false },
  'no-others': { ...aboutVersions('no others'), isRemovable: false },
  rejected: { ...aboutVersions('rejected'), isRemovable: false },
  excluded: { ...aboutVersions('excluded'), isRemovable: true },
  'ruled-out': {
    terms: ({ of }) => [of],
    key: ({ of, ruling }, names) => `ruled out ${ruling.by} ${names.nameOf(of.variable)}`,
    // A search without the rule would send requests to a registry that the policy forbids.
    isRemovable: ({ ruling }) => ruling.by !== 'registries',
  },
  cycle: {
    terms: ({ members }) => members,
    key: ({ members }, names) => `cycle ${sortedNames(members, names)}`,
    isRemovable: true,
  },
};

/** Returns the terms that cannot all hold because of a fact. */
export function termsOf(fact: Fact): readonly Term[] {
  return kindOf(fact).terms(fact);
}

/** Returns the key of a fact: equal for facts that hold or are removed together. */
export function factKey(fact: Fact, names: Names): string {
  return kindOf(fact).key(fact, names);
}

/** Reports whether the user or a publisher can change a fact. */
export function isRemovable(fact: Fact): boolean {
  const removable = kindOf(fact).isRemovable;
  return typeof removable === 'boolean' ? removable : removable(fact);
}

function kindOf<F extends Fact>(fact: F): FactKind<F> {
  return FACT_KINDS[fact.fact] as unknown as FactKind<F>; // the record of the fact's own kind
}

function aboutVersions(
  name: string,
): Pick<FactKind<Fact & { readonly of: Term }>, 'terms' | 'key'> {
  return {
    terms: ({ of }) => [of],
    key: ({ of }, names) => `${name} ${names.nameOf(of.variable)}`,
  };
}

function negate({ variable, values }: Term): Term {
  return { variable, values: values.complement() };
}

function absent(variable: Variable): Term {
  return { variable, values: VersionSet.single(ABSENT) };
}

function sortedNames(terms: readonly Term[], names: Names): string {
  return terms
    .map(({ variable }) => names.nameOf(variable))
    .sort()
    .join(' ');
}
