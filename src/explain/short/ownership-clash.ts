import type { Repository } from '../../model/package.js';
import type { Fact } from '../../solver/fact.js';
import type { Term } from '../../solver/incompatibility.js';
import type { NounPhrases } from '../sentences/noun-phrases.js';
import { sharedObjects } from '../sentences/shared-objects.js';
import type { CoreGraph } from './core-graph.js';
import { countedObjects, namedObjects } from './counted-objects.js';
import { familyAtOdds } from './patterns/family-at-odds.js';
import { monolith } from './patterns/monolith.js';
import { spelledTwice } from './patterns/spelled-twice.js';
import { twoPlaces } from './patterns/two-places.js';

/** Two packages that would own the same objects. */
export interface OwnershipClash {
  readonly one: ClashingOwner;
  readonly other: ClashingOwner;
  /** What both would own: how much, and of which groups. */
  readonly objects: string;
  /** How much that is. */
  readonly count: string;
}

export interface ClashingOwner {
  /** With its versions, where not all that are wanted own the objects. */
  readonly name: string;
  /** undefined: a package under development. */
  readonly repository: Repository | undefined;
  /** A package that requires it; undefined: the user asks for it. */
  readonly broughtInBy: string | undefined;
}

/** What people know a clash as, the most telling first. */
const PATTERNS = [spelledTwice, twoPlaces, monolith, familyAtOdds];

/** Where chains meet: that two packages would own the same objects. `facts`: of these two alone. */
export function ownershipClash(
  facts: readonly Extract<Fact, { fact: 'owns' }>[],
  graph: CoreGraph,
  nouns: NounPhrases,
): string {
  const one = facts.map((fact) => fact.one).reduce(union);
  const other = facts.map((fact) => fact.other).reduce(union);
  const shared = sharedObjects(one, other, nouns.encoder);
  const clash: OwnershipClash = {
    one: ownerOf(one, graph, nouns),
    other: ownerOf(other, graph, nouns),
    objects: namedObjects(shared),
    count: countedObjects(shared),
  };
  for (const pattern of PATTERNS) {
    const text = pattern(clash) ?? pattern({ ...clash, one: clash.other, other: clash.one });
    if (text !== undefined) return text;
  }
  const { objects } = clash;
  return `${clash.one.name} and ${clash.other.name} both own ${objects}, and only one package can`;
}

function ownerOf(term: Term, graph: CoreGraph, nouns: NounPhrases): ClashingOwner {
  const subject = nouns.encoder.subject(term.variable);
  if (subject.about !== 'package') {
    return { name: nouns.some(term), repository: undefined, broughtInBy: undefined };
  }
  const { repository } = subject;
  const isEvery = graph.wanted(term.variable).isSubsetOf(term.values);
  const [first] = graph.requirers(term.variable);
  const fact = first?.facts[0];
  const by = fact?.fact === 'requires' ? nouns.package(fact.by).repository : undefined;
  return {
    name: isEvery ? nouns.name(repository) : nouns.some(term),
    repository,
    broughtInBy: by === undefined ? undefined : nouns.name(by),
  };
}

function union(a: Term, b: Term): Term {
  return { variable: a.variable, values: a.values.or(b.values) };
}
