import { crdDemandText } from '../../model/crd-demand.js';
import type { Encoder } from '../../solver/encoder/encoder.js';
import { FIRST, type Term } from '../../solver/incompatibility.js';
import type { PackageSubject } from '../../solver/encoder/subject.js';
import type { Problem } from '../../solver/problem.js';
import { VersionSet } from '../../solver/version-set.js';
import { rangeText } from './range-text.js';

/** Part of step 3: how one search calls the things that its facts are about. */
export class NounPhrases {
  readonly problem: Problem;
  readonly encoder: Encoder;

  constructor(problem: Problem, encoder: Encoder) {
    this.problem = problem;
    this.encoder = encoder;
  }

  /** `acme/provider v1.0.0 to v1.2.0`, `every version of acme/provider`. */
  some({ variable, values }: Term): string {
    const subject = this.encoder.subject(variable);
    switch (subject.about) {
      case 'package': {
        const range = rangeText(subject.versions, values);
        const words = /^(every version|no version|\d+ versions)(.*)$/.exec(range);
        if (words === null) return `${subject.repository} ${range}`;
        return `${words[1]!} of ${subject.repository}${words[2]!}`;
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
