import { getOrCreate, groupBy } from '../../base/collections.js';
import { isDigest } from '../../base/digest.js';
import { type Origin, formatOrigin } from '../../base/errors.js';
import { andList, orList } from '../../base/messages.js';
import {
  type Selector,
  parseConstraint,
  selectorOf,
  selectorText,
} from '../../crossplane/constraints/constraint.js';
import { compareVersions, parseVersion } from '../../crossplane/constraints/version.js';
import { formatCrdRef } from '../../crossplane/packages/crd-ref.js';
import { type OwnedKind, groupOf, ownershipKey } from '../../crossplane/packages/owned-objects.js';
import type { Finding } from '../../crossplane/packages/package-meta.js';
import type { Repository } from '../../crossplane/packages/package.js';
import { sameRepository } from '../../crossplane/packages/reference.js';
import { knownReleases } from '../../crossplane/releases/target.js';
import type { PackageSubject, Subjects } from '../solver/encoder-context.js';
import { FIRST, type FactOf, type Term, type Variable } from '../solver/incompatibility.js';
import type { PackageVersions } from '../solver/package-versions.js';
import {
  type Problem,
  type RootPackage,
  type Rule,
  type Ruling,
  effectiveSelector,
} from '../solver/problem.js';
import { ANY_VERSION } from '../solver/published-versions.js';
import { VersionSet } from '../solver/version-set.js';
import { packageOf } from '../solver/search-result.js';

/** Returns why the user or a pin excludes versions, as a predicate of the versions. */
export function exclusionText(
  { origin, drops }: Rule,
  isMany: boolean,
  nouns: NounPhrases,
): string {
  if (drops === undefined) return `${conjugate('be', isMany)} excluded (${formatOrigin(origin)})`;
  return `${isMany ? 'do' : 'does'} not require ${nouns.name(drops)}`;
}

/** Returns the required package and constraint, and the reason if no version satisfies it. */
export function wantedText(on: Term, selector: Selector, nouns: NounPhrases): string {
  const { repository } = nouns.package(on);
  const wanted = `${nouns.name(repository)} \`${selectorText(selector)}\``;
  const rule = nouns.problem.overrides.get(repository);
  const note =
    rule && ` (overridden: \`${selectorText(rule.selector)}\`, ${formatOrigin(rule.origin)})`;
  return `${wanted}${note ?? ''}${unmetText(on, selector, nouns)}`;
}

/** Returns the beginning of a sentence about a requirement of a root: subject and verb. */
export function requesterText({ by, origin }: Pick<RootPackage, 'by' | 'origin'>): string {
  const place = placeText(origin);
  return by === undefined ? `${place} asks for` : `${by} (${place}) requires`;
}

/** Returns why the target rejects a package. */
export function firstErrorText(findings: readonly Finding[]): string {
  return firstError(findings)?.message ?? '';
}

/** Returns the finding because of which the target rejects a package. */
export function firstError(findings: readonly Finding[]): Finding | undefined {
  return findings.find(({ severity }) => severity === 'error') ?? findings[0];
}

/** Returns a predicate of the versions: `are denied by the policy (xpkg.yaml:9)`. */
export function rulingText(ruling: Ruling, isMany: boolean): string {
  const are = conjugate('be', isMany);
  const place = formatOrigin(ruling.origin);
  switch (ruling.by) {
    case 'registries':
      return `${are} outside the registries that the policy allows (${place})`;
    case 'deny': {
      // Block scalars of YAML end with a line break, but a sentence must be one line.
      const reason = ruling.reason?.trim().replace(/\s+/g, ' ') ?? '';
      const reasonText = reason === '' ? '' : `: ${reason}`;
      return `${are} denied by the policy (${place}${reasonText})`;
    }
    case 'deny-digest': {
      const digestsText = isMany ? 'digests that do' : 'a digest that does';
      return `${are} ${digestsText} not say whether the policy denies the version (${place}: \`${ruling.versions}\`)`;
    }
    case 'age': {
      const untilText = isMany ? 'the first of them until' : 'until';
      return `${are} younger than the \`${ruling.minimum}\` that the policy asks for (${place}), ${untilText} ${ruling.from}`;
    }
    case 'signature': {
      const reasonText = ruling.because === undefined ? '' : `: ${ruling.because}`;
      const lackVerb = conjugate('lack', isMany);
      return `${lackVerb} the signature that ImageConfig \`${ruling.policy}\` asks for (${place})${reasonText}`;
    }
    case 'unknown-age': {
      const reasonText = ruling.because === undefined ? '' : `: ${ruling.because}`;
      return `${are} of unknown age${reasonText}, and the policy asks for \`${ruling.minimum}\` (${place})`;
    }
  }
}

/** Returns why no version satisfies a requirement; empty if one does. */
function unmetText(on: Term, required: Selector, nouns: NounPhrases): string {
  const { repository, versions, exists } = nouns.package(on);
  const selector = effectiveSelector(nouns.problem, repository, required);
  if (selector.form !== 'tag' && isDigest(selectorText(selector))) {
    return ' (what is installed by digest satisfies no range)';
  }
  if (!on.values.isEmpty) return '';
  if (!exists) return ' (there is no such package)';
  const labels = versions.ascending().map((value) => versions.label(value));
  if (labels.length === 0) return ' (it has no version to install)';
  if (versions.admitsOnlyPrereleases(selector)) {
    const text = selector.form === 'range' ? selector.text : '';
    return ` (only prereleases are in that range, and it admits none unless it names one: \`${text}-0\`)`;
  }
  const existing =
    labels.length === 1 ? `is ${labels[0]!}` : `are ${labels[0]!} to ${labels.at(-1)!}`;
  return ` (no version matches: there ${existing})`;
}

/** Maximum number of objects that are named. The rest is counted. */
const MAX_OBJECTS_NAMED = 3;

/** Describes the objects that two packages would both own. */
export function ownershipText(one: Term, other: Term, nouns: NounPhrases): string {
  const [a, b] = [one, other].map(({ variable }) => nouns.subjects.subject(variable));
  const objects = sharedObjects(one, other, nouns.subjects);
  const limit = objects.length > MAX_OBJECTS_NAMED ? MAX_OBJECTS_NAMED - 1 : MAX_OBJECTS_NAMED;
  const shown = objects.slice(0, limit).map(objectText);
  const more = objects.length - shown.length;
  const what = andList(more > 0 ? [...shown, `${more} more`] : shown);
  const isSame =
    a?.about === 'package' && b?.about === 'package' && sameRepository(a.repository, b.repository);
  const note = isSame ? ': they are one repository spelled two ways' : '';
  return `${nouns.anyOf(one)} and ${nouns.anyOf(other)} would both own ${what}${note}`;
}

/** Returns `CRD a.example.org`, with both kinds if the two packages own it as different kinds. */
export function objectText({ name, kinds: [one, other] }: SharedObject): string {
  if (one === other) return `${one} ${name}`;
  return `${name} (the one as ${withArticle(one)}, the other as ${withArticle(other)})`;
}

function withArticle(kind: OwnedKind): string {
  return `${/^(?:[AEIO]|XRD|MRD|MRAP)/.test(kind) ? 'an' : 'a'} ${kind}`;
}

/** An object that two packages would own, with the kind as which each of them owns it. */
interface SharedObject {
  readonly key: string;
  readonly name: string;
  readonly kinds: readonly [OwnedKind, OwnedKind];
}

/** Returns the objects that versions of both terms would own, by key in code-point order. */
export function sharedObjects(one: Term, other: Term, subjects: Subjects): SharedObject[] {
  const [kinds, otherKinds] = [kindsOf(one, subjects), kindsOf(other, subjects)];
  const keys = [...kinds.keys()].filter((key) => otherKinds.has(key)).sort();
  return keys.map((key) => ({
    key,
    name: key.slice(key.indexOf(':') + 1),
    kinds: [kinds.get(key)!, otherKinds.get(key)!],
  }));
}

/** Returns the kind as which these versions own each object, by object key. */
function kindsOf({ variable, values }: Term, subjects: Subjects): Map<string, OwnedKind> {
  const subject = subjects.subject(variable);
  const metas = subject.about === 'package' ? [...subject.metas] : [];
  const lists = metas.flatMap(([value, { owns }]) => (values.has(value) ? [owns] : []));
  if (subject.about === 'local') lists.push(subject.root.objects);
  const kinds = new Map<string, OwnedKind>();
  // Versions that own the same objects share one list.
  for (const object of [...new Set(lists)].flat()) {
    getOrCreate(kinds, ownershipKey(object), () => object.kind);
  }
  return kinds;
}

/** Maximum number of objects that a summary names. More objects are only counted. */
const MAX_OBJECTS_IN_SUMMARY = 2;
/** Maximum number of API groups that are named. If there are more, one object is an example. */
const MAX_GROUPS_NAMED = 2;

/** `CRD a.example.org`; `104 CRDs`; `3 XRDs and 1 Composition`. */
export function countedObjects(objects: readonly SharedObject[]): string {
  if (objects.length === 1) return objectText(objects[0]!);
  const groups = groupBy(objects, ({ kinds: [one, other] }) => (one === other ? one : 'CRD'));
  return andList(
    Array.from(groups, ([kind, { length }]) => `${length} ${kind}${length === 1 ? '' : 's'}`),
  );
}

/** Names a few objects. Counts more objects and names their groups: `104 CRDs of a.example.org`. */
export function namedObjects(objects: readonly SharedObject[]): string {
  if (objects.length <= MAX_OBJECTS_IN_SUMMARY) return andList(objects.map(objectText));
  const groups = new Set(objects.map(({ name, kinds }) => groupOf({ name, kind: kinds[0] })));
  const example = `${objectText(objects[0]!)} is one`;
  const where = groups.size > MAX_GROUPS_NAMED ? `(${example})` : `of ${andList([...groups])}`;
  return `${countedObjects(objects)} ${where}`;
}

/** Part of step 3: noun phrases for the packages, versions and releases in the facts of a search. */
export class NounPhrases {
  readonly problem: Problem;
  readonly subjects: Subjects;

  readonly name: (repository: Repository) => string;

  /** `name`: returns the name of a package; by default its repository. */
  constructor(
    problem: Problem,
    subjects: Subjects,
    name: (repository: Repository) => string = (repository) => repository,
  ) {
    this.problem = problem;
    this.subjects = subjects;
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
    return `${this.allOf(term)} ${conjugate(verb, this.isMany(term))}`;
  }

  /** Returns whether the phrase for a term is plural. */
  isMany({ variable, values }: Term): boolean {
    const subject = this.subjects.subject(variable);
    if (subject.about !== 'package' || labelsOf(subject.versions, values).length < 2) return false;
    return rangeText(subject.versions, values) !== EVERY_VERSION;
  }

  #versions({ variable, values }: Term, list: (items: readonly string[]) => string): string {
    const subject = this.subjects.subject(variable);
    if (subject.about === 'crossplane') return `Crossplane ${this.releases(values)}`;
    if (subject.about === 'api') return `a package that owns ${formatCrdRef(subject.crdRef)}`;
    if (subject.about === 'local') return subject.root.by!;
    const name = this.name(subject.repository);
    const range = rangeText(subject.versions, values, list);
    const words = /^(every version|no version|\d+ versions)(.*)$/.exec(range);
    return words === null ? `${name} ${range}` : `${words[1]!} of ${name}${words[2]!}`;
  }

  /** `v1.20.0`, `v1.20.0 to v2.1.0`. */
  releases(values: VersionSet): string {
    const included = this.problem.releases.filter((_, i) => values.has(FIRST + i));
    if (included.length === 0) return 'of another version';
    if (included.length === 1) return included[0]!.raw;
    return `${included.at(-1)!.raw} to ${included[0]!.raw}`;
  }

  targetClause(): string {
    return `the target is Crossplane ${this.releases(VersionSet.all)}`;
  }

  package(term: Term): PackageSubject {
    return packageOf(term, this.subjects);
  }
}

/** Returns the labels of known versions that are in a set. */
export function labelsOf(versions: PackageVersions, values: VersionSet): string[] {
  return versions.all().flatMap((value) => (values.has(value) ? [versions.label(value)] : []));
}

/** Maximum number of version ranges that are named. If there are more, only both ends are. */
const MAX_RANGES_NAMED = 3;

const EVERY_VERSION = 'every version';

/** Describes versions that exist: `every version`, `v1.2.0 to v1.9.3`, `v1.0.0 or v1.2.0`. */
export function rangeText(
  versions: PackageVersions,
  values: VersionSet,
  list: (items: readonly string[]) => string = orList,
): string {
  if (values.equals(ANY_VERSION)) return EVERY_VERSION;
  const ascending = versions.ascending();
  const included = ascending.filter((value) => values.has(value));
  const isUnordered = (value: number) => versions.version(value) === undefined;
  const unordered = versions.all().filter((value) => isUnordered(value) && values.has(value));
  if (versions.isListed && included.length === ascending.length && included.length > 1) {
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
  const unorderedLabels = unordered.map((value) => versions.label(value)).sort();
  const all = [...ranges, ...unorderedLabels];
  if (all.length === 0) return 'no version';
  if (all.length <= MAX_RANGES_NAMED) return list(all);
  if (included.length === 0)
    return list([...all.slice(0, MAX_RANGES_NAMED), `${all.length - MAX_RANGES_NAMED} more`]);
  const ends = [included[0]!, included.at(-1)!].map((value) => versions.label(value));
  return list([`${included.length} versions from ${ends[0]!} to ${ends[1]!}`, ...unorderedLabels]);
}

/** Returns the place of an input as the subject of a sentence. */
export function placeText(origin: Origin): string {
  return origin.file === 'command line' ? 'the command line' : formatOrigin(origin);
}

type Verb = 'require' | 'need' | 'own' | 'lack' | 'be';

/** Conjugates a verb: `requires` for one subject, `require` for many. */
export function conjugate(verb: Verb, isMany: boolean): string {
  if (verb === 'be') return isMany ? 'are' : 'is';
  return isMany ? verb : `${verb}s`;
}

/** Inputs of the predicate of a fact. */
export interface PredicateContext {
  readonly nouns: NounPhrases;
  /** All requirements of the explanation. */
  readonly graph: { requirers(variable: Variable): readonly unknown[] };
  /** The versions that the facts are about. */
  readonly by: Term;
  /** The phrase of these versions is plural. */
  readonly isMany: boolean;
}

/**
 * Returns the required package with its constraint. If the requiring versions have different
 * constraints, the versions that they admit replace the constraint. If every version is admitted and
 * nothing else requires the package, the result is the package alone.
 */
export function requiredText(
  requirements: readonly FactOf<'requires'>[],
  { nouns, graph }: Pick<PredicateContext, 'nouns' | 'graph'>,
): string {
  const { on, constraint } = requirements[0]!;
  const { repository, versions } = nouns.package(on);
  const values = requirements.reduce((all, fact) => all.or(fact.on.values), on.values);
  const isContested = graph.requirers(on.variable).length > 1;
  const releases = versions
    .ascending()
    .filter((value) => versions.version(value)!.prerelease === '');
  const areAllAdmitted = releases.length > 0 && releases.every((value) => values.has(value));
  if (!isContested && versions.isListed && areAllAdmitted) return nouns.name(repository);
  if (requirements.every((fact) => fact.constraint === constraint)) {
    return wantedText(on, selectorOf(constraint), nouns);
  }
  const range = rangeText(versions, values);
  const ends = range.replace(/^\d+ versions from (\S+) to (\S+)/, 'between $1 and $2');
  return `${nouns.name(repository)} ${ends}`;
}

/** States that versions do not exist. A locked version existed and has been withdrawn. */
export function notPublished(
  { variable, values }: Term,
  isMany: boolean,
  nouns: NounPhrases,
): string {
  const { repository, versions } = nouns.package({ variable, values });
  const locked = nouns.problem.locked.get(repository);
  const labels = labelsOf(versions, values);
  if (labels.length === 1 && labels[0] === locked) {
    return 'was withdrawn: the lockfile has it, and it is no longer published';
  }
  return `${conjugate('be', isMany)} not published`;
}

/** Returns the required Crossplane, and whether the target is too old or too new. */
export function neededCrossplane(
  facts: readonly FactOf<'crossplane'>[],
  nouns: NounPhrases,
): string {
  const constraints = [...new Set(facts.map(({ constraint }) => `\`${constraint}\``))];
  if (facts.some(({ on }) => !on.values.isEmpty)) return orList(constraints);
  const releases = nouns.releases(VersionSet.all);
  const are = conjugate('be', nouns.problem.releases.length > 1);
  const gap = nearestAdmitted(facts, nouns);
  if (gap === undefined) return `${orList(constraints)}, and the target is ${releases}`;
  const needed = constraints.length === 1 ? constraints[0]! : gap.releases;
  return `${needed}, and ${releases} ${are} too ${gap.too}`;
}

/** Returns the nearest admitted releases if all of them are newer, or older, than the target. */
function nearestAdmitted(facts: readonly FactOf<'crossplane'>[], { problem }: NounPhrases) {
  const { dialect, releases } = problem;
  const constraints = facts.map(({ constraint }) => parseConstraint(constraint, dialect));
  const admitted = knownReleases()
    .map((text) => parseVersion(text, dialect)!)
    .filter((release) => constraints.some((one) => !one.invalid && one.admits(release)))
    .sort(compareVersions);
  const [oldest, newest] = [admitted[0], admitted.at(-1)];
  if (oldest === undefined || newest === undefined) return undefined;
  if (releases.every((one) => compareVersions(one, oldest) < 0)) {
    return { too: 'old', releases: `${oldest.raw} or newer` };
  }
  if (releases.every((one) => compareVersions(newest, one) < 0)) {
    return { too: 'new', releases: `${newest.raw} or older` };
  }
  return undefined;
}
