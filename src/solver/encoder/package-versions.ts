import { parseConstraint, type Constraint } from '../../semver/constraint.js';
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
import { installableVersions } from './installable-versions.js';
import { selectorText, type Selector } from '../../model/selector.js';
import { nearestFirst } from '../../semver/nearest-first.js';

/** A version that a package may take; `label` is its tag or digest. */
interface Value {
  label: string;
  /** undefined: a digest or an opaque tag, which no range admits. */
  readonly version: Version | undefined;
  /** Asked for as this very tag or digest: no tag of equal precedence stands in for it. */
  readonly named: boolean;
}

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
  readonly #values: Value[] = [];
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
    return this.#values[value - FIRST]!.label;
  }

  version(value: number): Version | undefined {
    return this.#values[value - FIRST]!.version;
  }

  /** Every value, in no order that means anything. */
  all(): number[] {
    return this.#values.map((_, i) => i + FIRST);
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
    const { label, version } = this.#values[value - FIRST]!;
    switch (selector.form) {
      case 'tag':
        return label === selector.tag;
      case 'digest':
        return label === selector.digest;
      case 'range':
        return version !== undefined && this.#constraint(selector.text).admits(version);
    }
  }

  /** A range that only prereleases are in, and that admits none because it names none. */
  admitsOnlyPrereleases(selector: Selector): boolean {
    if (selector.form !== 'range') return false;
    const constraint = this.#constraint(selector.text);
    return this.ascending().some((value) =>
      constraint.admits(this.version(value)!, { prereleases: true }),
    );
  }

  /** Takes in the tag list; the values known before that it does not bear out. */
  list(tags: readonly string[]): number[] {
    this.listed = true;
    const versions = installableVersions(tags, this.#problem);
    if (this.#values.length === 0) {
      for (const version of versions) this.#push({ label: version.raw, version, named: false });
      return [];
    }
    const dropped: number[] = [];
    const newest = new Map(versions.map((version) => [precedenceKey(version), version]));
    const exists = new Set(tags);
    for (const [i, value] of this.#values.entries()) {
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

  #sorted(): number[] {
    const semver = this.ascending();
    if (this.#problem.prefer === 'newest') semver.reverse();
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
    const constraint = this.#constraint(text);
    const options = { prereleases: this.#admitsPrereleases };
    const values: number[] = [];
    for (const [i, { version }] of this.#values.entries()) {
      if (version !== undefined && constraint.admits(version, options)) values.push(i + FIRST);
    }
    const set = VersionSet.of(values);
    this.#admitted.set(text, set);
    return set;
  }

  #constraint(text: string): Constraint {
    const constraint = parseConstraint(text, this.#problem.dialect);
    if (constraint.invalid) throw new Error(`unchecked constraint ${text}`);
    return constraint;
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

  #push(value: Value): number {
    this.#preferred = undefined;
    const added = this.#values.push(value) + FIRST - 1;
    if (this.#places !== undefined) place(value, added, this.#places);
    return added;
  }

  #relabel(value: number, label: string): void {
    const known = this.#values[value - FIRST]!;
    const { byLabel } = this.#known();
    if (byLabel.get(known.label) === value) byLabel.delete(known.label);
    known.label = label;
    remember(byLabel, label, value);
  }

  #known(): Places {
    if (this.#places === undefined) {
      this.#places = { byKey: new Map(), byLabel: new Map() };
      for (const [i, value] of this.#values.entries()) place(value, i + FIRST, this.#places);
    }
    return this.#places;
  }
}

/** The first value of each precedence, and of each label. */
interface Places {
  readonly byKey: Map<string, number>;
  readonly byLabel: Map<string, number>;
}

function place({ label, version }: Value, value: number, { byKey, byLabel }: Places): void {
  remember(byLabel, label, value);
  if (version !== undefined) remember(byKey, precedenceKey(version), value);
}

function remember(map: Map<string, number>, key: string, value: number): void {
  if (!map.has(key)) map.set(key, value);
}
