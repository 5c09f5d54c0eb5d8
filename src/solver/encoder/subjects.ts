import type { Repository } from '../../model/package.js';
import type { Selector } from '../../model/selector.js';
import { effectiveRepository } from '../effective.js';
import type { Names } from '../fact-key.js';
import type { Variable } from '../incompatibility.js';
import type { Problem, RootRequirement } from '../problem.js';
import type { Search } from '../search.js';
import { PackageVersions } from './package-versions.js';
import type { PackageSubject, Subject } from './subject.js';

/** The variables of one search, and what each of them stands for. */
export class Subjects implements Names {
  readonly #problem: Problem;
  readonly #search: Search;
  readonly #subjects: Subject[] = [];
  readonly #packages = new Map<Repository, PackageSubject>();

  constructor(problem: Problem, search: Search) {
    this.#problem = problem;
    this.#search = search;
  }

  subject(variable: Variable): Subject {
    return this.#subjects[variable]!;
  }

  /** How many variables there are; they are numbered from 0. */
  get count(): number {
    return this.#subjects.length;
  }

  rootIndex(root: RootRequirement): number {
    return this.#problem.roots.indexOf(root);
  }

  add<S extends Subject>(make: (variable: Variable) => S): S {
    const subject = make(this.#search.addVariable());
    this.#subjects.push(subject);
    return subject;
  }

  /** The package that a requirement means, which is not always the one that it names. */
  required(named: Repository): PackageSubject {
    return this.package(effectiveRepository(this.#problem, named));
  }

  /** The package, if anything has named it yet. */
  packageIfKnown(repository: Repository): PackageSubject | undefined {
    return this.#packages.get(repository);
  }

  package(repository: Repository): PackageSubject {
    let subject = this.#packages.get(repository);
    if (subject === undefined) {
      subject = this.add((variable) => this.#unknownPackage(repository, variable));
      this.#packages.set(repository, subject);
    }
    return subject;
  }

  #unknownPackage(repository: Repository, variable: Variable): PackageSubject {
    return {
      about: 'package',
      variable,
      repository,
      versions: new PackageVersions(this.#problem, {
        prereleases: this.#problem.prereleases.has(repository),
        locked: this.#problem.locked.get(repository),
        left: this.#leftBy(repository),
      }),
      exists: true,
      metas: new Map(),
      read: new Set(),
      told: new Map(),
      kinds: new Map(),
      expectedKinds: new Map(),
      edges: new Map(),
      screened: 0,
      governed: 0,
      refused: undefined,
    };
  }

  /** What a relaxed root asks for, which other versions may be taken for. */
  #leftBy(repository: Repository): Selector | undefined {
    const relaxed = this.#problem.roots
      .filter((root) => root.requires === 'package')
      .filter(({ isRelaxed = false }) => isRelaxed)
      .find((root) => effectiveRepository(this.#problem, root.repository) === repository);
    return relaxed?.selector;
  }
}
