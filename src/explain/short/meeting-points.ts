import type { Fact } from '../../solver/fact.js';
import type { Variable } from '../../solver/incompatibility.js';
import { VersionSet } from '../../solver/version-set.js';
import { factClause } from '../sentences/fact-clause.js';
import type { NounPhrases } from '../sentences/noun-phrases.js';
import type { CoreGraph } from './core-graph.js';
import { ownershipClash } from './ownership-clash.js';
import { versionClash } from './version-clash.js';

/** Something that cannot be, as a sentence without its full stop. */
export interface MeetingPoint {
  readonly clash: 'versions' | 'ownership' | 'crossplane' | 'fact';
  readonly text: string;
  /** What it is about. */
  readonly about: readonly Variable[];
}

/** Where chains meet; and whatever else they did not tell. `told`: what they did, in order. */
export function meetingPoints(
  graph: CoreGraph,
  told: ReadonlySet<Fact>,
  nouns: NounPhrases,
): MeetingPoint[] {
  const versions = graph.contestable.flatMap((variable): MeetingPoint[] => {
    const text = versionClash(variable, graph, told, nouns);
    return text === undefined ? [] : [{ clash: 'versions', text, about: [variable] }];
  });
  const owners = new Map<string, Extract<Fact, { fact: 'owns' }>[]>();
  const rest: MeetingPoint[] = [];
  for (const fact of graph.facts) {
    if (fact.fact === 'owns') {
      const pair = `${fact.one.variable} ${fact.other.variable}`;
      owners.set(pair, [...(owners.get(pair) ?? []), fact]);
    } else if (!told.has(fact) && fact.fact !== 'no-others') {
      const text = factClause(fact, nouns);
      if (text !== undefined) rest.push({ clash: 'fact', text, about: variablesIn(fact) });
    }
  }
  const clashes = Array.from(owners.values(), (pair): MeetingPoint => {
    const text = ownershipClash(pair, graph, nouns);
    return { clash: 'ownership', text, about: variablesIn(pair[0]!) };
  });
  return [...versions, ...clashes, ...releaseClash(graph.facts, nouns), ...rest];
}

/** That packages need different releases of Crossplane, each of which there would be. */
function releaseClash(facts: readonly Fact[], nouns: NounPhrases): MeetingPoint[] {
  const needs = facts.filter((fact) => fact.fact === 'crossplane' && !fact.admits.isEmpty);
  if (needs.length === 0) return [];
  const text = `no Crossplane of ${nouns.releases(VersionSet.all)} suits all of them`;
  return [{ clash: 'crossplane', text, about: needs.flatMap(variablesIn) }];
}

/** The variables that a fact is about, APIs and Crossplane left out. */
export function variablesIn(fact: Fact): Variable[] {
  switch (fact.fact) {
    case 'root':
      return [fact.on.variable];
    case 'requires':
      return [fact.by.variable, fact.on.variable];
    case 'requires-api':
      return [fact.by.variable];
    case 'provides':
      return [fact.by.variable];
    case 'crossplane':
      return 'values' in fact.by ? [fact.by.variable] : [];
    case 'owns':
      return [fact.one.variable, fact.other.variable];
    case 'kind':
      return [fact.on.variable, ...('values' in fact.by ? [fact.by.variable] : [])];
    case 'missing':
    case 'rejected':
    case 'excluded':
    case 'ruled-out':
      return [fact.of.variable];
    case 'cycle':
      return fact.members.map(({ variable }) => variable);
    case 'root-api':
    case 'no-others':
      return [];
  }
}
