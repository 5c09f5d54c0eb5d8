import type {
  Incompatibility,
  Term,
  Variable,
} from '../../../src/resolver/solver/incompatibility.js';
import { Search } from '../../../src/resolver/solver/search.js';
import { VersionSet } from '../../../src/resolver/solver/version-set.js';

/** A step of a search. */
export type Step =
  | { readonly did: 'decide'; readonly term: Term; readonly level: number }
  | { readonly did: 'conclude'; readonly term: Term; readonly because: Incompatibility }
  | { readonly did: 'meet'; readonly conflict: Incompatibility }
  | { readonly did: 'learn'; readonly learned: Incompatibility }
  | { readonly did: 'jump'; readonly from: number; readonly to: number };

/** A search that records its steps for stories. */
export class RecordedSearch extends Search {
  readonly told: Incompatibility[] = [];
  readonly steps: Step[] = [];

  override add(fact: Incompatibility): void {
    this.told.push(fact);
    super.add(fact);
  }

  override decide(variable: Variable, value: number): void {
    super.decide(variable, value);
    const term = { variable, values: VersionSet.single(value) };
    this.steps.push({ did: 'decide', term, level: this.level });
  }

  override propagate(): Incompatibility | undefined {
    const before = this.trail.length;
    const conflict = super.propagate();
    for (const { variable, allowedAfter, cause } of this.trail.slice(before)) {
      this.steps.push({
        did: 'conclude',
        term: { variable, values: allowedAfter },
        because: cause!,
      });
    }
    if (conflict !== undefined) this.steps.push({ did: 'meet', conflict });
    return conflict;
  }

  override learn(conflict: Incompatibility): Incompatibility {
    const from = this.level;
    const learned = super.learn(conflict);
    this.steps.push({ did: 'learn', learned }, { did: 'jump', from, to: this.level });
    return learned;
  }
}
