import {
  type Fact,
  factKey,
  type Incompatibility,
  isRemovable,
  type Names,
  type Term,
  termsOf,
  type Variable,
} from './incompatibility.js';
import { PackageVersions } from './package-versions.js';
import {
  effectiveRepository,
  type Problem,
  type RootOwnership,
  type RootPackage,
  type RootRequirement,
} from './problem.js';
import type { Solving } from './question.js';
import type { Search } from './search.js';
import { VersionSet } from './version-set.js';
import { getOrCreate } from '../../base/collections.js';
import type { Selector } from '../../crossplane/constraints/constraint.js';
import { type CrdRef, formatCrdRef } from '../../crossplane/packages/crd-ref.js';
import type { PackageMeta } from '../../crossplane/packages/package-meta.js';
import type { PackageKind, Repository } from '../../crossplane/packages/package.js';

export interface EncoderContext {
  readonly problem: Problem;
  readonly search: Search;
  readonly subjects: Subjects;
  readonly facts: Facts;
  readonly observer: SearchObserver;
}

/** Is called before a search requests data. It must not change the search. */
export interface SearchObserver {
  /** Called before the tag lists are requested that these selectors need. */
  beforeSelecting(selectors: () => readonly RepositorySelector[]): Solving<void>;
  beforeReading(version: PackageVersion, upcoming: UpcomingReads): Solving<void>;
}

export interface RepositorySelector {
  readonly repository: Repository;
  readonly selector: Selector;
}

/** A version of a package, as a value of its variable. */
export interface PackageVersion {
  readonly subject: PackageSubject;
  readonly value: number;
}

/** What the search knows about the reads that follow the current one. */
export interface UpcomingReads {
  /** Versions that will be read, in this order; undefined: the decision queue determines them. */
  readonly next?: () => Iterable<PackageVersion>;
  /** Whether other versions of the same package follow if this version is excluded. */
  readonly triesOtherVersions: boolean;
}

/** The meaning of a variable, and what is known about it. */
export type Subject = PackageSubject | CrossplaneSubject | ApiSubject | LocalSubject;

export interface PackageSubject {
  readonly about: 'package';
  readonly variable: Variable;
  readonly repository: Repository;
  readonly versions: PackageVersions;
  /** false: no source has the repository. */
  exists: boolean;
  readonly metas: Map<number, PackageMeta>;
  /** Values that have been read, whether the version is usable, missing or rejected. */
  readonly read: Set<number>;
  /** Number of requirements that were added to the search, by value. */
  readonly addedRequirements: Map<number, number>;
  /** Versions that have been read, by their kind. */
  readonly kinds: Map<PackageKind, VersionSet>;
  /** The kinds that requirements name for this package. */
  readonly expectedKinds: Map<string, ExpectedKind>;
  /** Versions that require another package, by the variable of that package. */
  readonly edges: Map<Variable, VersionSet>;
  /** Number of values that exclusions and policies have been applied to. */
  checkedUpTo: number;
  /** Whether a policy excludes every version; undefined: not checked yet. */
  isRefused: boolean | undefined;
}

/** A kind that a root, or versions of a package, name for a package. */
export interface ExpectedKind {
  readonly kind: PackageKind;
  readonly by: Term | RootPackage;
}

interface CrossplaneSubject {
  readonly about: 'crossplane';
  readonly variable: Variable;
}

/** The owner of a required CRD. Each value is a package that may own it. */
export interface ApiSubject {
  readonly about: 'api';
  readonly variable: Variable;
  readonly crdRef: CrdRef;
  /** `owners[i]` is value `FIRST + i`; sorted by repository in code-point order. */
  readonly owners: readonly PackageSubject[];
}

/** A package under development, which is always installed. */
interface LocalSubject {
  readonly about: 'local';
  readonly variable: Variable;
  readonly root: RootOwnership;
}

/** The variables of a search and their meaning. */
export class Subjects implements Names {
  /** The variable of the Crossplane release. */
  readonly crossplane: Variable;
  readonly #problem: Problem;
  readonly #search: Search;
  readonly #subjects: Subject[] = [];
  readonly #packages = new Map<Repository, PackageSubject>();
  readonly #rootIndexes: ReadonlyMap<RootRequirement, number>;
  /** The selectors of relaxed roots, by repository. */
  readonly #relaxed = new Map<Repository, Selector>();

  constructor(problem: Problem, search: Search) {
    this.#problem = problem;
    this.#search = search;
    this.#rootIndexes = new Map(problem.roots.map((root, i) => [root, i]));
    this.crossplane = this.add((variable) => ({ about: 'crossplane', variable })).variable;
    for (const root of problem.roots) {
      if (root.requires !== 'package' || root.isRelaxed !== true) continue;
      const repository = effectiveRepository(problem, root.repository);
      if (!this.#relaxed.has(repository)) this.#relaxed.set(repository, root.selector);
    }
  }

  subject(variable: Variable): Subject {
    return this.#subjects[variable]!;
  }

  /** Number of variables. They are numbered from 0. */
  get count(): number {
    return this.#subjects.length;
  }

  nameOf(variable: Variable): string {
    const subject = this.subject(variable);
    if (subject.about === 'crossplane') return 'Crossplane';
    if (subject.about === 'api') return formatCrdRef(subject.crdRef);
    return subject.about === 'local' ? `root ${this.rootIndex(subject.root)}` : subject.repository;
  }

  rootIndex(root: RootRequirement): number {
    return this.#rootIndexes.get(root) ?? -1;
  }

  add<S extends Subject>(make: (variable: Variable) => S): S {
    const subject = make(this.#search.addVariable());
    this.#subjects.push(subject);
    return subject;
  }

  /** Returns the package that a requirement names, or its replacement. */
  required(named: Repository): PackageSubject {
    return this.package(effectiveRepository(this.#problem, named));
  }

  /** Returns the package if a requirement has named it. */
  packageIfKnown(repository: Repository): PackageSubject | undefined {
    return this.#packages.get(repository);
  }

  package(repository: Repository): PackageSubject {
    const { prereleases, locked } = this.#problem;
    const createSubject = (variable: Variable): PackageSubject => ({
      about: 'package',
      variable,
      repository,
      versions: new PackageVersions(this.#problem, {
        prereleases: prereleases.has(repository),
        locked: locked.get(repository),
        preferNear: this.#relaxed.get(repository),
      }),
      exists: true,
      metas: new Map(),
      read: new Set(),
      addedRequirements: new Map(),
      kinds: new Map(),
      expectedKinds: new Map(),
      edges: new Map(),
      checkedUpTo: 0,
      isRefused: undefined,
    });
    return getOrCreate(this.#packages, repository, () => this.add(createSubject));
  }
}

/**
 * Adds facts to the search.
 *
 * Several versions of a package often imply the same fact. They share one incompatibility, which
 * grows as versions are read:
 *
 *     {p = 1.2.0, q ∉ S}   becomes   {p ∈ 1.1.0…1.2.0, q ∉ S}
 *
 * The search then checks one incompatibility instead of dozens, and a clause learned from it covers
 * all these versions. No version is read to make a fact grow.
 */
export class Facts {
  readonly #search: Search;
  readonly #names: Names;
  readonly #only: Pick<ReadonlySet<string>, 'has'> | undefined;
  readonly #growing = new Map<string, Incompatibility>();

  /** `only`: keys of the removable facts to add; undefined: all of them. */
  constructor(search: Search, names: Names, only: Pick<ReadonlySet<string>, 'has'> | undefined) {
    this.#search = search;
    this.#names = names;
    this.#only = only;
  }

  /** Adds a fact. Returns undefined if it is a removable fact that `only` leaves out. */
  add(fact: Fact, terms = termsOf(fact)): Incompatibility | undefined {
    if (this.#only !== undefined && isRemovable(fact)) {
      if (!this.#only.has(factKey(fact, this.#names))) return undefined;
    }
    // A term that always holds has no effect.
    const added = { terms: terms.filter(({ values }) => !values.isAll), cause: fact };
    this.#search.add(added);
    return added;
  }

  /** Extends the fact with this key to one more version, or adds it. */
  grow(
    key: string,
    { variable, value }: { readonly variable: Variable; readonly value: number },
    factFor: (versions: Term) => Fact,
  ): Incompatibility | undefined {
    const before = this.#growing.get(key)?.terms.find((term) => term.variable === variable);
    const values = (before?.values ?? VersionSet.none).with(value);
    return this.replace(key, factFor({ variable, values }));
  }

  /** Replaces the narrower fact with this key. */
  replace(key: string, wider: Fact): Incompatibility | undefined {
    const narrower = this.#growing.get(key);
    const terms = termsOf(wider);
    const isSame = narrower?.terms.every(({ values }, i) => values.equals(terms[i]!.values));
    if (isSame === true) return narrower;
    const added = this.add(wider, terms);
    if (added === undefined) return undefined;
    if (narrower !== undefined) narrower.superseded = true;
    this.#growing.set(key, added);
    return added;
  }
}
