import type { Fact } from '../../solver/fact.js';
import type { Encoder } from '../../solver/encoder/encoder.js';
import type { Term, Variable } from '../../solver/incompatibility.js';
import { rulingKey } from '../../model/policy/ruling.js';
import { VersionSet } from '../../solver/version-set.js';

type FactOf<Kind extends Fact['fact']> = Extract<Fact, { fact: Kind }>;
/** A fact that a package, or the owner of an API, states of its own accord. */
export type SaidFact = FactOf<
  | 'requires'
  | 'requires-api'
  | 'provides'
  | 'crossplane'
  | 'missing'
  | 'rejected'
  | 'excluded'
  | 'ruled-out'
>;

/** What versions of a package say of one thing, each perhaps in words of its own. */
export interface Saying {
  /** The versions that say it. */
  readonly by: Term;
  /** What it leads to; undefined: nowhere. */
  readonly to: Variable | undefined;
  /** The versions of that which will do. */
  readonly values: VersionSet;
  /** One at least, all of one kind. */
  readonly facts: readonly SaidFact[];
}

/** Who wants versions of a package: a root, or another package. */
export interface CoreRequirer {
  readonly facts: readonly FactOf<'root' | 'requires'>[];
  /** All versions that it would take. */
  readonly values: VersionSet;
}

/** The facts of a core as a graph: what leads to what. */
export class CoreGraph {
  /** What the user asks for, in order. */
  readonly starts: readonly FactOf<'root' | 'root-api' | 'crossplane'>[];
  readonly facts: readonly Fact[];
  readonly #sayings = new Map<Variable, Saying[]>();
  readonly #requirers = new Map<Variable, CoreRequirer[]>();

  /** `facts`: merged, and in telling order. */
  constructor(facts: readonly Fact[], encoder: Encoder) {
    this.facts = facts;
    this.starts = facts.filter(isStart);
    for (const group of grouped(facts.flatMap(saidFact), sayingKey)) {
      const saying = toSaying(group);
      append(this.#sayings, saying.by.variable, saying);
    }
    const wants = facts.filter((fact) => fact.fact === 'root' || fact.fact === 'requires');
    const requirerKey = (fact: FactOf<'root' | 'requires'>) =>
      fact.fact === 'root'
        ? `${fact.on.variable} root ${encoder.rootIndex(fact.root)}`
        : `${fact.on.variable} package ${fact.by.variable}`;
    for (const group of grouped(wants, requirerKey)) {
      const on = group.map((fact) => fact.on).reduce(union);
      append(this.#requirers, on.variable, { facts: group, values: on.values });
    }
  }

  /** What is said by versions of a package, or of the owner of an API. */
  sayings(variable: Variable): readonly Saying[] {
    return this.#sayings.get(variable) ?? [];
  }

  /** Who wants a package. */
  requirers(variable: Variable): readonly CoreRequirer[] {
    return this.#requirers.get(variable) ?? [];
  }

  /** All versions of a package that someone would take. */
  wanted(variable: Variable): VersionSet {
    const none: VersionSet = VersionSet.none;
    return this.requirers(variable).reduce((all, { values }) => all.or(values), none);
  }

  /**
   * Whether two requirements may hold at once. They may not where their ways from the roots part at
   * a package, each with other versions of it: then they are alternatives.
   */
  canMeet(one: FactOf<'root' | 'requires'>, other: FactOf<'root' | 'requires'>): boolean {
    const [way, otherWay] = [this.#wayTo(one), this.#wayTo(other)];
    return [...way].every(([variable, values]) => {
      const others = otherWay.get(variable);
      return others === undefined || !others.isDisjointFrom(values);
    });
  }

  /** The versions of other packages that a requirement is there with; where several lead to it, none. */
  #wayTo(want: FactOf<'root' | 'requires'>): Map<Variable, VersionSet> {
    const way = new Map<Variable, VersionSet>();
    if (want.fact === 'root') return way;
    for (let by: Term | undefined = want.by; by !== undefined && !way.has(by.variable);) {
      way.set(by.variable, by.values);
      by = this.#onlyRequirer(by);
    }
    return way;
  }

  /** The versions of the one package that wants these; undefined: several do, or a root. */
  #onlyRequirer({ variable, values }: Term): Term | undefined {
    const [only, ...more] = this.requirers(variable);
    if (only === undefined || more.length > 0) return undefined;
    const by = only.facts.flatMap((fact) =>
      fact.fact === 'requires' && !fact.on.values.isDisjointFrom(values) ? [fact.by] : [],
    );
    return by.length === 0 ? undefined : by.reduce(union);
  }

  /** The packages that are wanted, in telling order. */
  get contestable(): readonly Variable[] {
    return [...this.#requirers.keys()];
  }
}

/** What of a saying is said by these versions; undefined: nothing. */
export function sayingOf({ facts }: Saying, values: VersionSet): Saying | undefined {
  const some = facts.flatMap((fact) => {
    const by = speaker(fact).values.and(values);
    return by.isEmpty ? [] : [{ fact, by }];
  });
  if (some.length === 0) return undefined;
  const whole = toSaying(some.map(({ fact }) => fact));
  return { ...whole, by: { ...whole.by, values: whole.by.values.and(values) } };
}

function toSaying(facts: readonly SaidFact[]): Saying {
  const destinations = facts.map(destination);
  const none: VersionSet = VersionSet.none;
  return {
    by: facts.map(speaker).reduce(union),
    to: destinations[0]?.variable,
    values: destinations.reduce((all, to) => all.or(to?.values ?? none), none),
    facts,
  };
}

function isStart(fact: Fact): fact is FactOf<'root' | 'root-api' | 'crossplane'> {
  if (fact.fact === 'crossplane') return !('values' in fact.by);
  return fact.fact === 'root' || fact.fact === 'root-api';
}

function saidFact(fact: Fact): SaidFact[] {
  switch (fact.fact) {
    case 'requires':
    case 'requires-api':
    case 'provides':
    case 'missing':
    case 'rejected':
    case 'excluded':
    case 'ruled-out':
      return [fact];
    case 'crossplane':
      return 'values' in fact.by ? [fact] : [];
    case 'root':
    case 'root-api':
    case 'owns':
    case 'kind':
    case 'no-others':
    case 'cycle':
      return [];
  }
}

/** Equal for facts that are told in one breath. */
function sayingKey(fact: SaidFact): string {
  const from = speaker(fact).variable;
  // Where no version will do, the reason why is one of the constraint.
  const vain = fact.fact === 'requires' && fact.on.values.isEmpty ? fact.constraint : '';
  const rule = fact.fact === 'ruled-out' ? rulingKey(fact.ruling) : '';
  return `${fact.fact} ${from} ${destination(fact)?.variable ?? ''} ${vain}${rule}`;
}

/** The package, or the API, that a chain has come to when this is said. */
function speaker(fact: SaidFact): Term {
  switch (fact.fact) {
    case 'requires':
    case 'requires-api':
      return fact.by;
    case 'provides':
      return fact.api;
    case 'crossplane':
      if ('values' in fact.by) return fact.by;
      throw new Error('what a root needs is no saying of a package');
    case 'missing':
    case 'rejected':
    case 'excluded':
    case 'ruled-out':
      return fact.of;
  }
}

function destination(fact: SaidFact): Term | undefined {
  if (fact.fact === 'requires') return fact.on;
  if (fact.fact === 'requires-api') return { variable: fact.on, values: VersionSet.all };
  return fact.fact === 'provides' ? fact.by : undefined;
}

function grouped<T>(items: readonly T[], key: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) append(groups, key(item), item);
  return [...groups.values()];
}

function append<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}

function union(a: Term, b: Term): Term {
  return { variable: a.variable, values: a.values.or(b.values) };
}
