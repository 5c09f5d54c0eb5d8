import { type Link, linkOf } from './fact-kinds.js';
import { unionOf } from './proof-facts.js';
import { getOrCreate } from '../../base/collections.js';
import type { Encoder } from '../solver/encoder.js';
import type { Fact, FactOf, Term, Variable } from '../solver/incompatibility.js';
import type { RootRequirement } from '../solver/problem.js';
import { VersionSet } from '../solver/version-set.js';

/** Similar facts about versions of a package: they lead to the same package or API, or nowhere. */
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

/** A requirement of the user. */
interface Start {
  readonly fact: Fact;
  readonly root: RootRequirement;
  readonly to: Term;
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
  /** The requirements of the user, in order. */
  readonly starts: readonly Start[];
  readonly facts: readonly Fact[];
  readonly #claims = new Map<Variable, Claim[]>();
  readonly #requirers = new Map<Variable, CoreRequirer[]>();

  /** `facts`: merged, in the order of presentation. */
  constructor(facts: readonly Fact[], encoder: Encoder) {
    this.facts = facts;
    this.starts = facts.flatMap((fact) => {
      const { from, to } = linkOf(fact) ?? {};
      if (from === undefined || to === undefined || 'values' in from) return [];
      return [{ fact, root: from, to }];
    });
    for (const group of grouped(claimLinks(facts), claimKey)) {
      const claim = toClaim(group);
      getOrCreate(this.#claims, claim.by.variable, () => []).push(claim);
    }
    const requirements = facts.filter((fact) => fact.fact === 'root' || fact.fact === 'requires');
    const requirerKey = (fact: FactOf<'root' | 'requires'>) =>
      fact.fact === 'root'
        ? `${fact.on.variable} root ${encoder.rootIndex(fact.root)}`
        : `${fact.on.variable} package ${fact.by.variable}`;
    for (const group of grouped(requirements, requirerKey)) {
      const on = group.map((fact) => fact.on).reduce(unionOf);
      const requirer = { facts: group, values: on.values };
      getOrCreate(this.#requirers, on.variable, () => []).push(requirer);
    }
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
    const none: VersionSet = VersionSet.none;
    return this.requirers(variable).reduce((all, { values }) => all.or(values), none);
  }

  /**
   * Returns whether two requirements can apply at once. They cannot if their paths from the roots
   * need different versions of one package: then they are alternatives.
   */
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

  /** Returns the only package that requires these versions; undefined for a root, or several. */
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
  const some = claimLinks(facts).filter(({ from }) => !from.values.isDisjointFrom(values));
  if (some.length === 0) return undefined;
  const whole = toClaim(some);
  return { ...whole, by: { ...whole.by, values: whole.by.values.and(values) } };
}

function claimLinks(facts: readonly Fact[]): ClaimLink[] {
  return facts.flatMap((fact) => {
    const link = linkOf(fact);
    return link && 'values' in link.from ? [{ ...link, fact, from: link.from }] : [];
  });
}

function toClaim(links: readonly ClaimLink[]): Claim {
  const none: VersionSet = VersionSet.none;
  return {
    by: links.map(({ from }) => from).reduce(unionOf),
    to: links[0]?.to?.variable,
    values: links.reduce((all, { to }) => all.or(to?.values ?? none), none),
    facts: links.map(({ fact }) => fact),
  };
}

/** Returns a key that is equal for facts that are presented together. */
function claimKey({ fact, from, to, group = '' }: ClaimLink): string {
  return `${fact.fact} ${from.variable} ${to?.variable ?? ''} ${group}`;
}

function grouped<T>(items: readonly T[], key: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) getOrCreate(groups, key(item), () => []).push(item);
  return [...groups.values()];
}
