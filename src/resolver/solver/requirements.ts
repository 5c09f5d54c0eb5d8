import type {
  ApiSubject,
  EncoderContext,
  ExpectedKind,
  Facts,
  PackageSubject,
} from './encoder-context.js';
import {
  ABSENT,
  type FactOf,
  FIRST,
  type Incompatibility,
  OTHER,
  type Term,
  type Variable,
} from './incompatibility.js';
import type { PublishedVersions } from './published-versions.js';
import { ask, type Solving } from './question.js';
import { VersionSet } from './version-set.js';
import { byCodePoint, getOrCreate } from '../../base/collections.js';
import { isDigest } from '../../base/digest.js';
import { selectorOf } from '../../crossplane/constraints/constraint.js';
import { type CrdRef, formatCrdRef } from '../../crossplane/packages/crd-ref.js';
import { ownershipKey } from '../../crossplane/packages/owned-objects.js';
import type { PackageMeta, Requirement } from '../../crossplane/packages/package-meta.js';
import type { PackageKind } from '../../crossplane/packages/package.js';
import type { Owner } from '../../sources/package-source.js';

/** Returns the value that a variable was decided on; undefined: it is not decided. */
type ValueOf = (variable: Variable) => number | undefined;

/**
 * The requirements of versions: `dependsOn`.
 *
 * | fact | incompatibility |
 * | --- | --- |
 * | p 1.2.0 requires q in S | {p = 1.2.0, q ∉ S} |
 * | p 1.2.0 requires the CRD k | {p = 1.2.0, owner of k = absent} |
 * | p 1.2.0 requires itself | {p = 1.2.0} |
 * | p 1.2.0 requires q, q 2.0.0 requires p | {p = 1.2.0, q = 2.0.0} |
 */
export class Requirements {
  readonly #context: EncoderContext;
  readonly #published: PublishedVersions;
  readonly #apis: CrdOwners;

  constructor(context: EncoderContext, published: PublishedVersions, apis: CrdOwners) {
    this.#context = context;
    this.#published = published;
    this.#apis = apis;
  }

  /**
   * Adds the requirements of a version in the order of dependsOn. Stops and returns false when one of
   * them excludes the version, so that no list is requested in vain.
   */
  *add(subject: PackageSubject, value: number): Solving<boolean> {
    const requirements = this.#of(subject, value);
    const { addedRequirements } = subject;
    const before = addedRequirements.get(value) ?? 0;
    if (before === requirements.length) return true;
    if (before === 0) {
      yield* this.#context.observer.beforeSelecting(() =>
        requirements.flatMap((each) =>
          each.requires === 'package'
            ? [{ repository: each.repository, selector: selectorOf(each.constraint) }]
            : [],
        ),
      );
    }
    for (const [i, requirement] of requirements.slice(before).entries()) {
      const added = yield* this.#addOne(subject, value, requirement);
      addedRequirements.set(value, before + i + 1);
      const isAboutOther = ({ variable }: Term) => variable !== subject.variable;
      const others = added?.terms.filter(isAboutOther);
      if (others?.every((term) => this.#context.search.isSatisfied(term))) return false;
    }
    return true;
  }

  /** Returns the variables that requirements name, in the order of dependsOn. All must be added. */
  variables(subject: PackageSubject, value: number): Variable[] {
    return this.#of(subject, value).map((requirement) =>
      requirement.requires === 'package'
        ? this.#context.subjects.required(requirement.repository).variable
        : this.#apis.get(requirement.demand).variable,
    );
  }

  /**
   * Adds the cycle of requirements that a decision on this version would close. Returns false if
   * there is none. Crossplane never finishes installing a cycle. There may be very many, so only
   * those that a decision would close are added.
   */
  addCycle(subject: PackageSubject, value: number, decided: ValueOf): boolean {
    const { problem, facts } = this.#context;
    if (problem.allowCycles) return false;
    const path = this.#pathBack(subject, value, decided);
    if (path === undefined) return false;
    const members = path.map(({ variable, edges }, i): Term => {
      const next = path[(i + 1) % path.length]!;
      return { variable, values: edges.get(next.variable)! };
    });
    return facts.add({ fact: 'cycle', members }) !== undefined;
  }

  /** Returns packages from `start` through decided ones back to `start`, each requiring the next. */
  #pathBack(start: PackageSubject, value: number, decided: ValueOf): PackageSubject[] | undefined {
    const seen = new Set<Variable>();
    const walk = (from: PackageSubject, at: number): PackageSubject[] | undefined => {
      for (const child of this.variables(from, at)) {
        if (child === start.variable) return [from];
        const next = this.#context.subjects.subject(child);
        const decidedValue = decided(child);
        if (decidedValue === undefined || next.about !== 'package' || seen.has(child)) continue;
        seen.add(child);
        const rest = walk(next, decidedValue);
        if (rest !== undefined) return [from, ...rest];
      }
      return undefined;
    };
    return walk(start, value);
  }

  #of(subject: PackageSubject, value: number): readonly Requirement[] {
    if (this.#context.problem.ignoreRequirements) return [];
    return subject.metas.get(value)?.requirements ?? [];
  }

  /** Adds one requirement, after requesting the owners or the tags that it depends on. */
  *#addOne(
    subject: PackageSubject,
    value: number,
    requirement: Requirement,
  ): Solving<Incompatibility | undefined> {
    const { facts, subjects } = this.#context;
    const { variable } = subject;
    const version = { variable, value };
    if (requirement.requires === 'crd') {
      const { demand, text } = requirement;
      const { variable: on } = yield* this.#apis.find(demand);
      const factFor = (by: Term) => ({ fact: 'requires-api', by, on, text }) as const;
      return facts.grow(`requires-api ${variable} ${text}`, version, factFor);
    }
    const { repository, kind, constraint, line } = requirement;
    const required = subjects.required(repository);
    const edge = subject.edges.get(required.variable) ?? VersionSet.none;
    subject.edges.set(required.variable, edge.with(value));
    const values = yield* this.#published.selected(required, selectorOf(constraint));
    const on = { variable: required.variable, values };
    if (required === subject) return this.#addSelf(value, { on, constraint, line });
    this.#addKind(required, kind, subject, value);
    const factFor = (by: Term) => ({ fact: 'requires', by, on, constraint, line }) as const;
    return facts.grow(`requires ${variable} ${on.variable} ${constraint}`, version, factFor);
  }

  /** Adds the kind that one more version of `by` names for `on`. */
  #addKind(on: PackageSubject, kind: PackageKind, by: PackageSubject, value: number): void {
    const key = `${by.variable} ${kind}`;
    const before = on.expectedKinds.get(key)?.by;
    const known = before !== undefined && 'values' in before ? before.values : VersionSet.none;
    const versions = { variable: by.variable, values: known.with(value) };
    addExpectedKind(on, key, { kind, by: versions }, this.#context.facts);
  }

  /** Adds a requirement of a package on itself: a cycle or, if cycles are allowed, a constraint. */
  #addSelf(
    value: number,
    requirement: Pick<FactOf<'requires'>, 'on' | 'constraint' | 'line'>,
  ): Incompatibility | undefined {
    const { problem, facts } = this.#context;
    const { variable, values } = requirement.on;
    const by = { variable, values: VersionSet.single(value) };
    if (!problem.allowCycles) return facts.add({ fact: 'cycle', members: [by] });
    return values.has(value) ? undefined : facts.add({ fact: 'requires', by, ...requirement });
  }
}

/** A package with a version that owns a required CRD. */
interface KnownOwner {
  readonly crdRef: CrdRef;
  /** The term that this package is the owner. */
  readonly chosen: Term;
  /** Versions for which it was known whether they own the CRD when the owners were requested. */
  readonly classified: ReadonlySet<number>;
}

/**
 * Required CRDs. Each is a variable, and its values are the packages that own the CRD.
 *
 * | fact | incompatibility |
 * | --- | --- |
 * | no other package owns the CRD k | {owner of k ∉ absent, owners} |
 * | only the versions of p in S own the CRD k | {owner of k = p, p ∉ S} |
 */
export class CrdOwners {
  readonly #context: EncoderContext;
  readonly #published: PublishedVersions;
  readonly #knownApis = new Map<string, ApiSubject>();
  readonly #ownerships = new Map<Variable, KnownOwner[]>();

  constructor(context: EncoderContext, published: PublishedVersions) {
    this.#context = context;
    this.#published = published;
  }

  /** Returns the variable of a CRD requirement. `find` must have been called for it. */
  get(crdRef: CrdRef): ApiSubject {
    return this.#knownApis.get(formatCrdRef(crdRef))!;
  }

  /** Requests the owners of a CRD, unless they are known. */
  *find(crdRef: CrdRef): Solving<ApiSubject> {
    const key = formatCrdRef(crdRef);
    const known = this.#knownApis.get(key);
    if (known !== undefined) return known;
    const { subjects, facts } = this.#context;
    const reply = [...(yield* ask({ ask: 'owners', crdRef }))];
    reply.sort((a, b) => byCodePoint(a.repository, b.repository));
    const owners: PackageSubject[] = [];
    for (const { repository } of reply) {
      const owner = subjects.package(repository);
      if (!owner.versions.isListed && !this.#published.areRefused(owner)) {
        yield* this.#published.list(owner);
      }
      owners.push(owner);
    }
    const api = subjects.add((v): ApiSubject => ({ about: 'api', variable: v, crdRef, owners }));
    this.#knownApis.set(key, api);
    const { variable } = api;
    const values = VersionSet.of([ABSENT, ...owners.map((_, i) => FIRST + i)]).complement();
    facts.add({ fact: 'no-others', of: { variable, values } });
    for (const [i, owner] of reply.entries()) this.#addOwner(api, i, owner);
    return api;
  }

  /** Adds the required CRDs that a version does not own, if that was not known before. */
  addVersion({ variable }: PackageSubject, value: number, meta: PackageMeta): void {
    for (const { crdRef, chosen, classified } of this.#ownerships.get(variable) ?? []) {
      if (classified.has(value) || owns(meta, crdRef)) continue;
      this.#addNonOwners(chosen, { variable, values: VersionSet.single(value) });
    }
  }

  /** Adds that a package has no versions but the known ones, none of which can be the chosen owner. */
  close({ variable, versions }: PackageSubject): void {
    const unknown = { variable, values: VersionSet.of(versions.all()).complement() };
    const known = this.#ownerships.get(variable) ?? [];
    for (const { chosen } of known) this.#addNonOwners(chosen, unknown);
  }

  #addOwner(api: ApiSubject, index: number, owner: Owner): void {
    const subject = api.owners[index]!;
    const { variable, versions, metas } = subject;
    const chosen = { variable: api.variable, values: VersionSet.single(FIRST + index) };
    if (this.#published.areRefused(subject)) {
      this.#addNonOwners(chosen, { variable, values: VersionSet.single(ABSENT) });
      return;
    }
    const owningTags = new Set(owner.versions);
    const owners: number[] = [];
    const others: number[] = [];
    for (const value of versions.all()) {
      const label = versions.label(value);
      const meta = metas.get(value);
      // Sources list owners by tag. The content of a digest is known after it has been read.
      if (isDigest(label) && meta === undefined) continue;
      // Only the source knows which versions of the CRD a tag has.
      const isKnown = meta !== undefined && (isDigest(label) || api.crdRef.version === undefined);
      const isOwner = owningTags.has(label) || (isKnown && owns(meta, api.crdRef));
      (isOwner ? owners : others).push(value);
    }
    const nonOwners = { variable, values: VersionSet.of([ABSENT, OTHER, ...others]) };
    const by = { variable, values: VersionSet.of(owners) };
    this.#context.facts.add({ fact: 'provides', api: chosen, by, nonOwners });
    const known = { crdRef: api.crdRef, chosen, classified: new Set([...owners, ...others]) };
    getOrCreate(this.#ownerships, variable, () => []).push(known);
  }

  #addNonOwners(chosen: Term, nonOwners: Term): void {
    const by = { variable: nonOwners.variable, values: nonOwners.values.complement() };
    this.#context.facts.add({ fact: 'provides', api: chosen, by, nonOwners });
  }
}

/** Compares names only: the versions that a CRD defines are not part of the metadata. */
function owns(meta: PackageMeta, crdRef: CrdRef): boolean {
  return (
    'crd' in crdRef && meta.owns.some((object) => ownershipKey(object) === `crd:${crdRef.crd}`)
  );
}

/**
 * Stores that a requirement names a kind for `on`, and compares it with the versions read so far.
 *
 * | fact | incompatibility |
 * | --- | --- |
 * | a root requires q as a Provider, q 1.0.0 is a Function | {q = 1.0.0} |
 * | p 1.2.0 requires q as a Provider, q 1.0.0 is a Function | {p = 1.2.0, q = 1.0.0} |
 *
 * Either side may be discovered first, so both are stored and compared when one of them grows.
 */
export function addExpectedKind(
  on: PackageSubject,
  key: string,
  expected: ExpectedKind,
  facts: Facts,
): void {
  on.expectedKinds.set(key, expected);
  for (const found of on.kinds.keys()) compareKinds(on, key, found, facts);
}

/** Adds the kind of a version that has been read. */
export function addKind(subject: PackageSubject, value: number, kind: PackageKind, facts: Facts) {
  const before = subject.kinds.get(kind) ?? VersionSet.none;
  subject.kinds.set(kind, before.with(value));
  for (const key of subject.expectedKinds.keys()) compareKinds(subject, key, kind, facts);
}

function compareKinds(
  { variable, expectedKinds, kinds }: PackageSubject,
  key: string,
  found: PackageKind,
  facts: Facts,
): void {
  const { kind: wanted, by } = expectedKinds.get(key)!;
  if (found === wanted) return;
  const on = { variable, values: kinds.get(found)! };
  facts.replace(`kind ${key} ${variable} ${found}`, { fact: 'kind', by, on, wanted, found });
}
