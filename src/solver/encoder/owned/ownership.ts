import type { OwnedObject } from '../../../model/owned-object.js';
import type { PackageMeta } from '../../../model/package-meta.js';
import { FIRST, type Term, type Variable } from '../../incompatibility.js';
import type { RootOwnership } from '../../problem.js';
import { VersionSet } from '../../version-set.js';
import type { EncoderContext } from '../context.js';
import { OwnedKeys } from './owned-keys.js';
import type { PackageSubject } from '../subject.js';

/** Versions of one package that claim the same objects. */
interface Claim {
  readonly variable: Variable;
  readonly owned: OwnedKeys;
  /** Which one of all claims, by when it was made. */
  readonly order: number;
  values: VersionSet;
}

/**
 * Who would own what. Two packages that claim one object cannot both be installed.
 *
 * | fact | incompatibility |
 * | --- | --- |
 * | a local package is installed | {local ≠ here} |
 * | p 1.2.0 and q 2.0.0 own one CRD | {p = 1.2.0, q = 2.0.0} |
 *
 * Versions with equal lists of objects make one claim. Whether two lists overlap is found out once
 * (`OwnedKeys`), so versions and searches beyond the first cost nothing by the number of objects.
 * Rivals of a short list are found by its keys, of a long one by the few ends that these have.
 */
export class Ownership {
  readonly #context: EncoderContext;
  /** By package: one for each list of objects that its versions have. */
  readonly #claims = new Map<Variable, Claim[]>();
  /** Short lists, by key. */
  readonly #shortByKey = new Map<string, Claim[]>();
  /** By an end that keys of the list have. */
  readonly #shortByEnd = new Map<string, Claim[]>();
  readonly #longByEnd = new Map<string, Claim[]>();
  #claimsMade = 0;

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
    this.#claim(variable, FIRST, root.objects);
  }

  /** States a pair for every package that claims an object of this version. */
  tellVersion({ variable }: PackageSubject, value: number, meta: PackageMeta): void {
    for (const [rival, values] of this.#claim(variable, value, meta.owns)) {
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
    const keys = new Set<string>();
    for (const claim of this.#claimsOf(one)) {
      for (const rival of this.#claimsOf(other)) {
        for (const key of claim.owned.keys) if (rival.owned.keys.has(key)) keys.add(key);
      }
    }
    return [...keys].sort();
  }

  #claimsOf({ variable, values }: Term): Claim[] {
    const claims = this.#claims.get(variable) ?? [];
    return claims.filter((claim) => !claim.values.isDisjointFrom(values));
  }

  /** Records what one version owns; for every rival package, the versions that it excludes. */
  #claim(
    variable: Variable,
    value: number,
    objects: readonly OwnedObject[],
  ): Map<Variable, VersionSet> {
    const rivals = new Map<Variable, VersionSet>();
    if (objects.length === 0) return rivals;
    const owned = OwnedKeys.of(objects);
    for (const claim of this.#rivalsOf(variable, owned)) {
      const before = rivals.get(claim.variable) ?? VersionSet.none;
      rivals.set(claim.variable, claim.values.or(before));
    }
    this.#add(variable, owned, value);
    return rivals;
  }

  /** Claims of other packages that overlap; in the order of the objects that they have in common. */
  #rivalsOf(variable: Variable, owned: OwnedKeys): Claim[] {
    const found: { claim: Claim; place: number; end: number }[] = [];
    for (const claim of this.#near(owned)) {
      if (claim.variable === variable) continue;
      const place = owned.firstShared(claim.owned);
      if (place === Infinity) continue;
      found.push({ claim, place, end: owned.firstSharedEnd(claim.owned) });
    }
    found.sort((a, b) => a.place - b.place || a.end - b.end || a.claim.order - b.claim.order);
    return found.map(({ claim }) => claim);
  }

  /** Every claim that may overlap. */
  #near(owned: OwnedKeys): Set<Claim> {
    const near = new Set<Claim>();
    const meet = (claims: readonly Claim[] = []) => {
      for (const claim of claims) near.add(claim);
    };
    for (const end of owned.ends) {
      meet(this.#longByEnd.get(end));
      if (owned.isLong) meet(this.#shortByEnd.get(end));
    }
    if (!owned.isLong) for (const key of owned.keys) meet(this.#shortByKey.get(key));
    return near;
  }

  #add(variable: Variable, owned: OwnedKeys, value: number): void {
    const claims = listIn(this.#claims, variable);
    const like = claims.find((claim) => claim.owned === owned);
    if (like !== undefined) {
      like.values = like.values.with(value);
      return;
    }
    const claim = { variable, owned, order: this.#claimsMade++, values: VersionSet.single(value) };
    claims.push(claim);
    const byEnd = owned.isLong ? this.#longByEnd : this.#shortByEnd;
    for (const end of owned.ends) listIn(byEnd, end).push(claim);
    if (!owned.isLong) for (const key of owned.keys) listIn(this.#shortByKey, key).push(claim);
  }
}

/** The list of a key, made if there is none. */
function listIn<K, T>(lists: Map<K, T[]>, key: K): T[] {
  let list = lists.get(key);
  if (list === undefined) lists.set(key, (list = []));
  return list;
}
