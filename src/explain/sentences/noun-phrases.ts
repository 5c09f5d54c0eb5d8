import { crdDemandText } from '../../model/crd-demand.js';
import type { Repository } from '../../model/package.js';
import type { Encoder } from '../../solver/encoder/encoder.js';
import { FIRST, type Term } from '../../solver/incompatibility.js';
import type { PackageSubject } from '../../solver/encoder/subject.js';
import type { Problem } from '../../solver/problem.js';
import { VersionSet } from '../../solver/version-set.js';
import { EVERY_VERSION, rangeText } from './range-text.js';
import { conjugated, type Verb } from './verb.js';
import { andList, orList } from './word-list.js';

/** Part of step 3: how one search calls the things that its facts are about. */
export class NounPhrases {
  readonly problem: Problem;
  readonly encoder: Encoder;

  /** What a package is called. */
  readonly name: (repository: Repository) => string;

  /** `name`: what packages are called, where not by their repository. */
  constructor(
    problem: Problem,
    encoder: Encoder,
    name: (repository: Repository) => string = (repository) => repository,
  ) {
    this.problem = problem;
    this.encoder = encoder;
    this.name = name;
  }

  /** `acme/provider v1.0.0 to v1.2.0`, `every version of acme/provider`. */
  some(term: Term): string {
    return this.#versions(term, orList);
  }

  /** `acme/provider v1.0.0 and v1.2.0`, `every version of acme/provider`. */
  those(term: Term): string {
    return this.#versions(term, andList);
  }

  /** `acme/provider v1.0.0 to v1.2.0 require`, `every version of acme/provider requires`. */
  does(term: Term, verb: Verb): string {
    return `${this.those(term)} ${conjugated(verb, this.isMany(term))}`;
  }

  /** Whether the versions of a term are spoken of as several. */
  isMany({ variable, values }: Term): boolean {
    const subject = this.encoder.subject(variable);
    if (subject.about !== 'package') return false;
    const { versions } = subject;
    const inside = versions.all().filter((value) => values.has(value));
    return inside.length > 1 && rangeText(versions, values) !== EVERY_VERSION;
  }

  #versions({ variable, values }: Term, list: (items: readonly string[]) => string): string {
    const subject = this.encoder.subject(variable);
    switch (subject.about) {
      case 'package': {
        const name = this.name(subject.repository);
        const range = rangeText(subject.versions, values, list);
        const words = /^(every version|no version|\d+ versions)(.*)$/.exec(range);
        return words === null ? `${name} ${range}` : `${words[1]!} of ${name}${words[2]!}`;
      }
      case 'crossplane':
        return `Crossplane ${this.releases(values)}`;
      case 'api':
        return `a package that owns ${crdDemandText(subject.demand)}`;
      case 'local':
        return subject.root.by!;
    }
  }

  /** `v1.20.0`, `v1.20.0 to v2.1.0`. */
  releases(values: VersionSet): string {
    const inside = this.problem.releases.filter((_, i) => values.has(FIRST + i));
    if (inside.length === 0) return 'of another version';
    if (inside.length === 1) return inside[0]!.raw;
    return `${inside.at(-1)!.raw} to ${inside[0]!.raw}`;
  }

  /** The releases that are asked for, as a clause. */
  target(): string {
    return `the target is Crossplane ${this.releases(VersionSet.all)}`;
  }

  /** What the values of a term are versions of. */
  package({ variable }: Term): PackageSubject {
    const subject = this.encoder.subject(variable);
    if (subject.about !== 'package') throw new Error('not about a package');
    return subject;
  }
}
