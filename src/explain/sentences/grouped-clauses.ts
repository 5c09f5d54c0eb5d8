import type { Fact } from '../../solver/fact.js';
import { andList, rangeText } from './range-text.js';
import type { Sentences } from './fact-clause.js';

/** How many ranges of one package on another are named before the rest is only counted. */
const MOST = 3;

/**
 * Facts as clauses, in their order; what the versions of one package say of another, each in its
 * own words, is one clause.
 */
export function clausesOf(facts: readonly Fact[], sentences: Sentences): string[] {
  const groups = new Map<string, Fact[]>();
  for (const [i, fact] of facts.entries()) {
    const key = subjectOf(fact) ?? `alone ${i}`;
    groups.set(key, [...(groups.get(key) ?? []), fact]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (group.length === 1) return sentences.fact(first!) ?? [];
    if (first!.fact === 'requires') return requirementsClause(group, sentences);
    return rivalriesClause(group, sentences);
  });
}

/** Equal for facts that are worth one clause together. */
function subjectOf(fact: Fact): string | undefined {
  if (fact.fact === 'owns') return `owns ${fact.one.variable} ${fact.other.variable}`;
  if (fact.fact !== 'requires' || fact.on.values.isEmpty) return undefined;
  return `requires ${fact.by.variable} ${fact.on.variable}`;
}

/** `a requires b: ">=v1.0.0" in v1.0.0 to v1.2.0, ">=v2.0.0" in v2.0.0`. */
function requirementsClause(facts: readonly Fact[], sentences: Sentences): string {
  const requirements = facts.filter((fact) => fact.fact === 'requires');
  const by = sentences.package(requirements[0]!.by);
  const on = sentences.package(requirements[0]!.on);
  const ranges = requirements.map(
    (fact) => `\`${fact.constraint}\` in ${rangeText(by.versions, fact.by.values)}`,
  );
  const more = ranges.length - MOST;
  const shown = more > 1 ? [...ranges.slice(0, MOST), `${more} others in other versions`] : ranges;
  return `${by.repository} requires ${on.repository}: ${andList(shown)}`;
}

function rivalriesClause(facts: readonly Fact[], sentences: Sentences): string {
  const [first, ...rest] = facts.filter((fact) => fact.fact === 'owns');
  const pairs = rest.map((fact) => `${sentences.some(fact.one)} and ${sentences.some(fact.other)}`);
  const more = pairs.length - MOST + 1;
  const shown = more > 1 ? [...pairs.slice(0, MOST - 1), `${more} pairs more`] : pairs;
  return `${sentences.fact(first!)}, and so would ${andList(shown)}`;
}
