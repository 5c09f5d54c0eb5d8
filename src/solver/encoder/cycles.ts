import type { Term, Variable } from '../incompatibility.js';
import type { EncoderContext } from './context.js';
import type { Requirements } from './requirements.js';
import type { PackageSubject } from './subject.js';

/** What has been decided; undefined: nothing yet. */
type Decided = (variable: Variable) => number | undefined;

/**
 * Packages that require each other in a circle, which Crossplane never finishes installing.
 *
 * | fact | incompatibility |
 * | --- | --- |
 * | p 1.2.0 requires q, q 2.0.0 requires p | {p = 1.2.0, q = 2.0.0} |
 *
 * There may be very many cycles, so only those that the search is about to close are stated.
 */
export class Cycles {
  readonly #context: EncoderContext;
  readonly #requirements: Requirements;

  constructor(context: EncoderContext, requirements: Requirements) {
    this.#context = context;
    this.#requirements = requirements;
  }

  /** States the cycle that choosing this version would close; false: there is none. */
  tell(subject: PackageSubject, value: number, decided: Decided): boolean {
    const { problem, statements } = this.#context;
    if (problem.allowCycles) return false;
    const path = this.#pathBack(subject, value, decided);
    if (path === undefined) return false;
    const members = path.map(({ variable, edges }, i): Term => {
      const next = path[(i + 1) % path.length]!;
      return { variable, values: edges.get(next.variable)! };
    });
    return statements.tell({ terms: members, cause: { fact: 'cycle', members } }) !== undefined;
  }

  /** Packages from `start` through decided ones back to it, each requiring the next. */
  #pathBack(start: PackageSubject, value: number, decided: Decided): PackageSubject[] | undefined {
    const seen = new Set<Variable>();
    const walk = (from: PackageSubject, at: number): PackageSubject[] | undefined => {
      for (const child of this.#requirements.variables(from, at)) {
        if (child === start.variable) return [from];
        const next = this.#context.subjects.subject(child);
        const picked = decided(child);
        if (picked === undefined || next.about !== 'package' || seen.has(child)) continue;
        seen.add(child);
        const rest = walk(next, picked);
        if (rest !== undefined) return [from, ...rest];
      }
      return undefined;
    };
    return walk(start, value);
  }
}
