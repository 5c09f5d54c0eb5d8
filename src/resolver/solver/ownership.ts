import type { EncoderContext, PackageSubject } from './encoder-context.js';
import { FIRST, type Variable } from './incompatibility.js';
import type { RootOwnership } from './problem.js';
import { VersionSet } from './version-set.js';
import { getOrCreate } from '../../base/collections.js';
import { type OwnedObject, ownershipKey } from '../../crossplane/packages/owned-objects.js';
import type { PackageMeta } from '../../crossplane/packages/package-meta.js';

/** Versions of one package that own the same objects. */
interface Claim {
  readonly variable: Variable;
  readonly owned: OwnedKeys;
  /** Number of claims that were made before. */
  readonly order: number;
  values: VersionSet;
}

/**
 * The objects that packages own. Two packages that own the same object cannot both be installed.
 *
 * | fact | incompatibility |
 * | --- | --- |
 * | a local package is installed | {local ≠ here} |
 * | p 1.2.0 and q 2.0.0 own one CRD | {p = 1.2.0, q = 2.0.0} |
 *
 * Versions with equal lists of objects share one claim, and two lists are compared once
 * (`OwnedKeys`). Claims that overlap with a short list are found by its keys. A long list has few
 * different key suffixes, so overlapping claims are found by these.
 */
export class Ownership {
  readonly #context: EncoderContext;
  /** One for each distinct list of objects, by package. */
  readonly #claims = new Map<Variable, Claim[]>();
  /** Claims with short lists, by key. */
  readonly #shortByKey = new Map<string, Claim[]>();
  /** Claims with short lists, by key suffix. */
  readonly #shortBySuffix = new Map<string, Claim[]>();
  readonly #longBySuffix = new Map<string, Claim[]>();
  #claimCount = 0;

  constructor(context: EncoderContext) {
    this.#context = context;
  }

  /** Adds a package under development and the objects that it owns. */
  addRoot(root: RootOwnership): void {
    const { subjects, facts } = this.#context;
    const { variable } = subjects.add((v) => ({ about: 'local', variable: v, root }));
    const here = VersionSet.single(FIRST);
    facts.add({ fact: 'no-others', of: { variable, values: here.complement() } });
    this.#claim(variable, FIRST, root.objects);
  }

  /** Adds a conflict with every package that owns an object of this version. */
  addVersion({ variable }: PackageSubject, value: number, meta: PackageMeta): void {
    for (const [rival, values] of this.#claim(variable, value, meta.owns)) {
      const other = { variable: rival, values };
      const key = `owns ${variable} ${rival} ${values.signature}`;
      this.#context.facts.grow(key, { variable, value }, (one) => ({ fact: 'owns', one, other }));
    }
  }

  /** Records the objects of one version. Returns the conflicting versions by package. */
  #claim(
    variable: Variable,
    value: number,
    objects: readonly OwnedObject[],
  ): Map<Variable, VersionSet> {
    const conflicting = new Map<Variable, VersionSet>();
    if (objects.length === 0) return conflicting;
    const owned = OwnedKeys.of(objects);
    for (const { variable: rival, values } of this.#overlappingClaims(variable, owned)) {
      conflicting.set(rival, values.or(conflicting.get(rival) ?? VersionSet.none));
    }
    this.#add(variable, owned, value);
    return conflicting;
  }

  /** Returns overlapping claims of other packages, in the order of the first common object. */
  #overlappingClaims(variable: Variable, owned: OwnedKeys): Claim[] {
    const found = [...this.#candidates(owned)].flatMap((claim) => {
      const place = claim.variable === variable ? Infinity : owned.firstShared(claim.owned);
      if (place === Infinity) return [];
      return [{ claim, place, suffix: owned.firstSharedSuffix(claim.owned) }];
    });
    found.sort((a, b) => a.place - b.place || a.suffix - b.suffix || a.claim.order - b.claim.order);
    return found.map(({ claim }) => claim);
  }

  /** Returns every claim that may overlap. */
  #candidates(owned: OwnedKeys): Set<Claim> {
    const found = new Set<Claim>();
    const collect = (claims: readonly Claim[] = []) => {
      for (const claim of claims) found.add(claim);
    };
    for (const suffix of owned.suffixes) {
      collect(this.#longBySuffix.get(suffix));
      if (owned.isLong) collect(this.#shortBySuffix.get(suffix));
    }
    if (!owned.isLong) for (const key of owned.keys) collect(this.#shortByKey.get(key));
    return found;
  }

  #add(variable: Variable, owned: OwnedKeys, value: number): void {
    const claims = getOrCreate(this.#claims, variable, () => []);
    const sameList = claims.find((claim) => claim.owned === owned);
    if (sameList !== undefined) {
      sameList.values = sameList.values.with(value);
      return;
    }
    const claim = { variable, owned, order: this.#claimCount++, values: VersionSet.single(value) };
    claims.push(claim);
    const bySuffix = owned.isLong ? this.#longBySuffix : this.#shortBySuffix;
    for (const suffix of owned.suffixes) getOrCreate(bySuffix, suffix, () => []).push(claim);
    if (!owned.isLong)
      for (const key of owned.keys) getOrCreate(this.#shortByKey, key, () => []).push(claim);
  }
}

/** Number of keys from which on a list counts as long. */
const MANY_KEYS = 32;

/** The keys of one list of owned objects. There is one instance for each list, shared by all searches. */
export class OwnedKeys {
  /** Lists are immutable, so results of comparisons stay valid. */
  static readonly #ofLists = new WeakMap<readonly OwnedObject[], OwnedKeys>();

  readonly keys: ReadonlySet<string>;
  /** The parts of the keys after the first dot. Overlapping lists have one in common. */
  readonly suffixes: ReadonlySet<string>;
  /** Comparisons of long lists are cached. */
  readonly isLong: boolean;
  #firstShared: WeakMap<OwnedKeys, number> | undefined;

  constructor(owned: readonly OwnedObject[]) {
    this.keys = new Set(owned.map(ownershipKey));
    this.suffixes = new Set(Array.from(this.keys, (key) => key.slice(key.indexOf('.') + 1)));
    this.isLong = this.keys.size >= MANY_KEYS;
  }

  static of(owned: readonly OwnedObject[]): OwnedKeys {
    return getOrCreate(OwnedKeys.#ofLists, owned, () => new OwnedKeys(owned));
  }

  /** Returns the position of the first suffix that the other list has, too. */
  firstSharedSuffix(other: OwnedKeys): number {
    return firstSharedPosition(this.suffixes, other.suffixes);
  }

  /** Returns the position of the first key that the other list has, too, or Infinity. */
  firstShared(other: OwnedKeys): number {
    if (!this.isLong) return firstSharedPosition(this.keys, other.keys);
    this.#firstShared ??= new WeakMap();
    return getOrCreate(this.#firstShared, other, () => firstSharedPosition(this.keys, other.keys));
  }
}

function firstSharedPosition(keys: ReadonlySet<string>, others: ReadonlySet<string>): number {
  let place = 0;
  for (const key of keys) {
    if (others.has(key)) return place;
    place++;
  }
  return Infinity;
}
