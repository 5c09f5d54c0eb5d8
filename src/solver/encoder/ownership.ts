import { ownershipKey } from '../../model/owned-object.js';
import type { PackageMeta } from '../../model/package-meta.js';
import { FIRST, type Term, type Variable } from '../incompatibility.js';
import type { RootOwnership } from '../problem.js';
import { VersionSet } from '../version-set.js';
import type { EncoderContext } from './context.js';
import type { PackageSubject } from './subject.js';

/** Claims on one object: which versions of which packages, as far as they have been read, own it. */
type Claims = Map<Variable, VersionSet>;

/**
 * Who would own what. Two packages that claim one object cannot both be installed.
 *
 * | fact | incompatibility |
 * | --- | --- |
 * | a local package is installed | {local ≠ here} |
 * | p 1.2.0 and q 2.0.0 own one CRD | {p = 1.2.0, q = 2.0.0} |
 *
 * Linear in the number of objects: versions that claim the same objects share one set, so a
 * provider with ten thousand CRDs costs ten thousand map entries and a handful of sets.
 */
export class Ownership {
  readonly #context: EncoderContext;
  /** By object. */
  readonly #claims = new Map<string, Claims>();

  constructor(context: EncoderContext) {
    this.#context = context;
  }

  /** What a package under development owns is claimed before any version is read. */
  tellRoot(root: RootOwnership): void {
    const { subjects, statements } = this.#context;
    const { variable } = subjects.add((v) => ({ about: 'local', variable: v, root }));
    const here = VersionSet.single(FIRST);
    const terms = [{ variable, values: here.complement() }];
    statements.tell({ terms, cause: { fact: 'no-others', variable } });
    this.#claim(variable, FIRST, root.objects.map(ownershipKey));
  }

  /** States a pair for every package that claims an object of this version. */
  tellVersion({ variable }: PackageSubject, value: number, meta: PackageMeta): void {
    for (const [rival, values] of this.#claim(variable, value, meta.owns.map(ownershipKey))) {
      const other = { variable: rival, values };
      const key = `owns ${variable} ${rival} ${values.signature}`;
      this.#context.statements.grow(key, { variable, value }, (one) => ({
        terms: [one, other],
        cause: { fact: 'owns', one, other },
      }));
    }
  }

  /** Objects that some of these versions and some of those both claim; in code-point order. */
  shared(one: Term, other: Term): string[] {
    const keys: string[] = [];
    for (const [key, claims] of this.#claims) {
      const a = claims.get(one.variable);
      const b = claims.get(other.variable);
      if (a === undefined || b === undefined) continue;
      if (!a.isDisjointFrom(one.values) && !b.isDisjointFrom(other.values)) keys.push(key);
    }
    return keys.sort();
  }

  /** Records what one version owns; for every rival package, the versions that it excludes. */
  #claim(variable: Variable, value: number, keys: Iterable<string>): Map<Variable, VersionSet> {
    const rivals = new Map<Variable, VersionSet>();
    const counted = new Set<VersionSet>();
    const widened = new Map<VersionSet, VersionSet>();
    const only = VersionSet.single(value);
    for (const key of keys) {
      let claims = this.#claims.get(key);
      if (claims === undefined) this.#claims.set(key, (claims = new Map()));
      for (const [rival, values] of claims) {
        if (rival === variable || counted.has(values)) continue;
        counted.add(values);
        rivals.set(rival, values.or(rivals.get(rival) ?? VersionSet.none));
      }
      const before = claims.get(variable) ?? VersionSet.none;
      let after = widened.get(before);
      if (after === undefined) widened.set(before, (after = before.or(only)));
      claims.set(variable, after);
    }
    return rivals;
  }
}
