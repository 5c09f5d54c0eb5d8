import type { Variable } from '../incompatibility.js';
import { VersionSet } from '../version-set.js';

/** Claims on one object: which versions of which packages, as far as they have been read, own it. */
type Claims = Map<Variable, VersionSet>;

/**
 * Who would own what. Two packages that claim one object cannot both be installed.
 *
 * Linear in the number of objects: versions that claim the same objects share one set, so a
 * provider with ten thousand CRDs costs ten thousand map entries and a handful of sets.
 */
export class Ownership {
  private readonly claims = new Map<string, Claims>();

  /** Records what one version owns; for every rival package, the versions that it excludes. */
  claim(variable: Variable, value: number, keys: Iterable<string>): Map<Variable, VersionSet> {
    const rivals = new Map<Variable, VersionSet>();
    const counted = new Set<VersionSet>();
    const widened = new Map<VersionSet, VersionSet>();
    const only = VersionSet.single(value);
    for (const key of keys) {
      let claims = this.claims.get(key);
      if (claims === undefined) this.claims.set(key, (claims = new Map()));
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

  /** Objects that some of these versions and some of those both claim; in code-point order. */
  shared(
    one: { readonly variable: Variable; readonly values: VersionSet },
    other: { readonly variable: Variable; readonly values: VersionSet },
  ): string[] {
    const keys: string[] = [];
    for (const [key, claims] of this.claims) {
      const a = claims.get(one.variable);
      const b = claims.get(other.variable);
      if (a === undefined || b === undefined) continue;
      if (!a.isDisjointFrom(one.values) && !b.isDisjointFrom(other.values)) keys.push(key);
    }
    return keys.sort();
  }
}
