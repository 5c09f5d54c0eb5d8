import { isDigest } from '../../text/digest.js';
import {
  compareVersions,
  exactTag,
  parseVersion,
  precedenceKey,
  type Version,
} from '../../semver/version.js';
import { FIRST } from '../incompatibility.js';
import type { Problem } from '../problem.js';
import { VersionSet } from '../version-set.js';
import {
  checkedConstraint,
  InstallableVersions,
  type KnownVersion,
} from './installable-versions.js';
import { selectorText, type Selector } from '../../model/selector.js';
import { nearestFirst } from '../../semver/nearest-first.js';

interface PackageOptions {
  readonly prereleases: boolean;
  readonly locked: string | undefined;
  /** What is asked for, where other versions will do too: those nearest to it are preferred. */
  readonly left: Selector | undefined;
}

/**
 * The versions of one repository, as far as they are known.
 *
 * Semver tags of equal precedence are one value: the greatest string stands for it. A full tag
 * that a requirement spells, and digests, are values before any list is asked for.
 */
export class PackageVersions {
  listed = false;
  /** The tag list, where nothing was known before: its versions are the first values. */
  #list: InstallableVersions | undefined;
  /** The values after those, or all. */
  readonly #others: KnownVersion[] = [];
  /** undefined: not made yet. Most packages are asked for by ranges alone, which need none. */
  #places: Places | undefined;
  readonly #admitted = new Map<string, VersionSet>();
  readonly #problem: Problem;
  readonly #admitsPrereleases: boolean;
  readonly #lockedVersion: string | undefined;
  readonly #left: Selector | undefined;
  #preferred: readonly number[] | undefined;

  constructor(problem: Problem, options: PackageOptions) {
    this.#problem = problem;
    this.#admitsPrereleases = options.prereleases;
    this.#lockedVersion = options.locked;
    this.#left = options.left;
  }

  label(value: number): string {
    return this.#at(value).label;
  }

  version(value: number): Version | undefined {
    return this.#at(value).version;
  }

  /** Every value, in no order that means anything. */
  all(): number[] {
    return Array.from({ length: this.#count }, (_, i) => i + FIRST);
  }

  /** Semver values, oldest first. */
  ascending(): number[] {
    const semver = this.all().filter((value) => this.version(value) !== undefined);
    return semver.sort((a, b) => compareVersions(this.version(a)!, this.version(b)!));
  }

  /** The set a selector denotes; undefined: the tags must be listed first. */
  selected(selector: Selector): VersionSet | undefined {
    switch (selector.form) {
      case 'tag':
        return VersionSet.single(this.#named(selector.tag));
      case 'digest':
        return VersionSet.single(this.#opaque(selector.digest));
      case 'range': {
        const exact = exactTag(selector.text, this.#problem.dialect);
        if (exact !== undefined) return this.#exact(exact);
        return this.listed ? this.#range(selector.text) : undefined;
      }
    }
  }

  /** Whether the tags must be listed before it can be said what a selector denotes. */
  needsList(selector: Selector): boolean {
    if (this.listed || selector.form !== 'range') return false;
    return exactTag(selector.text, this.#problem.dialect) === undefined;
  }

  /** Whether a rule such as an exclusion is about this value. */
  matches(value: number, selector: Selector): boolean {
    const { label, version } = this.#at(value);
    switch (selector.form) {
      case 'tag':
        return label === selector.tag;
      case 'digest':
        return label === selector.digest;
      case 'range':
        if (version === undefined) return false;
        return checkedConstraint(selector.text, this.#problem.dialect).admits(version);
    }
  }

  /** A range that only prereleases are in, and that admits none because it names none. */
  admitsOnlyPrereleases(selector: Selector): boolean {
    if (selector.form !== 'range') return false;
    const constraint = checkedConstraint(selector.text, this.#problem.dialect);
    return this.ascending().some((value) =>
      constraint.admits(this.version(value)!, { prereleases: true }),
    );
  }

  /** Takes in the tag list; the values known before that it does not bear out. */
  list(tags: readonly string[]): number[] {
    this.listed = true;
    const list = InstallableVersions.of(tags, this.#problem);
    if (this.#count === 0) {
      this.#list = list;
      this.#preferred = undefined;
      this.#places = undefined;
      return [];
    }
    const dropped: number[] = [];
    const newest = new Map(list.versions.map((version) => [precedenceKey(version), version]));
    const exists = new Set(tags);
    for (const [i, value] of this.#others.entries()) {
      if (value.named || value.version === undefined || exists.has(value.label)) continue;
      const twin = newest.get(precedenceKey(value.version));
      if (twin === undefined) dropped.push(i + FIRST);
      else this.#relabel(i + FIRST, twin.raw);
    }
    for (const [key, version] of newest) {
      if (!this.#known().byKey.has(key)) this.#push({ label: version.raw, version, named: false });
    }
    return dropped;
  }

  /** Most preferred first: what is locked, then by the policy; opaque ones last. */
  preference(): readonly number[] {
    return (this.#preferred ??= this.#sorted());
  }

  #sorted(): readonly number[] {
    const { prefer } = this.#problem;
    const isAsListed = this.#others.length === 0 && this.#lockedVersion === undefined;
    if (this.#list !== undefined && isAsListed && this.#left === undefined) {
      return this.#list.preference(prefer);
    }
    const semver = this.ascending();
    if (prefer === 'newest') semver.reverse();
    const opaque = this.all().filter((value) => this.version(value) === undefined);
    opaque.sort((a, b) => (this.label(a) < this.label(b) ? -1 : 1));
    const order = [...semver, ...opaque];
    if (this.#left !== undefined) return this.#nearest(order, this.#left);
    const locked = order.findIndex((value) => this.label(value) === this.#lockedVersion);
    if (locked > 0) order.unshift(...order.splice(locked, 1));
    return order;
  }

  /** What is asked for, as preferred otherwise; then the nearest to it. */
  #nearest(order: readonly number[], left: Selector): number[] {
    const asked = this.selected(left) ?? VersionSet.none;
    const semver = order.filter((value) => this.version(value) !== undefined);
    const values = new Map(semver.map((value) => [this.version(value)!, value]));
    const { dialect } = this.#problem;
    const nearest = nearestFirst([...values.keys()], { asked: selectorText(left), dialect });
    const others = nearest.map((version) => values.get(version)!);
    return [...new Set([...order.filter((value) => asked.has(value)), ...others])];
  }

  #range(text: string): VersionSet {
    const known = this.#admitted.get(text);
    if (known !== undefined) return known;
    const listed = this.#list?.admitted(text, this.#admitsPrereleases) ?? VersionSet.none;
    const set = this.#others.length === 0 ? listed : listed.or(this.#admittedOthers(text));
    this.#admitted.set(text, set);
    return set;
  }

  #admittedOthers(text: string): VersionSet {
    const constraint = checkedConstraint(text, this.#problem.dialect);
    const options = { prereleases: this.#admitsPrereleases };
    const values: number[] = [];
    for (const [i, { version }] of this.#others.entries()) {
      if (version !== undefined && constraint.admits(version, options)) {
        values.push(this.#firstOther + i);
      }
    }
    return VersionSet.of(values);
  }

  /** The version spelled in full; taken to exist until a tag list says otherwise. */
  #exact(tag: string): VersionSet {
    const version = parseVersion(tag, this.#problem.dialect)!;
    const known = this.#known().byKey.get(precedenceKey(version));
    if (known !== undefined) return VersionSet.single(known);
    if (this.listed) return VersionSet.none;
    return VersionSet.single(this.#push({ label: tag, version, named: false }));
  }

  #named(tag: string): number {
    const known = this.#known().byLabel.get(tag);
    if (known !== undefined) return known;
    const version = isDigest(tag) ? undefined : parseVersion(tag, this.#problem.dialect);
    return this.#push({ label: tag, version, named: true });
  }

  #opaque(digest: string): number {
    return (
      this.#known().byLabel.get(digest) ??
      this.#push({ label: digest, version: undefined, named: true })
    );
  }

  #push(value: KnownVersion): number {
    this.#preferred = undefined;
    const added = this.#firstOther + this.#others.push(value) - 1;
    if (this.#places !== undefined) place(value, added, this.#places);
    return added;
  }

  #relabel(value: number, label: string): void {
    const known = this.#others[value - this.#firstOther]!;
    const { byLabel } = this.#known();
    if (byLabel.get(known.label) === value) byLabel.delete(known.label);
    known.label = label;
    remember(byLabel, label, value);
  }

  #known(): Places {
    if (this.#places === undefined) {
      this.#places = { byKey: new Map(), byLabel: new Map() };
      for (const value of this.all()) place(this.#at(value), value, this.#places);
    }
    return this.#places;
  }

  #at(value: number): KnownVersion {
    const listed = this.#list?.values;
    if (listed === undefined || value >= this.#firstOther)
      return this.#others[value - this.#firstOther]!;
    return listed[value - FIRST]!;
  }

  get #count(): number {
    return this.#firstOther - FIRST + this.#others.length;
  }

  get #firstOther(): number {
    return FIRST + (this.#list?.values.length ?? 0);
  }
}

/** The first value of each precedence, and of each label. */
interface Places {
  readonly byKey: Map<string, number>;
  readonly byLabel: Map<string, number>;
}

function place({ label, version }: KnownVersion, value: number, { byKey, byLabel }: Places): void {
  remember(byLabel, label, value);
  if (version !== undefined) remember(byKey, precedenceKey(version), value);
}

function remember(map: Map<string, number>, key: string, value: number): void {
  if (!map.has(key)) map.set(key, value);
}
