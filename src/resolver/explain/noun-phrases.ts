import { packageOf } from './proof-facts.js';
import { formatOrigin, type Origin } from '../../base/errors.js';
import { andList, orList } from '../../base/messages.js';
import { formatCrdRef } from '../../crossplane/packages/crd-ref.js';
import type { Repository } from '../../crossplane/packages/package.js';
import type { PackageSubject } from '../solver/encoder-context.js';
import type { Encoder } from '../solver/encoder.js';
import { FIRST, type Term } from '../solver/incompatibility.js';
import type { PackageVersions } from '../solver/package-versions.js';
import type { Problem } from '../solver/problem.js';
import { ANY_VERSION } from '../solver/published-versions.js';
import { VersionSet } from '../solver/version-set.js';

/** Part of step 3: noun phrases for the packages, versions and releases in the facts of a search. */
export class NounPhrases {
  readonly problem: Problem;
  readonly encoder: Encoder;

  readonly name: (repository: Repository) => string;

  /** `name`: returns the name of a package; by default its repository. */
  constructor(
    problem: Problem,
    encoder: Encoder,
    name: (repository: Repository) => string = (repository) => repository,
  ) {
    this.problem = problem;
    this.encoder = encoder;
    this.name = name;
  }

  /** `acme/provider v1.0.0 to v1.2.0`, `every version of acme/provider`. */
  anyOf(term: Term): string {
    return this.#versions(term, orList);
  }

  /** `acme/provider v1.0.0 and v1.2.0`, `every version of acme/provider`. */
  allOf(term: Term): string {
    return this.#versions(term, andList);
  }

  /** `acme/provider v1.0.0 to v1.2.0 require`, `every version of acme/provider requires`. */
  withVerb(term: Term, verb: Verb): string {
    return `${this.allOf(term)} ${conjugated(verb, this.isMany(term))}`;
  }

  /** Returns whether the phrase for a term is plural. */
  isMany({ variable, values }: Term): boolean {
    const subject = this.encoder.subject(variable);
    if (subject.about !== 'package') return false;
    const { versions } = subject;
    return labelsOf(versions, values).length > 1 && rangeText(versions, values) !== EVERY_VERSION;
  }

  #versions({ variable, values }: Term, list: (items: readonly string[]) => string): string {
    const subject = this.encoder.subject(variable);
    switch (subject.about) {
      case 'package': {
        const name = this.name(subject.repository);
        const range = rangeText(subject.versions, values, list);
        const words = /^(every version|no version|\d+ versions)(.*)$/.exec(range);
        return words === null ? `${name} ${range}` : `${words[1]!} of ${name}${words[2]!}`;
      }
      case 'crossplane':
        return `Crossplane ${this.releases(values)}`;
      case 'api':
        return `a package that owns ${formatCrdRef(subject.demand)}`;
      case 'local':
        return subject.root.by!;
    }
  }

  /** `v1.20.0`, `v1.20.0 to v2.1.0`. */
  releases(values: VersionSet): string {
    const inside = this.problem.releases.filter((_, i) => values.has(FIRST + i));
    if (inside.length === 0) return 'of another version';
    if (inside.length === 1) return inside[0]!.raw;
    return `${inside.at(-1)!.raw} to ${inside[0]!.raw}`;
  }

  /** Returns the target releases as a clause. */
  targetClause(): string {
    return `the target is Crossplane ${this.releases(VersionSet.all)}`;
  }

  package(term: Term): PackageSubject {
    return packageOf(term, this.encoder);
  }
}

/** Returns the labels of known versions that are in a set. */
export function labelsOf(versions: PackageVersions, values: VersionSet): string[] {
  const inside = versions.all().filter((value) => values.has(value));
  return inside.map((value) => versions.label(value));
}

/** Maximum number of version ranges that are named. If there are more, only both ends are. */
const MAX_RANGES_NAMED = 3;

const EVERY_VERSION = 'every version';

/**
 * Part of step 3: describes versions briefly: `every version`, `v1.2.0 to v1.9.3`, `v1.0.0 or v1.2.0`.
 * A range covers only versions that exist.
 */
export function rangeText(
  versions: PackageVersions,
  values: VersionSet,
  list: (items: readonly string[]) => string = orList,
): string {
  if (values.equals(ANY_VERSION)) return EVERY_VERSION;
  const ascending = versions.ascending();
  const inside = ascending.filter((value) => values.has(value));
  const opaque = versions
    .all()
    .filter((value) => versions.version(value) === undefined && values.has(value))
    .map((value) => versions.label(value));
  if (versions.isListed && inside.length === ascending.length && inside.length > 1) {
    return EVERY_VERSION;
  }
  const ranges: string[] = [];
  let start: number | undefined;
  for (const [i, value] of ascending.entries()) {
    if (!values.has(value)) continue;
    start ??= value;
    const next = ascending[i + 1];
    if (next !== undefined && values.has(next)) continue;
    const [first, last] = [versions.label(start), versions.label(value)];
    ranges.push(first === last ? first : `${first} to ${last}`);
    start = undefined;
  }
  const all = [...ranges, ...opaque.sort()];
  if (all.length === 0) return 'no version';
  if (all.length <= MAX_RANGES_NAMED) return list(all);
  if (inside.length === 0)
    return list([...all.slice(0, MAX_RANGES_NAMED), `${all.length - MAX_RANGES_NAMED} more`]);
  const ends = [inside[0]!, inside.at(-1)!].map((value) => versions.label(value));
  return list([`${inside.length} versions from ${ends[0]!} to ${ends[1]!}`, ...opaque]);
}

/** Returns the place of an input as the subject of a sentence. */
export function placeText(origin: Origin): string {
  return origin.file === 'command line' ? 'the command line' : formatOrigin(origin);
}

type Verb = 'require' | 'need' | 'own' | 'lack' | 'be';

/** Conjugates a verb: `requires` for one subject, `require` for many. */
export function conjugated(verb: Verb, isMany: boolean): string {
  if (verb === 'be') return isMany ? 'are' : 'is';
  return isMany ? verb : `${verb}s`;
}
