import { groupBy } from '../../base/collections.js';
import { isDigest } from '../../base/digest.js';
import { andList } from '../../base/messages.js';
import { selectorText } from '../../crossplane/constraints/constraint.js';
import type { Repository } from '../../crossplane/packages/package.js';
import { sameRepository } from '../../crossplane/packages/reference.js';
import {
  familyOf,
  isFamilyPackage,
  organizationOf,
  packageName,
  registryOf,
} from '../../crossplane/packages/repository-names.js';
import type { Subjects } from '../solver/encoder-context.js';
import type { Fact, FactOf, Term, Variable } from '../solver/incompatibility.js';
import { VersionSet } from '../solver/version-set.js';
import {
  type NounPhrases,
  countedObjects,
  namedObjects,
  placeText,
  sharedObjects,
} from './fact-clause.js';
import { type Link, factClause, linkOf, variablesIn } from './fact-kinds.js';
import { unionOf } from '../solver/search-result.js';

/** Facts of one kind about versions of a package. All require the same package or API, or none. */
export interface Claim {
  /** The versions that the facts are about. */
  readonly by: Term;
  /** The required package, API or Crossplane; undefined if nothing is required. */
  readonly to: Variable | undefined;
  /** The accepted versions of the required package. */
  readonly values: VersionSet;
  /** At least one fact, all of one kind. */
  readonly facts: readonly Fact[];
}

/** A fact that versions of a package, or of the owner of an API, state. */
interface ClaimLink extends Pick<Link, 'to' | 'group'> {
  readonly fact: Fact;
  readonly from: Term;
}

/** A root or package that requires a package. */
export interface CoreRequirer {
  readonly facts: readonly FactOf<'root' | 'requires'>[];
  /** All versions that it accepts. */
  readonly values: VersionSet;
}

/** The facts of a proof as a graph of requirements. */
export class CoreGraph {
  readonly facts: readonly Fact[];
  readonly #claims: ReadonlyMap<Variable, readonly Claim[]>;
  readonly #requirers: ReadonlyMap<Variable, readonly CoreRequirer[]>;

  /** `facts`: merged, in the order of presentation. */
  constructor(facts: readonly Fact[], subjects: Subjects) {
    this.facts = facts;
    const byClaim = groupBy(
      claimLinks(facts),
      ({ fact, from, to, group = '' }) =>
        `${fact.fact} ${from.variable} ${to?.variable ?? ''} ${group}`,
    );
    const claims = Array.from(byClaim.values(), toClaim);
    this.#claims = groupBy(claims, ({ by }) => by.variable);
    const requirements = facts.filter((fact) => fact.fact === 'root' || fact.fact === 'requires');
    const byRequirer = groupBy(requirements, (fact) =>
      fact.fact === 'root'
        ? `${fact.on.variable} root ${subjects.rootIndex(fact.root)}`
        : `${fact.on.variable} package ${fact.by.variable}`,
    );
    const requirers = Array.from(byRequirer.values(), (group): CoreRequirer => {
      return { facts: group, values: group.map(({ on }) => on).reduce(unionOf).values };
    });
    this.#requirers = groupBy(requirers, (requirer) => requirer.facts[0]!.on.variable);
  }

  /** Returns the facts about versions of a package, or of the owner of an API. */
  claims(variable: Variable): readonly Claim[] {
    return this.#claims.get(variable) ?? [];
  }

  /** Returns the roots and packages that require a package. */
  requirers(variable: Variable): readonly CoreRequirer[] {
    return this.#requirers.get(variable) ?? [];
  }

  /** Returns the versions of a package that at least one requirer accepts. */
  acceptedVersions(variable: Variable): VersionSet {
    return this.requirers(variable).reduce((all, { values }) => all.or(values), VersionSet.none);
  }

  /** Returns whether two requirements can apply at once: whether their paths have common versions. */
  canMeet(one: FactOf<'root' | 'requires'>, other: FactOf<'root' | 'requires'>): boolean {
    const [path, otherPath] = [this.#pathTo(one), this.#pathTo(other)];
    return [...path].every(([variable, values]) => {
      const others = otherPath.get(variable);
      return others === undefined || !others.isDisjointFrom(values);
    });
  }

  /** Returns the versions on the path to a requirement, up to a package with several requirers. */
  #pathTo(requirement: FactOf<'root' | 'requires'>): Map<Variable, VersionSet> {
    const path = new Map<Variable, VersionSet>();
    if (requirement.fact === 'root') return path;
    for (let by: Term | undefined = requirement.by; by !== undefined && !path.has(by.variable);) {
      path.set(by.variable, by.values);
      by = this.#onlyRequirer(by);
    }
    return path;
  }

  /** Returns versions of the only requirer; undefined if a root or several packages require them. */
  #onlyRequirer({ variable, values }: Term): Term | undefined {
    const [only, ...more] = this.requirers(variable);
    if (only === undefined || more.length > 0) return undefined;
    const by = only.facts.flatMap((fact) =>
      fact.fact === 'requires' && !fact.on.values.isDisjointFrom(values) ? [fact.by] : [],
    );
    return by.length === 0 ? undefined : by.reduce(unionOf);
  }

  /** The required packages, in the order of presentation. */
  get required(): readonly Variable[] {
    return [...this.#requirers.keys()];
  }
}

/** Restricts a group of facts to some versions; undefined if no fact is about them. */
export function claimAbout({ facts }: Claim, values: VersionSet): Claim | undefined {
  const matchingLinks = claimLinks(facts).filter(({ from }) => !from.values.isDisjointFrom(values));
  if (matchingLinks.length === 0) return undefined;
  const whole = toClaim(matchingLinks);
  return { ...whole, by: { ...whole.by, values: whole.by.values.and(values) } };
}

function claimLinks(facts: readonly Fact[]): ClaimLink[] {
  return facts.flatMap((fact) => {
    const link = linkOf(fact);
    return link && 'values' in link.from ? [{ ...link, fact, from: link.from }] : [];
  });
}

function toClaim(links: readonly ClaimLink[]): Claim {
  return {
    by: links.map(({ from }) => from).reduce(unionOf),
    to: links[0]?.to?.variable,
    values: links.reduce((all, { to }) => (to ? all.or(to.values) : all), VersionSet.none),
    facts: links.map(({ fact }) => fact),
  };
}

/** A conflict between requirements, or another fact that excludes packages. */
export interface ConflictPoint {
  readonly clash: 'versions' | 'ownership' | 'crossplane' | 'fact';
  /** A sentence without its full stop. */
  readonly text: string;
  /** The packages in conflict. */
  readonly about: readonly Variable[];
}

/** Returns the conflicts in which chains of requirements meet, and the facts not `inChains`. */
export function conflictPoints(
  graph: CoreGraph,
  inChains: ReadonlySet<Fact>,
  nouns: NounPhrases,
): ConflictPoint[] {
  const versions = graph.required.flatMap((variable): ConflictPoint[] => {
    const text = versionConflict(variable, graph, inChains, nouns);
    return text === undefined ? [] : [{ clash: 'versions', text, about: [variable] }];
  });
  const pairs = groupBy(
    graph.facts.filter((fact) => fact.fact === 'owns'),
    ({ one, other }) => `${one.variable} ${other.variable}`,
  );
  const ownership = Array.from(pairs.values(), (pair): ConflictPoint => {
    const text = ownershipConflict(pair, graph, nouns);
    return { clash: 'ownership', text, about: variablesIn(pair[0]!) };
  });
  const rest = graph.facts.flatMap((fact): ConflictPoint[] => {
    if (fact.fact === 'owns' || fact.fact === 'no-others' || inChains.has(fact)) return [];
    const text = factClause(fact, nouns);
    return text === undefined ? [] : [{ clash: 'fact', text, about: variablesIn(fact) }];
  });
  const conflicts = [...versions, ...ownership];
  const needs = graph.facts.filter((fact) => fact.fact === 'crossplane' && !fact.on.values.isEmpty);
  if (needs.length > 0) {
    const text = `no Crossplane of ${nouns.releases(VersionSet.all)} suits all of them`;
    conflicts.push({ clash: 'crossplane', text, about: needs.flatMap(variablesIn) });
  }
  return [...conflicts, ...rest];
}

/** Describes why no version of a package satisfies all its requirers; undefined if one might. */
function versionConflict(
  variable: Variable,
  graph: CoreGraph,
  inChains: ReadonlySet<Fact>,
  nouns: NounPhrases,
): string | undefined {
  const order = [...inChains];
  const requirers = graph
    .requirers(variable)
    .filter((one, _, all) => all.some((other) => other !== one && areInConflict(one, other, graph)))
    .toSorted((a, b) => order.indexOf(a.facts[0]!) - order.indexOf(b.facts[0]!));
  if (requirers.length === 0) return undefined;
  const { repository } = nouns.package({ variable, values: graph.acceptedVersions(variable) });
  const name = nouns.name(repository);
  const constraints = requirers.flatMap(({ facts }) =>
    facts.map((fact) =>
      fact.fact === 'root' ? selectorText(fact.root.selector) : fact.constraint,
    ),
  );
  const texts = [...new Set(constraints)];
  if (requirers.length === 2 && texts.length === 2 && !texts.some(isDigest)) {
    const both = `both ${andList(texts.map((text) => `\`${text}\``))}`;
    return isFamilyPackage(repository) && requirers.every((one) => isMember(one, nouns))
      ? `the members of a family share one ${name}, and no version of it is ${both}`
      : `no version of ${name} is ${both}`;
  }
  const names = andList(requirers.map((requirer) => requirerName(requirer, nouns)));
  if (requirers.length === 2 && requirers[0]!.values.isDisjointFrom(requirers[1]!.values)) {
    return `no version of ${name} suits both ${names}`;
  }
  return `${names} do not agree on a version of ${name}`;
}

/** Returns whether both can be selected at once and require versions that exclude each other. */
function areInConflict(one: CoreRequirer, other: CoreRequirer, graph: CoreGraph): boolean {
  const [facts, others] = [one, other].map((each) =>
    each.facts.filter(({ on }) => !on.values.isEmpty),
  );
  return facts!.some((fact) =>
    others!.some(
      (each) => each.on.values.isDisjointFrom(fact.on.values) && graph.canMeet(fact, each),
    ),
  );
}

function isMember({ facts: [fact] }: CoreRequirer, nouns: NounPhrases): boolean {
  return fact?.fact === 'requires' && familyOf(nouns.package(fact.by).repository) !== undefined;
}

function requirerName({ facts }: CoreRequirer, nouns: NounPhrases): string {
  const fact = facts[0]!;
  if (fact.fact === 'root') return fact.root.by ?? placeText(fact.root.origin);
  return nouns.name(nouns.package(fact.by).repository);
}

/** Two packages that would own the same objects. */
interface OwnershipConflict {
  readonly one: Owner;
  readonly other: Owner;
  /** The names of the objects, or their number and groups. */
  readonly objects: string;
  /** The number of objects. */
  readonly count: string;
}

interface Owner {
  /** Includes the versions, unless all required versions own the objects. */
  readonly name: string;
  readonly repository: Repository;
  /** A package that requires the owner; undefined if the user requires it. */
  readonly requiredBy: string | undefined;
}

/** Descriptions of well-known ownership conflicts, the most specific first. */
const PATTERNS = [spelledTwice, twoRegistries, monolith, familyVersions];

/** Describes why two packages cannot be installed together. `facts`: those of the two packages. */
function ownershipConflict(
  facts: readonly FactOf<'owns'>[],
  graph: CoreGraph,
  nouns: NounPhrases,
): string {
  const terms = [
    facts.map((fact) => fact.one).reduce(unionOf),
    facts.map((fact) => fact.other).reduce(unionOf),
  ] as const;
  const shared = sharedObjects(...terms, nouns.subjects);
  const [one, other] = terms.map((term) => ownerOf(term, graph, nouns));
  const objects = namedObjects(shared);
  if (one !== undefined && other !== undefined) {
    const conflict = { one, other, objects, count: countedObjects(shared) };
    for (const pattern of PATTERNS) {
      const text = pattern(conflict) ?? pattern({ ...conflict, one: other, other: one });
      if (text !== undefined) return text;
    }
  }
  const names = [one?.name ?? nouns.anyOf(terms[0]), other?.name ?? nouns.anyOf(terms[1])];
  return `${names.join(' and ')} both own ${objects}, and only one package can`;
}

/** Returns undefined for a package under development. */
function ownerOf(term: Term, graph: CoreGraph, nouns: NounPhrases): Owner | undefined {
  const subject = nouns.subjects.subject(term.variable);
  if (subject.about !== 'package') return undefined;
  const { repository } = subject;
  const isEvery = graph.acceptedVersions(term.variable).isSubsetOf(term.values);
  const fact = graph.requirers(term.variable)[0]?.facts[0];
  return {
    name: isEvery ? nouns.name(repository) : nouns.anyOf(term),
    repository,
    requiredBy:
      fact?.fact === 'requires' ? nouns.name(nouns.package(fact.by).repository) : undefined,
  };
}

/** A whole family in one package and a part of it: `provider-aws` and `provider-aws-ec2`. */
function monolith({ one, other, count }: OwnershipConflict): string | undefined {
  const [whole, part] = [packageName(one.repository), packageName(other.repository)];
  const family = whole.replace(/^provider-/, 'provider-family-');
  if (!whole.startsWith('provider-')) return undefined;
  if (!part.startsWith(`${whole}-`) && part !== family) return undefined;
  const broughtBy = other.requiredBy === undefined ? '' : `, which ${other.requiredBy} brings in`;
  return `${one.name} owns the same ${count} as ${other.name}${broughtBy}: ${whole} is all of the family in one package, and cannot stand beside its members`;
}

/** One repository under two names, as on Docker Hub. */
function spelledTwice({ one, other, count }: OwnershipConflict): string | undefined {
  if (!sameRepository(one.repository, other.repository)) return undefined;
  return `${one.repository} and ${other.repository} are one repository spelled two ways, and a cluster takes them for two packages that own the same ${count}`;
}

/** The same package, or the packages of one family, from two registries or organizations. */
function twoRegistries({ one, other, count }: OwnershipConflict): string | undefined {
  if (packageName(one.repository) !== packageName(other.repository)) return undefined;
  const [host, otherHost] = [one, other].map(({ repository }) => registryOf(repository));
  const both = `${one.name} and ${other.name}`;
  if (isFamilyPackage(one.repository)) {
    const place = host === otherHost ? 'organisation' : 'registry';
    return `a family has to come from one ${place}: ${both} own the same ${count}, and only one package can`;
  }
  const places = host === otherHost ? 'organisations' : 'registries';
  return `${both} are one package from two ${places}, and own the same ${count}: only one can be installed`;
}

/** Two members of a family, at versions between which an object moved from one to the other. */
function familyVersions({ one, other, objects }: OwnershipConflict): string | undefined {
  const family = familyOf(one.repository);
  if (family === undefined || family !== familyOf(other.repository)) return undefined;
  if (organizationOf(one.repository) !== organizationOf(other.repository)) return undefined;
  return `${one.name} and ${other.name} are of one family, at versions that do not go together: both own ${objects}`;
}
