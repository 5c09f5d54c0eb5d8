import { unionOf } from './proof-facts.js';
import { getOrCreate } from '../../base/collections.js';
import type { Encoder } from '../solver/encoder.js';
import type { Fact, FactOf, Term, Variable } from '../solver/incompatibility.js';
import { rulingKey } from '../solver/problem.js';
import { VersionSet } from '../solver/version-set.js';

const CLAIM_KINDS = [
  'requires',
  'requires-api',
  'provides',
  'crossplane',
  'missing',
  'rejected',
  'excluded',
  'ruled-out',
] as const;

/** A fact that versions of a package, or of the owner of an API, state. */
export type ClaimFact = FactOf<(typeof CLAIM_KINDS)[number]>;

/** Similar facts about versions of a package: they lead to the same package or API, or nowhere. */
export interface Claim {
  /** The versions that the facts are about. */
  readonly by: Term;
  /** The required package or API; undefined if nothing is required. */
  readonly to: Variable | undefined;
  /** The accepted versions of the required package. */
  readonly values: VersionSet;
  /** At least one fact, all of one kind. */
  readonly facts: readonly ClaimFact[];
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
  readonly starts: readonly FactOf<'root' | 'root-api' | 'crossplane'>[];
  readonly facts: readonly Fact[];
  readonly #claims = new Map<Variable, Claim[]>();
  readonly #requirers = new Map<Variable, CoreRequirer[]>();

  /** `facts`: merged, in the order of presentation. */
  constructor(facts: readonly Fact[], encoder: Encoder) {
    this.facts = facts;
    this.starts = facts.filter(isStart);
    for (const group of grouped(facts.filter(isClaim), claimKey)) {
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
  const some = facts.flatMap((fact) => {
    const by = subjectOf(fact).values.and(values);
    return by.isEmpty ? [] : [{ fact, by }];
  });
  if (some.length === 0) return undefined;
  const whole = toClaim(some.map(({ fact }) => fact));
  return { ...whole, by: { ...whole.by, values: whole.by.values.and(values) } };
}

function toClaim(facts: readonly ClaimFact[]): Claim {
  const destinations = facts.map(destination);
  const none: VersionSet = VersionSet.none;
  return {
    by: facts.map(subjectOf).reduce(unionOf),
    to: destinations[0]?.variable,
    values: destinations.reduce((all, to) => all.or(to?.values ?? none), none),
    facts,
  };
}

function isStart(fact: Fact): fact is FactOf<'root' | 'root-api' | 'crossplane'> {
  if (fact.fact === 'crossplane') return !('values' in fact.by);
  return fact.fact === 'root' || fact.fact === 'root-api';
}

function isClaim(fact: Fact): fact is ClaimFact {
  if (fact.fact === 'crossplane') return 'values' in fact.by;
  return CLAIM_KINDS.some((kind) => kind === fact.fact);
}

/** Returns a key that is equal for facts that are presented together. */
function claimKey(fact: ClaimFact): string {
  const from = subjectOf(fact).variable;
  // If no version satisfies the constraint, the text explains that constraint.
  const unsatisfiable = fact.fact === 'requires' && fact.on.values.isEmpty ? fact.constraint : '';
  const rule = fact.fact === 'ruled-out' ? rulingKey(fact.ruling) : '';
  return `${fact.fact} ${from} ${destination(fact)?.variable ?? ''} ${unsatisfiable}${rule}`;
}

/** Returns the package or API at the end of the chain to which the fact belongs. */
function subjectOf(fact: ClaimFact): Term {
  if (fact.fact === 'provides') return fact.api;
  if ('of' in fact) return fact.of;
  if ('values' in fact.by) return fact.by;
  throw new Error('a root is no claim of a package');
}

function destination(fact: ClaimFact): Term | undefined {
  if (fact.fact === 'requires') return fact.on;
  if (fact.fact === 'requires-api') return { variable: fact.on, values: VersionSet.all };
  return fact.fact === 'provides' ? fact.by : undefined;
}

function grouped<T>(items: readonly T[], key: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) getOrCreate(groups, key(item), () => []).push(item);
  return [...groups.values()];
}
