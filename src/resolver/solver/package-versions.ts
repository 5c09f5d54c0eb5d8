import { FIRST } from './incompatibility.js';
import type { Problem } from './problem.js';
import { VersionSet } from './version-set.js';
import { getOrCreate } from '../../base/collections.js';
import { isDigest } from '../../base/digest.js';
import {
  type Constraint,
  nearestFirst,
  parseConstraint,
  type Selector,
  selectorText,
} from '../../crossplane/constraints/constraint.js';
import type { Dialect } from '../../crossplane/constraints/dialects.js';
import {
  compareVersions,
  exactTag,
  parseVersion,
  precedenceKey,
  type Version,
} from '../../crossplane/constraints/version.js';
import {
  installableVersions,
  type TagRules,
} from '../../crossplane/constraints/installable-versions.js';

interface PackageOptions {
  /** Prereleases are treated as releases. */
  readonly prereleases: boolean;
  readonly locked: string | undefined;
  /** The selector of a relaxed root: the versions nearest to it are preferred. */
  readonly preferNear: Selector | undefined;
}

/**
 * The known versions of one repository.
 *
 * Semver tags of equal precedence share one value, named by the greatest string. Full tags in
 * requirements and digests are values before the tags are listed.
 */
export class PackageVersions {
  isListed = false;
  /** The tag list, if no value was known before it. Its versions are the first values. */
  #list: InstallableVersions | undefined;
  /** The values after those of `#list`. */
  readonly #others: KnownVersion[] = [];
  /** undefined: not built yet. Most packages are required by ranges only, which do not need it. */
  #index: ValueIndex | undefined;
  readonly #admittedSets = new Map<string, VersionSet>();
  readonly #problem: Problem;
  readonly #options: PackageOptions;
  #preferred: readonly number[] | undefined;

  constructor(problem: Problem, options: PackageOptions) {
    this.#problem = problem;
    this.#options = options;
  }

  label(value: number): string {
    return this.#versionAt(value).label;
  }

  version(value: number): Version | undefined {
    return this.#versionAt(value).version;
  }

  /** Returns every value in the order of discovery. */
  all(): number[] {
    return Array.from({ length: this.#count }, (_, i) => i + FIRST);
  }

  /** Returns the semver values, oldest first. */
  ascending(): number[] {
    const semver = this.all().filter((value) => this.version(value) !== undefined);
    return semver.sort((a, b) => compareVersions(this.version(a)!, this.version(b)!));
  }

  /** Returns the versions that a selector matches; undefined: the tags must be listed first. */
  selected(selector: Selector): VersionSet | undefined {
    if (selector.form !== 'range') return VersionSet.single(this.#valueOf(selectorText(selector)));
    const exact = exactTag(selector.text, this.#problem.dialect);
    if (exact !== undefined) return this.#exact(exact);
    return this.isListed ? this.#range(selector.text) : undefined;
  }

  /** Reports whether the tags must be listed to determine what a selector matches. */
  needsList(selector: Selector): boolean {
    if (this.isListed || selector.form !== 'range') return false;
    return exactTag(selector.text, this.#problem.dialect) === undefined;
  }

  /** Reports whether the selector of a rule, such as an exclusion, matches a value. */
  matches(value: number, selector: Selector): boolean {
    const { label, version } = this.#versionAt(value);
    if (selector.form !== 'range') return label === selectorText(selector);
    if (version === undefined) return false;
    return checkedConstraint(selector.text, this.#problem.dialect).admits(version);
  }

  /** Reports whether a range contains prereleases. Use it for a range that admits no version. */
  admitsOnlyPrereleases(selector: Selector): boolean {
    if (selector.form !== 'range') return false;
    const constraint = checkedConstraint(selector.text, this.#problem.dialect);
    return this.ascending().some((value) =>
      constraint.admits(this.version(value)!, { prereleases: true }),
    );
  }

  /** Merges the tag list. Returns the assumed values that are missing from it. */
  mergeTags(tags: readonly string[]): number[] {
    this.isListed = true;
    const list = InstallableVersions.of(tags, this.#problem);
    if (this.#count === 0) {
      this.#list = list;
      this.#preferred = undefined;
      this.#index = undefined;
      return [];
    }
    const missing: number[] = [];
    const newest = new Map(list.versions.map((version) => [precedenceKey(version), version]));
    const exists = new Set(tags);
    for (const [i, value] of this.#others.entries()) {
      if (value.isNamed || value.version === undefined || exists.has(value.label)) continue;
      const equal = newest.get(precedenceKey(value.version));
      if (equal === undefined) missing.push(i + FIRST);
      else this.#relabel(i + FIRST, equal.raw);
    }
    for (const [key, version] of newest) {
      if (!this.#indexed().byKey.has(key))
        this.#push({ label: version.raw, version, isNamed: false });
    }
    return missing;
  }

  /** Returns the values, most preferred first: the locked version, then by `prefer`, digests last. */
  preference(): readonly number[] {
    return (this.#preferred ??= this.#sortedValues());
  }

  #sortedValues(): readonly number[] {
    const { prefer } = this.#problem;
    const { locked, preferNear } = this.#options;
    const isAsListed = this.#others.length === 0 && locked === undefined;
    if (this.#list !== undefined && isAsListed && preferNear === undefined) {
      return this.#list.preference[prefer];
    }
    const semver = this.ascending();
    if (prefer === 'newest') semver.reverse();
    const opaque = this.all().filter((value) => this.version(value) === undefined);
    opaque.sort((a, b) => (this.label(a) < this.label(b) ? -1 : 1));
    const order = [...semver, ...opaque];
    if (preferNear !== undefined) return this.#nearest(order, preferNear);
    const place = order.findIndex((value) => this.label(value) === locked);
    if (place > 0) order.unshift(...order.splice(place, 1));
    return order;
  }

  /** Returns the values that a selector matches in the given order, then the nearest to it. */
  #nearest(order: readonly number[], selector: Selector): number[] {
    const selected = this.selected(selector) ?? VersionSet.none;
    const semver = order.filter((value) => this.version(value) !== undefined);
    const values = new Map(semver.map((value) => [this.version(value)!, value]));
    const { dialect } = this.#problem;
    const nearest = nearestFirst([...values.keys()], { text: selectorText(selector), dialect });
    const others = nearest.map((version) => values.get(version)!);
    return [...new Set([...order.filter((value) => selected.has(value)), ...others])];
  }

  #range(text: string): VersionSet {
    return getOrCreate(this.#admittedSets, text, () => {
      const { prereleases } = this.#options;
      const listed = this.#list?.admitted(text, prereleases) ?? VersionSet.none;
      if (this.#others.length === 0) return listed;
      const others = this.#others.map(({ version }) => version);
      const constraint = checkedConstraint(text, this.#problem.dialect);
      return listed.or(admittedValues(others, constraint, { prereleases }, this.#firstOther));
    });
  }

  /** Returns a version written in full. It is assumed to exist until the tags are listed. */
  #exact(tag: string): VersionSet {
    const version = parseVersion(tag, this.#problem.dialect)!;
    const known = this.#indexed().byKey.get(precedenceKey(version));
    if (known !== undefined) return VersionSet.single(known);
    if (this.isListed) return VersionSet.none;
    return VersionSet.single(this.#push({ label: tag, version, isNamed: false }));
  }

  #valueOf(label: string): number {
    const known = this.#indexed().byLabel.get(label);
    if (known !== undefined) return known;
    const version = isDigest(label) ? undefined : parseVersion(label, this.#problem.dialect);
    return this.#push({ label, version, isNamed: true });
  }

  #push(value: KnownVersion): number {
    this.#preferred = undefined;
    const added = this.#firstOther + this.#others.push(value) - 1;
    if (this.#index !== undefined) addToIndex(value, added, this.#index);
    return added;
  }

  #relabel(value: number, label: string): void {
    const known = this.#others[value - this.#firstOther]!;
    const { byLabel } = this.#indexed();
    if (byLabel.get(known.label) === value) byLabel.delete(known.label);
    known.label = label;
    setIfMissing(byLabel, label, value);
  }

  #indexed(): ValueIndex {
    if (this.#index === undefined) {
      this.#index = { byKey: new Map(), byLabel: new Map() };
      for (const value of this.all()) addToIndex(this.#versionAt(value), value, this.#index);
    }
    return this.#index;
  }

  #versionAt(value: number): KnownVersion {
    const first = this.#firstOther;
    return value < first ? this.#list!.values[value - FIRST]! : this.#others[value - first]!;
  }

  get #count(): number {
    return this.#firstOther - FIRST + this.#others.length;
  }

  get #firstOther(): number {
    return FIRST + (this.#list?.values.length ?? 0);
  }
}

/** The first value of each precedence and of each label. */
interface ValueIndex {
  readonly byKey: Map<string, number>;
  readonly byLabel: Map<string, number>;
}

function addToIndex(
  { label, version }: KnownVersion,
  value: number,
  { byKey, byLabel }: ValueIndex,
): void {
  setIfMissing(byLabel, label, value);
  if (version !== undefined) setIfMissing(byKey, precedenceKey(version), value);
}

function setIfMissing(map: Map<string, number>, key: string, value: number): void {
  if (!map.has(key)) map.set(key, value);
}

/** A version that a package may take. */
interface KnownVersion {
  /** Tag or digest. */
  label: string;
  /** undefined: a digest or an opaque tag, which no range admits. */
  readonly version: Version | undefined;
  /** Required as this exact tag or digest: no tag of equal precedence replaces it. */
  readonly isNamed: boolean;
}

/**
 * The tags of a repository that can be installed, ascending. Tags of equal precedence are one
 * version, named by the greatest string.
 *
 * The searches of a run share one instance for each tag list, so each list is parsed once and each
 * range is evaluated once.
 */
class InstallableVersions {
  /** By tag list, then by dialect and handling of incomplete tags. */
  static readonly #instances = new WeakMap<readonly string[], Map<string, InstallableVersions>>();

  readonly versions: readonly Version[];
  /** The versions as values; the first is `FIRST`. */
  readonly values: readonly KnownVersion[];
  /** The values, most preferred first. */
  readonly preference: Readonly<Record<Problem['prefer'], readonly number[]>>;
  readonly #dialect: Dialect;
  readonly #admittedSets = new Map<string, VersionSet>();

  constructor(tags: readonly string[], rules: TagRules) {
    const ascending = installableVersions(tags, { rules }).reverse();
    this.versions = ascending.filter((version, i) => {
      const next = ascending[i + 1];
      return next === undefined || compareVersions(version, next) !== 0;
    });
    this.values = this.versions.map((version) => ({ label: version.raw, version, isNamed: false }));
    const ascendingValues = this.values.map((_, i) => FIRST + i);
    this.preference = { lowest: ascendingValues, newest: ascendingValues.toReversed() };
    this.#dialect = rules.dialect;
  }

  static of(tags: readonly string[], rules: TagRules): InstallableVersions {
    const instancesByRules = getOrCreate(InstallableVersions.#instances, tags, () => new Map());
    const key = `${rules.dialect} ${rules.skipsIncompleteTags}`;
    return getOrCreate(instancesByRules, key, () => new InstallableVersions(tags, rules));
  }

  /** Returns the values that a range admits. */
  admitted(range: string, prereleases: boolean): VersionSet {
    return getOrCreate(this.#admittedSets, `${prereleases} ${range}`, () => {
      const constraint = checkedConstraint(range, this.#dialect);
      return admittedValues(this.versions, constraint, { prereleases }, FIRST);
    });
  }
}

/** Returns the versions that a constraint admits, as values from `first` on. */
function admittedValues(
  versions: readonly (Version | undefined)[],
  constraint: Constraint,
  options: { readonly prereleases: boolean },
  first: number,
): VersionSet {
  return VersionSet.of(
    versions.flatMap((version, i) =>
      version !== undefined && constraint.admits(version, options) ? [first + i] : [],
    ),
  );
}

/** Parses a constraint that was validated when its package was read. */
function checkedConstraint(text: string, dialect: Dialect): Constraint {
  const constraint = parseConstraint(text, dialect);
  if (constraint.invalid) throw new Error(`unchecked constraint ${text}`);
  return constraint;
}
