import { parseConstraint, type Constraint } from '../../semver/constraint.js';
import type { Dialect } from '../../semver/dialect.js';
import { compareVersions, isIncomplete, parseVersion, type Version } from '../../semver/version.js';
import { FIRST } from '../incompatibility.js';
import type { Problem } from '../problem.js';
import { VersionSet } from '../version-set.js';

/** A version that a package may take; `label` is its tag or digest. */
export interface KnownVersion {
  label: string;
  /** undefined: a digest or an opaque tag, which no range admits. */
  readonly version: Version | undefined;
  /** Asked for as this very tag or digest: no tag of equal precedence stands in for it. */
  readonly named: boolean;
}

type ReadingRules = Pick<Problem, 'dialect' | 'skipsIncompleteTags'>;

/**
 * The tags of a repository that are versions fit to install, ascending. Tags of equal precedence
 * are one version: the greatest string stands for it.
 *
 * The searches of a run are told the same lists, time and again, and the same of ranges: both are
 * worked out once for each list.
 */
export class InstallableVersions {
  /** By the rules that say which tags are fit. */
  static readonly #known = new WeakMap<readonly string[], Map<string, InstallableVersions>>();

  readonly versions: readonly Version[];
  /** The same, as values from `FIRST` on. */
  readonly values: readonly KnownVersion[];
  readonly #dialect: Dialect;
  readonly #preference: Partial<Record<Problem['prefer'], readonly number[]>> = {};
  readonly #admitted = new Map<string, VersionSet>();
  readonly #admittedWithPrereleases = new Map<string, VersionSet>();

  constructor(tags: readonly string[], rules: ReadingRules) {
    this.versions = read(tags, rules);
    this.values = this.versions.map((version) => ({ label: version.raw, version, named: false }));
    this.#dialect = rules.dialect;
  }

  static of(tags: readonly string[], rules: ReadingRules): InstallableVersions {
    let known = InstallableVersions.#known.get(tags);
    if (known === undefined) InstallableVersions.#known.set(tags, (known = new Map()));
    const form = `${rules.dialect} ${rules.skipsIncompleteTags}`;
    let versions = known.get(form);
    if (versions === undefined) known.set(form, (versions = new InstallableVersions(tags, rules)));
    return versions;
  }

  /** The values, most preferred first. */
  preference(prefer: Problem['prefer']): readonly number[] {
    return (this.#preference[prefer] ??= this.#ordered(prefer));
  }

  #ordered(prefer: Problem['prefer']): number[] {
    const ascending = this.values.map((_, i) => FIRST + i);
    return prefer === 'newest' ? ascending.reverse() : ascending;
  }

  /** The values that a range admits. */
  admitted(range: string, prereleases: boolean): VersionSet {
    const known = prereleases ? this.#admittedWithPrereleases : this.#admitted;
    let values = known.get(range);
    if (values === undefined) {
      const constraint = checkedConstraint(range, this.#dialect);
      values = VersionSet.of(this.#positions(constraint, prereleases));
      known.set(range, values);
    }
    return values;
  }

  *#positions(constraint: Constraint, prereleases: boolean): Iterable<number> {
    const options = { prereleases };
    for (let i = 0; i < this.versions.length; i++) {
      if (constraint.admits(this.versions[i]!, options)) yield FIRST + i;
    }
  }
}

/** A constraint that was found to be one when its package was read. */
export function checkedConstraint(text: string, dialect: Dialect): Constraint {
  const constraint = parseConstraint(text, dialect);
  if (constraint.invalid) throw new Error(`unchecked constraint ${text}`);
  return constraint;
}

function read(tags: readonly string[], { dialect, skipsIncompleteTags }: ReadingRules): Version[] {
  const versions: Version[] = [];
  for (const tag of tags) {
    const version = parseVersion(tag, dialect);
    if (version === undefined) continue;
    if (!skipsIncompleteTags || !isIncomplete(version)) versions.push(version);
  }
  versions.sort((a, b) => compareVersions(a, b) || (a.raw < b.raw ? -1 : 1));
  return versions.filter(
    (version, i) => i + 1 === versions.length || compareVersions(version, versions[i + 1]!) !== 0,
  );
}
